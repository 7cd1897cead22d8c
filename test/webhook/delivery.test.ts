import { describe, expect, it, vi } from 'vitest';
import type { JobOutcome } from '../../src/domain/jobs.ts';
import { createDelivery, type PostJob, postJobSchema } from '../../src/webhook/delivery.ts';
import { type Answer, record } from '../serve.ts';
import { newFolder, openQueue } from '../store/engines.ts';
import { senderTo } from './sender.ts';

const OK = { status: 200 };
const AGAIN = { status: 503 };
const NEVER = { status: 404 };

/** Three pieces, and their text. */
const PIECES = ['a', 'b', 'c'].map((letter) => letter.repeat(9000));
const THREE = PIECES.join('\n');

/** Deliveries to a room that returns these answers in turn and then repeats the last, and the queue behind them. */
async function stage(...answers: [Answer, ...Answer[]]) {
  const { url, received } = await record(...answers);
  const post = senderTo(url);
  const { store, queue } = await openQueue(
    { directory: await newFolder() },
    { schema: postJobSchema, work: (job): Promise<JobOutcome<PostJob>> => delivery.retryPost(job) },
  );
  const onError = (error: unknown) => void store.errors.push(error);
  const delivery = createDelivery({ post, queue, now: Date.now, onError });
  const texts = () => received.map(({ body }) => String(JSON.parse(body).text));
  const counts = (waiting: number, dead: number) =>
    vi.waitFor(async () => expect(await queue.count()).toMatchObject({ waiting, dead }), 30_000);
  return {
    ...delivery,
    texts,
    counts,
    dead: async () => (await queue.listDead(9)).map(({ data }) => data.text),
  };
}

describe('a post in several pieces', () => {
  it('goes on with the piece that failed, and sends no taken piece again', async () => {
    const { deliver, texts, counts } = await stage(OK, AGAIN, OK, AGAIN, OK);
    const failed = { outcome: { kind: 'failed' }, partly: true, kept: true };
    expect(await deliver('k', THREE)).toMatchObject(failed);
    const [a, b, c] = PIECES;
    await vi.waitFor(() => expect(texts()).toEqual([a, b, b, c, c]), 30_000);
    await counts(0, 0);
  });

  it('leaves in the dead letters only what was not taken', async () => {
    const { deliver, counts, dead } = await stage(AGAIN, OK, OK, NEVER);
    expect(await deliver('k', THREE)).toMatchObject({ partly: false, kept: true });
    await counts(0, 1);
    expect(await dead()).toEqual([PIECES[2]]);
  });

  it('is not kept if trying again cannot help and someone is told, and says that a part was taken', async () => {
    const { deliver, counts } = await stage(OK, NEVER);
    const gone = { outcome: { kind: 'not found' }, partly: true, kept: false };
    expect(await deliver('k', THREE)).toMatchObject(gone);
    await counts(0, 0);
  });
});

it('posts under one key are one job if their text is the same, and several if it is not', async () => {
  const { deliver, counts } = await stage(AGAIN);
  for (const text of ['one', 'one', 'other']) expect(await deliver('k', text)).toMatchObject({ kept: true });
  await counts(2, 0);
});

it('a post that trying again cannot help ends among the dead letters if nobody will be told', async () => {
  const { deliver, counts, dead } = await stage(NEVER);
  await deliver('k', 'one', () => false);
  await counts(0, 1);
  expect(await dead()).toEqual(['one']);
});
