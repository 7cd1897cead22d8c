import { describe, expect, it, vi } from 'vitest';
import type { JobOutcome } from '../../src/domain/jobs.ts';
import { createDelivery, type PostJob, postJobSchema } from '../../src/webhook/delivery.ts';
import { type Answer, record } from '../serve.ts';
import { newFolder, openQueue } from '../store/engines.ts';
import { senderTo } from './sender.ts';

const LONG = { timeout: 30_000, interval: 50 };
const OK = { status: 200 };
const AGAIN = { status: 503 };
const NEVER = { status: 404 };

/** Three pieces, and their text. */
const PIECES = ['a', 'b', 'c'].map((letter) => letter.repeat(9000));
const THREE = PIECES.join('\n');

describe('a post in several pieces', { timeout: 60_000 }, () => {
  it('goes on with the piece that failed, and sends no taken piece again', async () => {
    const { deliver, texts, queue } = await stage(OK, AGAIN, OK, AGAIN, OK);
    expect(await deliver('k', THREE)).toMatchObject({
      outcome: { kind: 'failed' },
      partly: true,
      kept: true,
    });
    const [a, b, c] = PIECES;
    await vi.waitFor(() => expect(texts()).toEqual([a, b, b, c, c]), LONG);
    await vi.waitFor(async () => expect(await queue.count()).toMatchObject({ waiting: 0, dead: 0 }), LONG);
  });

  it('leaves in the dead letters only what was not taken', async () => {
    const { deliver, queue } = await stage(AGAIN, OK, OK, NEVER);
    expect(await deliver('k', THREE)).toMatchObject({ partly: false, kept: true });
    await vi.waitFor(async () => expect(await queue.count()).toMatchObject({ waiting: 0, dead: 1 }), LONG);
    expect((await queue.listDead(1)).map(({ data }) => data.text)).toEqual([PIECES[2]]);
  });

  it('is not kept if trying again cannot help, and says that a part was taken', async () => {
    const { deliver, queue } = await stage(OK, NEVER);
    expect(await deliver('k', THREE)).toMatchObject({
      outcome: { kind: 'not found' },
      partly: true,
      kept: false,
    });
    expect(await queue.count()).toMatchObject({ waiting: 0, dead: 0 });
  });
});

describe('posts under one key', { timeout: 60_000 }, () => {
  it('are one job if their text is the same, and several if it is not', async () => {
    const { deliver, queue } = await stage(AGAIN);
    for (const text of ['one', 'one', 'other'])
      expect(await deliver('k', text)).toMatchObject({ kept: true });
    expect(await queue.count()).toMatchObject({ waiting: 2, dead: 0 });
  });
});

describe('a post that trying again cannot help', { timeout: 60_000 }, () => {
  it('ends among the dead letters if nobody will be told', async () => {
    const { deliver, queue } = await stage(NEVER);
    await deliver('k', 'one', () => false);
    await vi.waitFor(async () => expect(await queue.count()).toMatchObject({ waiting: 0, dead: 1 }), LONG);
    expect((await queue.listDead(1)).map(({ data }) => data.text)).toEqual(['one']);
  });

  it('is not kept if someone will be told', async () => {
    const { deliver, queue } = await stage(NEVER);
    expect(await deliver('k', 'one', () => true)).toMatchObject({ kept: false });
    expect(await queue.count()).toMatchObject({ waiting: 0, dead: 0 });
  });
});

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
  return { ...delivery, queue, texts };
}
