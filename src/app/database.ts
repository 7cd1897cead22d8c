import type { z } from 'zod';
import { incidentSchema } from '../../dialogs/alerts/accept-alert.ts';
import { lookupJobSchema } from '../../dialogs/lookup/lookup-jobs.ts';
import { placeSchema } from '../../dialogs/render/message.ts';
import { watchJobSchema } from '../../dialogs/watch/watches.ts';
import type { Timing } from '../domain/timing.ts';
import type { Health } from '../ops/health.ts';
import type { Queryable } from '../store/dialect.ts';
import { JobQueue, type QueueName } from '../store/queue.ts';
import { SharedRests } from '../store/shared-rests.ts';
import { createStore, type DatabaseSettings, type StoreOptions } from '../store/store.ts';
import { createLock, createRows, createThreads } from '../store/tables.ts';
import { replyJobSchema } from '../teams/chat.ts';
import { postJobSchema } from '../webhook/posts.ts';
import type { AppOptions } from './start.ts';

export type Database = Awaited<ReturnType<typeof openDatabase>>;

type DatabaseParts = Pick<StoreOptions, 'onCommit' | 'onError'> &
  Omit<Required<AppOptions>, 'log'> & { note: Health['note'] };

const AWAY =
  'start it, or make room on its disk. Until then quick lookups go on, alerts are refused, and nothing is kept for later';

/** Makes the store, its queues and its tables. @throws LastingFaultError, an error of the file system */
export async function openDatabase(settings: DatabaseSettings, parts: DatabaseParts) {
  const { onCommit, onError, clock, timing, note } = parts;
  const store = await createStore(settings, {
    onCommit,
    onError,
    onLost: (reason) => note('database', { state: 'away', cure: AWAY, detail: { reason } }),
    onBack: () => note('database'),
    clock: clock.steady,
  });
  const jobs = openQueues(store, timing);
  const rests = new SharedRests(store, { now: clock.steady, onError });
  return {
    store,
    jobs,
    threads: createThreads(store, placeSchema),
    requests: createRows(store, 'alert request'),
    autoreplies: createRows(store, 'autoreply'),
    welcomes: createRows(store, 'welcome'),
    rests,
    lockWatches: createLock(store, 'watches'),
  };
}

function openQueues(store: Queryable, { leaseMs }: Timing) {
  const open = <Data extends object | null>(name: QueueName, schema: z.ZodType<Data>) =>
    new JobQueue(store, { name, schema, leaseMs });
  return {
    lookup: open('lookup', lookupJobSchema),
    post: open('post', postJobSchema),
    reply: open('reply', replyJobSchema),
    alert: open('alert', incidentSchema),
    watch: open('watch', watchJobSchema),
  };
}
