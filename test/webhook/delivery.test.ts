import { describe, expect, it, vi } from 'vitest';
import type { JobOutcome } from '../../src/domain/jobs.ts';
import { Secret, type WebhookAddress, type WebhookForm } from '../../src/domain/secret.ts';
import { TIMING } from '../../src/domain/timing.ts';
import type { UpstreamOptions } from '../../src/http.ts';
import {
  createDelivery,
  createSender,
  type PostJob,
  postJobSchema,
  readPostOutcome,
} from '../../src/webhook/delivery.ts';
import { type Answer, closedUrl, openUpstream, record } from '../serve.ts';
import { newFolder, openQueue } from '../store/engines.ts';

type Room = { form?: WebhookForm; token?: string };

/** A sender to the room behind this base address, over an upstream of its own. */
function senderTo(
  base: string,
  { form = 'v2', token = 'room-token' }: Room = {},
  options: Partial<UpstreamOptions> = {},
) {
  const address = { base: new URL(base), form, token: new Secret(token) };
  return createSender({ upstream: openUpstream(options), address: () => address, now: Date.now });
}

/** Three pieces, and their text. */
const PIECES = ['a', 'b', 'c'].map((letter) => letter.repeat(9000));
const THREE = PIECES.join('\n');

const OK = { status: 200, body: '{"status":"OK"}' };

describe('an answer', () => {
  const NOT_FOUND = { kind: 'not found', final: true };
  const rejected = (status: number) => ({ kind: 'rejected', status, final: true });
  const failed = (status: number) => ({ kind: 'failed', status, retryAfterMs: 0, final: false });
  const TAKEN = ['{"status":"OK"}', '{"status":"OK","message":"nothing was not found"}', '{"error":null}'];
  const OTHERS = [
    '',
    ...'{"error":false,"status":"ok"} {"error":""} {"errors":1} 1 null "error" []'.split(' '),
  ];
  const REFUSED = ['{"status":"error"}', '{"status":"ERROR","message":"busy"}', '{"error":{"code":17}}'];
  const SUSPENDED = '{"status":"error","message":"Webhook suspended"}';
  const UNKNOWN = ['{"status":"error","message":"webhook Not Found"}', '{"error":{"message":"notfound"}}'];

  it.each<[statuses: number[], texts: string[], outcome: (status: number) => object]>([
    [[200, 204, 299], [...TAKEN, ...OTHERS, 'Something went wrong (error)'], () => ({ kind: 'posted' })],
    [[200, 202], [...REFUSED, '{"error":1,"status":"OK"}'], () => ({ kind: 'error verdict', final: false })],
    [[200, 400], [...UNKNOWN, '{"error":"Webhook not found!"}'], () => NOT_FOUND],
    [[404, 410], [''], () => NOT_FOUND],
    [[200], ['{"status":"error","validation":[{"field":"text"}]}'], rejected],
    [[200], [SUSPENDED], () => ({ kind: 'suspended', final: true })],
    [[400, 401, 403, 413, 422], ['', '{"status":"OK"}', '{"error":"text is needed"}'], rejected],
    [[302, 408, 425, 429], ['', '{"error":"too many"}'], failed],
    [[500, 502, 503], ['', '<html>', '{"status":"OK"}', SUSPENDED, ...UNKNOWN], failed],
  ])('of %j with any of %j is read', (statuses, texts, outcome) => {
    for (const status of statuses)
      for (const text of texts)
        expect(readPostOutcome({ kind: 'answered', status, headers: {}, text }), text).toEqual(
          outcome(status),
        );
  });

  it('tells how long to wait, and never holds the token', async () => {
    const body = '{"error":"no such path: /webhook/v2/canary"}';
    const { url } = await record({ status: 429, headers: { 'retry-after': '7' }, body });
    const sent = await senderTo(url, { token: 'canary' })('x');
    expect(sent).toEqual({ ...failed(429), retryAfterMs: 7000, left: 'x' });
  });

  it('that asks to wait holds for every post to that address', async () => {
    const { url, received } = await record({ status: 503, headers: { 'retry-after': '7' } });
    let [time, address]: [number, WebhookAddress] = [
      0,
      { base: new URL(url), form: 'v2', token: new Secret('a') },
    ];
    const send = createSender({ upstream: openUpstream(), address: () => address, now: () => time });
    const outcomes = [await send('x')];
    time = 5000;
    outcomes.push(await send('y'));
    expect(outcomes).toMatchObject([
      { ...failed(503), retryAfterMs: 7000, left: 'x' },
      { ...failed(503), retryAfterMs: 2000, left: 'y' },
    ]);
    expect(received).toHaveLength(1);
    address = { ...address, token: new Secret('b') };
    await send('x');
    time = 14_000;
    await send('x');
    expect(received).toHaveLength(3);
  });

  it('that does not come is passed on', async () => {
    const fault = { kind: 'no answer', fault: { kind: 'unreachable', code: 'ECONNREFUSED' } };
    expect(await senderTo(await closedUrl())('x')).toEqual({ ...fault, final: false, left: 'x' });
  });
});

it('a text of exactly 10,000 characters is one post, and one more makes two', async () => {
  const { url, received } = await record(OK);
  for (const length of [10_000, 10_001]) await senderTo(url)('x'.repeat(length));
  expect(received).toHaveLength(3);
});

it('an address that changes while the bot runs is used from the next post on', async () => {
  const { url, received } = await record(OK);
  let address: WebhookAddress = { base: new URL(url), form: 'v2', token: new Secret('first') };
  const send = createSender({ upstream: openUpstream(), address: () => address, now: Date.now });
  await send('x');
  address = { base: new URL(`${url}/new`), form: 'legacy', token: new Secret('second') };
  await send('x');
  expect(received.map(({ path }) => path)).toEqual(['/webhook/v2/first', '/new/webhook/second']);
});

describe.each([
  ['v2', '/webhook/v2/'],
  ['legacy', '/webhook/'],
] as const)('a post in the %s form', (form, path) => {
  it(`is one POST of {"text"} as JSON to ${path}<token>`, async () => {
    const { url, received } = await record(OK);
    await senderTo(url, { form, token: 'room-token' })('AA:BB:CC:DD:EE:FF\nCorp_Wired_Access');
    const body = '{"text":"AA:BB:CC:DD:EE:FF\\nCorp_Wired_Access"}';
    expect(received).toEqual([{ method: 'POST', path: `${path}room-token`, type: 'application/json', body }]);
  });

  it.each([
    ['', 'a%2Fb'],
    ['/team/chat', '%E0%A4%A'],
    ['/team/chat', 'a:b@c'],
    ['/team/chat/', 'a;b=c'],
  ])('keeps the base path %j, and leaves the token %j as given', async (base, token) => {
    const { url, received } = await record(OK);
    await senderTo(`${url}${base}`, { form, token })('x');
    expect(received.map((each) => each.path)).toEqual([`${base.replace(/\/$/, '')}${path}${token}`]);
  });
});

const AGAIN = { status: 503 };
const NEVER = { status: 404 };

/** Deliveries to a room that returns these answers in turn and then repeats the last, and the queue behind them. */
async function stage(...answers: [Answer, ...Answer[]]) {
  const { url, received } = await record(...answers);
  const post = senderTo(url);
  const { store, queue } = await openQueue(
    { directory: await newFolder() },
    { schema: postJobSchema, work: (job): Promise<JobOutcome<PostJob>> => delivery.retryPost(job) },
  );
  const onError = (error: unknown) => void store.errors.push(error);
  const delivery = createDelivery({ post, queue, now: Date.now, onError, timing: TIMING });
  const texts = () => received.map(({ body }) => String(JSON.parse(body).text));
  const counts = (waiting: number, dead: number) =>
    vi.waitFor(async () => expect(await queue.count()).toMatchObject({ waiting, dead }), 30_000);
  return {
    ...delivery,
    texts,
    counts,
    /** A job under way is not counted as waiting, but is not done. */
    isDone: (id: string) => vi.waitFor(async () => expect(await queue.progress(id)).toBe('done'), 30_000),
    dead: async () => (await queue.listDead(9)).map(({ data }) => data.text),
  };
}

describe('a post in several pieces', () => {
  it('goes on with the piece that failed, and sends no taken piece again', async () => {
    const { deliver, texts, counts } = await stage(OK, AGAIN, OK, AGAIN, OK);
    const failed = { outcome: { kind: 'failed' }, partly: true, kept: true };
    expect(await deliver({ id: 'k', text: THREE })).toMatchObject(failed);
    const [a, b, c] = PIECES;
    await vi.waitFor(() => expect(texts()).toEqual([a, b, b, c, c]), 30_000);
    await counts(0, 0);
  });

  it('leaves in the dead letters only what was not taken', async () => {
    const { deliver, counts, dead } = await stage(AGAIN, OK, OK, NEVER);
    expect(await deliver({ id: 'k', text: THREE })).toMatchObject({ partly: false, kept: true });
    await counts(0, 1);
    expect(await dead()).toEqual([PIECES[2]]);
  });

  it('is not kept if trying again cannot help and someone is told, and says that a part was taken', async () => {
    const { deliver, counts } = await stage(OK, NEVER);
    const gone = { outcome: { kind: 'not found' }, partly: true, kept: false };
    expect(await deliver({ id: 'k', text: THREE })).toMatchObject(gone);
    await counts(0, 0);
  });
});

it('posts under one id are one job, whatever their text: the text of a second try can hold other ages', async () => {
  const { deliver, counts } = await stage(AGAIN);
  for (const [id = '', text = ''] of ['k one', 'k other', 'l one'].map((each) => each.split(' ')))
    expect(await deliver({ id, text })).toMatchObject({ kept: true });
  await counts(2, 0);
});

it('a post that trying again cannot help ends among the dead letters if nobody will be told', async () => {
  const { deliver, counts, dead } = await stage(NEVER);
  await deliver({ id: 'k', text: 'one' }, () => false);
  await counts(0, 1);
  expect(await dead()).toEqual(['one']);
});

it('a text that must not overtake a waiting post goes along with it, and alone once that post is gone', async () => {
  const { deliver, deliverForJobs, texts, isDone } = await stage(AGAIN, OK);
  await deliver({ id: 'k', text: 'firing' });
  const resolved = { id: 'l', text: 'resolved' };
  expect(await deliverForJobs(resolved, undefined, 'k')).toMatchObject({ outcome: { kind: 'waiting' } });
  await isDone('k');
  const firing = { id: 'm', text: 'firing' };
  expect(await deliverForJobs(firing, undefined, 'k')).toMatchObject({ outcome: { kind: 'posted' } });
  expect(texts()).toEqual(['firing', 'firing\n\nresolved', 'firing']);
});

it('a job that starts again posts anew what the room refused, and no more what the room took', async () => {
  const { deliverForJobs, texts } = await stage(NEVER, OK);
  for (let start = 1; start <= 4; start++) await deliverForJobs({ id: 'k', text: 'one' });
  expect(texts()).toEqual(['one', 'one']);
});
