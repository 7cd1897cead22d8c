import { describe, expect, it, onTestFinished } from 'vitest';
import { listen } from '../../src/sandbox/listen.ts';
import { createWebhook } from '../../src/sandbox/webhook.ts';
import { legacy } from '../../src/webhook/legacy.ts';
import { record } from '../serve.ts';
import { senderTo } from './sender.ts';

const OK = { status: 200, body: '{"status":"OK"}' };

describe('a post in the legacy form', () => {
  it('is one POST of {"text"} as JSON to /webhook/<token>', async () => {
    const { url, received } = await record(OK);
    await senderTo(url, { form: 'legacy', token: 'room-token' })('AA:BB:CC:DD:EE:FF\nCorp_Wired_Access');
    expect(received).toEqual([
      {
        method: 'POST',
        path: '/webhook/room-token',
        type: 'application/json',
        body: '{"text":"AA:BB:CC:DD:EE:FF\\nCorp_Wired_Access"}',
      },
    ]);
  });

  it.each(['', '/'])('keeps the base path, with %j at its end', async (end) => {
    const { url, received } = await record(OK);
    await senderTo(`${url}/team/chat${end}`, { form: 'legacy', token: 'room-token' })('x');
    expect(received.map(({ path }) => path)).toEqual(['/team/chat/webhook/room-token']);
  });

  it.each(['a%2Fb', '%E0%A4%A', 'a:b@c', 'a;b=c'])('leaves the token %j as given', async (token) => {
    const { url, received } = await record(OK);
    await senderTo(url, { form: 'legacy', token })('x');
    expect(received.map(({ path }) => path)).toEqual([`/webhook/${token}`]);
  });

  it('brings its text to the room, letter for letter', async () => {
    const { server, room } = createWebhook();
    const { url, close } = await listen(server);
    onTestFinished(close);
    const text = '_Corp_Wired_\t"quoted" \\ </script> é 🌱\u2028\n\u0000 end';
    expect(await senderTo(url, { form: 'legacy', token: 'sandbox-room' })(text)).toEqual({ kind: 'posted' });
    expect(room.posts()).toMatchObject([{ form: 'legacy', text }]);
  });
});

describe('the legacy form of an address', () => {
  it.each([
    ['/webhook/tok', { base: '', token: 'tok' }],
    ['/webhook/tok/', { base: '', token: 'tok' }],
    ['/a/b/webhook/tok', { base: '/a/b', token: 'tok' }],
    ['/webhook/v2token', { base: '', token: 'v2token' }],
    ['/webhook/webhook', { base: '', token: 'webhook' }],
    ['/webhook', undefined],
    ['/webhook/', undefined],
    ['/webhook/v2', undefined],
    ['/webhook/v2/', undefined],
    ['/webhook/v2/tok', undefined],
    ['/', undefined],
  ])('%s splits into %j', (pathname, parts) => {
    expect(legacy.split(pathname)).toEqual(parts);
  });
});
