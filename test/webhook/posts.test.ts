import { text } from 'node:stream/consumers';
import { expect, it, vi } from 'vitest';
import { Secret } from '../../src/domain/secret.ts';
import { type Answer, answer, record, serve } from '../serve.ts';
import { newFolder } from '../store/engines.ts';
import { newDatabase } from '../store/postgres.ts';
import { openRoom } from './room.ts';

const OK = { status: 200, body: '{"status":"OK"}' };
const AGAIN = { status: 503 };
const NEVER = { status: 404 };
const SUSPENDED = { status: 200, body: '{"status":"error","message":"Webhook suspended"}' };
const PIECES = ['a', 'b', 'c'].map((letter) => letter.repeat(9000));
const THREE = PIECES.join('\n');
const LONG = { timeout: 30_000, interval: 20 };

/** A process that posts to a room which returns these answers in turn and then repeats the last. */
async function stage(...answers: [Answer, ...Answer[]]) {
  const { url, received } = await record(...answers);
  const room = await openRoom(url, { directory: await newFolder() });
  const { queue } = room;
  return {
    ...room,
    texts: () => received.map(({ body }) => String(JSON.parse(body).text)),
    ends: async (id: string, state: 'done' | 'dead') =>
      vi.waitFor(async () => expect(await queue.find(id)).toBe(state), LONG),
  };
}

it('a post in pieces goes on with the piece that failed', async () => {
  const { post, texts, ends, outcomes } = await stage(OK, AGAIN, OK, AGAIN, OK);
  expect(await post('k', THREE)).toMatchObject({ outcome: { kind: 'failed' }, isQueued: true });
  await ends('k', 'done');
  const [a, b, c] = PIECES;
  expect(texts()).toEqual([a, b, b, c, c]);
  expect(outcomes).toEqual(['failed', 'failed', 'posted']);
});

it('a post in pieces leaves as a dead letter only what was not taken', async () => {
  const { post, queue, ends } = await stage(AGAIN, OK, OK, NEVER);
  expect(await post('k', THREE)).toMatchObject({ isQueued: true });
  await ends('k', 'dead');
  expect(await queue.list('dead')).toMatchObject([{ data: { text: PIECES[2] }, reason: 'not found' }]);
});

it('a post in pieces is not queued after a final refusal', async () => {
  const { post, queue } = await stage(OK, NEVER);
  const gone = { outcome: { kind: 'not found' }, isQueued: false };
  expect(await post('k', THREE, { place: 'here' })).toMatchObject(gone);
  expect(await queue.find('k')).toBeUndefined();
});

it('a final refusal without a place for its report is dead at once', async () => {
  const { post, queue, ends } = await stage(NEVER);
  expect(await post('k', 'one')).toMatchObject({ isQueued: true });
  await ends('k', 'dead');
  expect(await queue.list('dead')).toMatchObject([{ data: { text: 'one' } }]);
  const repeated = await post('k', 'one', { isRemembered: true });
  expect(repeated).toMatchObject({ outcome: { kind: 'waiting' }, isQueued: false });
});

it('a post to a suspended webhook is kept, and tried at long intervals', async () => {
  const { post, store, queue } = await stage(SUSPENDED);
  expect(await post('k', 'one')).toMatchObject({ outcome: { kind: 'suspended' }, isQueued: true });
  await vi.waitFor(async () => expect(await queue.count()).toMatchObject({ waiting: 1 }), LONG);
  const [row] = await store.query<{ wait: number }>('select due - at as wait from job');
  expect(row?.wait).toBeGreaterThanOrEqual(30_000);
});

it('a restarted job posts a refused text once more, and no taken one', async () => {
  const { post, texts } = await stage(NEVER, OK);
  for (let start = 1; start <= 4; start++) await post('k', 'one', { isRemembered: true, place: 'here' });
  expect(texts()).toEqual(['one', 'one']);
});

it("a job's post is recorded as done in one write", async () => {
  const { post, queue, store } = await stage(OK);
  await store.query(`create trigger died before update on job begin select raise(abort, 'died'); end`);
  await post('k', 'one', { isRemembered: true });
  expect(await queue.find('k')).toBe('done');
});

it('a post that fails while the database opens becomes a job', async () => {
  const { url } = await record(AGAIN);
  const { post, queue, store } = await openRoom(url, { url: new Secret(await newDatabase()) }, false);
  const posting = post('k', 'one');
  store.open();
  expect(await posting).toMatchObject({ outcome: { kind: 'failed' }, isQueued: true });
  expect(await queue.find('k')).toBe('open');
});

it('a late post goes on as a job, which its end settles', async () => {
  const taken = Promise.withResolvers<void>();
  const url = await serve((_, response) => void taken.promise.then(() => response.end('{"status":"OK"}')));
  const { post, queue } = await openRoom(url, { directory: await newFolder() });
  const late = await post('k', 'one', { withinMs: 50 });
  expect(late).toMatchObject({ outcome: { kind: 'under way' }, isQueued: true });
  expect(await queue.list('open')).toMatchObject([{ key: 'k', data: { text: 'one' } }]);
  taken.resolve();
  await vi.waitFor(async () => expect(await queue.find('k')).toBe('done'));
});

it('of the posts that wait for their turn, none begins once the bot stops', async () => {
  const taken = Promise.withResolvers<void>();
  const texts: string[] = [];
  const url = await serve(async (request, response) => {
    texts.push(await text(request));
    await taken.promise;
    answer(response, 200, {}, '');
  });
  const { store, queue } = await openRoom(url, { directory: await newFolder() });
  for (const key of ['a', 'b']) await queue.put(key, { text: key, attempt: 0 });
  await vi.waitFor(() => expect(texts).toHaveLength(1), LONG);
  const ending = store.endJobs(3000);
  taken.resolve();
  await ending;
  expect(texts).toHaveLength(1);
});

it('a paused room gets one post while it asks again, and then all at once', async () => {
  const times: number[] = [];
  const url = await serve((_, response) => {
    times.push(performance.now());
    answer(response, times.length < 6 ? 429 : 200, { 'retry-after': '1' }, '');
  });
  const { post } = await openRoom(url, { directory: await newFolder() });
  for (let id = 0; id < 9; id++) await post(String(id), 'x');
  await vi.waitFor(() => expect(times).toHaveLength(14), LONG);
  const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0));
  expect(Math.min(...gaps.slice(0, 5))).toBeGreaterThan(950);
  expect(Math.max(...gaps.slice(5))).toBeLessThan(2000); // The back-off would be longer by now.
});
