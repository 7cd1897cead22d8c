import { systemClock } from '../../src/app/start.ts';
import { Secret } from '../../src/domain/secret.ts';
import { TIMING } from '../../src/domain/timing.ts';
import type { DatabaseSettings } from '../../src/store/dialect.ts';
import { JobQueue } from '../../src/store/queue.ts';
import { SharedRests } from '../../src/store/tables.ts';
import { QueueWorkers } from '../../src/store/workers.ts';
import { postJobSchema, Room } from '../../src/webhook/sender.ts';
import { openUpstream } from '../serve.ts';
import { opened, openStore } from '../store/engines.ts';

/** One process that posts to the room behind this base address, with its queue. Without `isWaiting` its store is not open. */
export async function openRoom(url: string, database: DatabaseSettings, isWaiting = true) {
  const store = await openStore(database, {
    start: () => [
      new QueueWorkers(queue, { work: (job) => room.work(job), onDead, timing, places: 1, onError }),
      rests,
    ],
  });
  const onError = (error: unknown) => void store.errors.push(error);
  const timing = { ...TIMING, posts: { firstMs: 300, maxMs: 60_000 } };
  const queue = new JobQueue(store, { name: 'post', schema: postJobSchema, leaseMs: timing.leaseMs });
  const rests = new SharedRests({ query: store.query, now: systemClock.steady, onError });
  const address = { base: new URL(url), form: 'v2' as const, token: new Secret('room-token') };
  const outcomes: string[] = [];
  const onOutcome = ({ kind }: { kind: string }) => void outcomes.push(kind);
  const way = { upstream: openUpstream(), address: new Secret(address), rests, steady: systemClock.steady };
  const room = new Room({ ...way, onOutcome, queue, timing, onError });
  if (isWaiting) await opened(store);
  const post: Room['post'] = (...args) => room.post(...args);
  return { store, queue, rests, outcomes, post };
}

const onDead = async () => {};
