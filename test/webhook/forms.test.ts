import { describe, expect, it, onTestFinished } from 'vitest';
import { listen } from '../../src/sandbox/listen.ts';
import { createWebhook } from '../../src/sandbox/webhook.ts';
import { record } from '../serve.ts';
import { senderTo } from './sender.ts';

const OK = { status: 200, body: '{"status":"OK"}' };

describe.each([
  ['v2', '/webhook/v2/'],
  ['legacy', '/webhook/'],
] as const)('a post in the %s form', (form, path) => {
  it(`is one POST of {"text"} as JSON to ${path}<token>`, async () => {
    const { url, received } = await record(OK);
    await senderTo(url, { form, token: 'room-token' })('AA:BB:CC:DD:EE:FF\nCorp_Wired_Access');
    expect(received).toEqual([
      {
        method: 'POST',
        path: `${path}room-token`,
        type: 'application/json',
        body: '{"text":"AA:BB:CC:DD:EE:FF\\nCorp_Wired_Access"}',
      },
    ]);
  });

  it.each(['', '/'])('keeps the base path, with %j at its end', async (end) => {
    const { url, received } = await record(OK);
    await senderTo(`${url}/team/chat${end}`, { form, token: 'room-token' })('x');
    expect(received.map((each) => each.path)).toEqual([`/team/chat${path}room-token`]);
  });

  it.each(['a%2Fb', '%E0%A4%A', 'a:b@c', 'a;b=c'])('leaves the token %j as given', async (token) => {
    const { url, received } = await record(OK);
    await senderTo(url, { form, token })('x');
    expect(received.map((each) => each.path)).toEqual([`${path}${token}`]);
  });

  it('brings its text to the room, letter for letter', async () => {
    const { server, room } = createWebhook();
    const { url, close } = await listen(server);
    onTestFinished(close);
    const text = '_Corp_Wired_\t"quoted" \\ </script> é 🌱\u2028\n\u0000 end';
    expect(await senderTo(url, { form, token: 'sandbox-room' })(text)).toEqual({ kind: 'posted' });
    expect(room.posts()).toMatchObject([{ form, text }]);
  });
});
