import { text as readText } from 'node:stream/consumers';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { Secret } from '../../src/domain/secret.ts';
import type { WebhookAddress } from '../../src/domain/webhook-address.ts';
import { type Listening, listen } from '../../src/sandbox/listen.ts';
import { createWebhook } from '../../src/sandbox/webhook.ts';
import { createSender, readPostOutcome } from '../../src/webhook/sender.ts';
import { closedUrl, openUpstream, record, serve } from '../serve.ts';
import { senderTo } from './sender.ts';

describe.each(['v2', 'legacy'] as const)("the sandbox's verdicts in the %s form", (form) => {
  let webhook: Listening;
  beforeAll(async () => {
    webhook = await listen(createWebhook().server);
  });
  afterAll(() => webhook.close());

  it.each([
    ['sandbox-room', { kind: 'posted' }],
    ['answers-one', { kind: 'posted' }],
    ['answers-accepted', { kind: 'posted' }],
    ['answers-error-object', { kind: 'error verdict', final: false }],
    ['answers-error-status', { kind: 'error verdict', final: false }],
    ['answers-400', { kind: 'rejected', status: 400, final: true }],
    ['answers-404', { kind: 'not found', final: true }],
    ['answers-429', { kind: 'failed', status: 429, final: false }],
    ['answers-500', { kind: 'failed', status: 500, final: false }],
    ['unknown', { kind: 'not found', final: true }],
  ])('%s: %j', async (token, outcome) => {
    expect(await senderTo(webhook.url, { form, token })('x')).toMatchObject(outcome);
  });

  it('silent: timed out', async () => {
    const send = senderTo(webhook.url, { form, token: 'silent' }, { timeoutMs: 200 });
    expect(await send('x')).toEqual(unanswered({ kind: 'timed out', timeoutMs: 200, begun: false }));
  });
});

const verdictOn = (status: number, text: string) =>
  readPostOutcome({ kind: 'answered', status, headers: {}, text });

describe('an answer', () => {
  it.each([
    [200, '{"status":"OK"}'],
    [200, '{"status":"OK","message":"nothing was not found"}'],
    [200, '{"error":null}'],
    [200, '{"error":false,"status":"ok"}'],
    [200, '{"error":""}'],
    [200, '{"errors":1}'],
    [200, ''],
    [200, 'ok'],
    [200, '1'],
    [200, 'null'],
    [200, '"error"'],
    [200, '[]'],
    [200, 'Something went wrong (error)'],
    [201, '{}'],
    [202, ''],
    [204, ''],
  ])('%i %j is posted', (status, text) => {
    expect(verdictOn(status, text)).toEqual({ kind: 'posted' });
  });

  it.each([
    [200, '{"status":"error"}', { kind: 'error verdict', final: false }],
    [200, '{"status":"error","message":"busy"}', { kind: 'error verdict', final: false }],
    [200, '{"error":"busy"}', { kind: 'error verdict', final: false }],
    [200, '{"error":{"code":17}}', { kind: 'error verdict', final: false }],
    [200, '{"error":true,"status":"OK"}', { kind: 'error verdict', final: false }],
    [202, '{"error":1}', { kind: 'error verdict', final: false }],
    [
      200,
      '{"status":"error","message":"Webhook not found!","error":"Webhook not found!"}',
      { kind: 'not found', final: true },
    ],
    [200, '{"status":"error","message":"webhook Not Found"}', { kind: 'not found', final: true }],
    [200, '{"error":{"message":"not found"}}', { kind: 'not found', final: true }],
    [400, '{"error":"Webhook not found!"}', { kind: 'not found', final: true }],
    [400, '{"error":"text is needed"}', { kind: 'rejected', status: 400, final: true }],
    [401, '', { kind: 'rejected', status: 401, final: true }],
    [403, '', { kind: 'rejected', status: 403, final: true }],
    [404, '', { final: true }],
    [410, '', { final: true }],
    [413, '', { kind: 'rejected', status: 413, final: true }],
    [422, '{"status":"OK"}', { kind: 'rejected', status: 422, final: true }],
    [408, '', { kind: 'failed', status: 408, final: false }],
    [425, '', { kind: 'failed', status: 425, final: false }],
    [429, '{"error":"too many"}', { kind: 'failed', status: 429, final: false }],
    [500, '{"status":"error"}', { kind: 'failed', status: 500, final: false }],
    [502, '<html>', { kind: 'failed', status: 502, final: false }],
    [503, '{"status":"OK"}', { kind: 'failed', status: 503, final: false }],
    [504, '', { kind: 'failed', status: 504, final: false }],
  ])('%i %j is not posted: %j', (status, text, outcome) => {
    expect(verdictOn(status, text)).toMatchObject(outcome);
  });

  it.each([301, 302, 303, 307, 308])('%i is not posted, and not followed', async (status) => {
    const { url, received } = await record({ status, headers: { location: '/webhook/v2/elsewhere' } });
    expect((await senderTo(url)('x')).kind).not.toBe('posted');
    expect(received).toHaveLength(1);
  });

  it('that does not come, or not whole, is passed on', async () => {
    expect(await senderTo(await closedUrl())('x')).toMatchObject(unanswered({ kind: 'unreachable' }));
    const { url } = await record({ status: 200, body: 'x'.repeat(2000) });
    expect(await senderTo(url, {}, { maxBytes: 1000 })('x')).toEqual(
      unanswered({ kind: 'too large', maxBytes: 1000 }),
    );
  });

  it('never holds the token', async () => {
    const { url } = await record({ status: 400, body: '{"error":"no such path: /webhook/v2/canary"}' });
    expect(JSON.stringify(await senderTo(url, { token: 'canary' })('x'))).not.toContain('canary');
  });
});

describe('a long text', () => {
  const LIMIT = 10_000;
  const textsOf = (received: { body: string }[]) => received.map(({ body }) => String(JSON.parse(body).text));

  it('of exactly 10,000 characters is one post, and one more makes two', async () => {
    const { url, received } = await record({ status: 200 });
    await senderTo(url)('x'.repeat(LIMIT));
    expect(received).toHaveLength(1);
    await senderTo(url)('x'.repeat(LIMIT + 1));
    expect(received).toHaveLength(3);
  });

  it('is split between lines, in order, each token whole', async () => {
    const { url, received } = await record({ status: 200 });
    const lines = fc.sample(fc.stringMatching(/^[A-Za-z]{1,40}_[0-9.é-]{1,40}$/), { numRuns: 1500, seed: 1 });
    expect(await senderTo(url)(lines.join('\n'))).toEqual({ kind: 'posted' });
    const texts = textsOf(received);
    expect(texts.length).toBeGreaterThan(1);
    expect(Math.max(...texts.map((text) => text.length))).toBeLessThanOrEqual(LIMIT);
    expect(texts.flatMap((text) => text.split('\n'))).toEqual(lines);
  });

  it('goes one post after the other', async () => {
    let open = 0;
    let most = 0;
    const url = await serve(async (request, response) => {
      most = Math.max(most, ++open);
      await readText(request);
      open--;
      response.end('{"status":"OK"}');
    });
    await senderTo(url)('line\n'.repeat(10_000));
    expect(most).toBe(1);
  });

  it.each([
    [{ status: 500 }, { kind: 'failed', status: 500 }],
    [{ status: 200, body: '{"error":"Webhook not found!"}' }, { kind: 'not found' }],
  ])('stops at the first post that fails (%j), and returns what is left', async (second, outcome) => {
    const { url, received } = await record({ status: 200 }, second, { status: 200 });
    const lines = Array.from({ length: 2500 }, (_, index) => `line ${index}`);
    const sent = await senderTo(url)(lines.join('\n'));
    expect(sent).toMatchObject(outcome);
    expect(received).toHaveLength(2);
    const [taken, refused] = textsOf(received);
    const left = 'left' in sent ? sent.left : '';
    expect(`${taken}\n${left}`).toBe(lines.join('\n'));
    expect(left.startsWith(`${refused}\n`)).toBe(true);
  });
});

function unanswered(fault: object) {
  return { kind: 'no answer', fault, final: false, left: 'x' };
}

describe('an address that changes while the bot runs', () => {
  it('is used from the next post on', async () => {
    const { url, received } = await record({ status: 200 });
    let address: WebhookAddress = { base: new URL(url), form: 'v2', token: new Secret('first') };
    const send = createSender({ upstream: openUpstream(), address: () => address });
    await send('x');
    address = { base: new URL(`${url}/new`), form: 'legacy', token: new Secret('second') };
    await send('x');
    expect(received.map(({ path }) => path)).toEqual(['/webhook/v2/first', '/new/webhook/second']);
  });
});

describe.each([
  ['v2', '/webhook/v2/'],
  ['legacy', '/webhook/'],
] as const)('a post in the %s form', (form, path) => {
  it(`is one POST of {"text"} as JSON to ${path}<token>`, async () => {
    const { url, received } = await record({ status: 200, body: '{"status":"OK"}' });
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
    const { url, received } = await record({ status: 200, body: '{"status":"OK"}' });
    await senderTo(`${url}/team/chat${end}`, { form, token: 'room-token' })('x');
    expect(received.map((each) => each.path)).toEqual([`/team/chat${path}room-token`]);
  });

  it.each(['a%2Fb', '%E0%A4%A', 'a:b@c', 'a;b=c'])('leaves the token %j as given', async (token) => {
    const { url, received } = await record({ status: 200, body: '{"status":"OK"}' });
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
