import { systemClock } from '../../src/app/start.ts';
import { Secret } from '../../src/domain/secret.ts';
import { TIMING } from '../../src/domain/timing.ts';
import { createPauses } from '../../src/store/pauses.ts';
import { JobQueue } from '../../src/store/queues.ts';
import type { DatabaseSettings } from '../../src/store/store.ts';
import { postJobSchema, Room } from '../../src/webhook/posts.ts';
import { createSender } from '../../src/webhook/sender.ts';
import { openUpstream } from '../serve.ts';
import { opened, openStore } from '../store/engines.ts';

/** One process that posts to the room behind this base address, with its queue. */
export async function openRoom(url: string, database: DatabaseSettings) {
  const store = await openStore(database, {
    start: () => [queue.start({ work: (job) => room.work(job), onDead }), pauses],
  });
  const onError = (error: unknown) => void store.errors.push(error);
  const timing = { ...TIMING, posts: { firstMs: 300, maxMs: 60_000 } };
  const queue = new JobQueue(store, { name: 'post', schema: postJobSchema, timing, onError });
  const pauses = createPauses(store, { now: systemClock.steady, onError });
  const address = { base: new URL(url), form: 'v2', token: new Secret('room-token') } as const;
  const send = createSender({ upstream: openUpstream(), address: () => address, pauses });
  const outcomes: string[] = [];
  const onOutcome = ({ kind }: { kind: string }) => void outcomes.push(kind);
  const room = new Room({ send, onOutcome, queue, readPause: pauses.read, timing, onError });
  await opened(store);
  const post: Room['post'] = (...args) => room.post(...args);
  return { store, queue, pauses, outcomes, post };
}

const onDead = async () => {};
