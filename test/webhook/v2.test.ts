import { describe, expect, it, onTestFinished } from 'vitest';
import { listen } from '../../src/sandbox/listen.ts';
import { createWebhook } from '../../src/sandbox/webhook.ts';
import { v2 } from '../../src/webhook/v2.ts';
import { record } from '../serve.ts';
import { senderTo } from './sender.ts';

const OK = { status: 200, body: '{"status":"OK"}' };

describe('a post in the v2 form', () => {
  it('is one POST of {"text"} as JSON to /webhook/v2/<token>', async () => {
    const { url, received } = await record(OK);
    await senderTo(url, { form: 'v2', token: 'room-token' })('AA:BB:CC:DD:EE:FF\nCorp_Wired_Access');
    expect(received).toEqual([
      {
        method: 'POST',
        path: '/webhook/v2/room-token',
        type: 'application/json',
        body: '{"text":"AA:BB:CC:DD:EE:FF\\nCorp_Wired_Access"}',
      },
    ]);
  });

  it.each(['', '/'])('keeps the base path, with %j at its end', async (end) => {
    const { url, received } = await record(OK);
    await senderTo(`${url}/team/chat${end}`, { form: 'v2', token: 'room-token' })('x');
    expect(received.map(({ path }) => path)).toEqual(['/team/chat/webhook/v2/room-token']);
  });

  it.each(['a%2Fb', '%E0%A4%A', 'a:b@c', 'a;b=c', 'v2'])('leaves the token %j as given', async (token) => {
    const { url, received } = await record(OK);
    await senderTo(url, { form: 'v2', token })('x');
    expect(received.map(({ path }) => path)).toEqual([`/webhook/v2/${token}`]);
  });

  it('brings its text to the room, letter for letter', async () => {
    const { server, room } = createWebhook();
    const { url, close } = await listen(server);
    onTestFinished(close);
    const text = '_Corp_Wired_\t"quoted" \\ </script> é 🌱\u2028\n\u0000 end';
    expect(await senderTo(url, { form: 'v2', token: 'sandbox-room' })(text)).toEqual({ kind: 'posted' });
    expect(room.posts()).toMatchObject([{ form: 'v2', text }]);
  });
});

describe('the v2 form of an address', () => {
  it.each([
    ['/webhook/v2/tok', { base: '', token: 'tok' }],
    ['/webhook/v2/tok/', { base: '', token: 'tok' }],
    ['/a/b/webhook/v2/tok', { base: '/a/b', token: 'tok' }],
    ['/webhook/v2/v2', { base: '', token: 'v2' }],
    ['/webhook/v2/webhook/v2/tok', { base: '/webhook/v2', token: 'tok' }],
    ['/webhook/v2', undefined],
    ['/webhook/v2/', undefined],
    ['/webhook/tok', undefined],
    ['/webhook/v2/tok/more', undefined],
    ['/', undefined],
  ])('%s splits into %j', (pathname, parts) => {
    expect(v2.split(pathname)).toEqual(parts);
  });
});
