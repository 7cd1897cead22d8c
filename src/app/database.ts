import type { z } from 'zod';
import { incidentSchema } from '../../dialogs/alerts/accept-alert.ts';
import { lookupJobSchema } from '../../dialogs/lookup/lookup-jobs.ts';
import { placeSchema } from '../../dialogs/render/message.ts';
import { watchJobSchema } from '../../dialogs/watch/watches.ts';
import type { Workers } from '../../dialogs/workers.ts';
import type { Work, Worker } from '../domain/jobs.ts';
import type { Timing } from '../domain/timing.ts';
import type { Health } from '../ops/health.ts';
import type { Queryable } from '../store/dialect.ts';
import { JobQueue, type QueueName } from '../store/queue.ts';
import { SharedRests } from '../store/shared-rests.ts';
import { createStore, type DatabaseSettings, type StoreOptions } from '../store/store.ts';
import { createLock, createRows, createThreads } from '../store/tables.ts';
import { QueueWorkers } from '../store/workers.ts';
import { type ReplyJob, replyJobSchema } from '../teams/chat.ts';
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
    /** Opens the database, and starts the workers. Resolves if it will not open however long the bot waits. */
    open(workers: Workers, retryReply: Work<ReplyJob>, onOpened: () => void): Promise<Error> {
      const reply = { ...workers.reply, work: retryReply };
      const start = () => {
        note('database');
        onOpened();
        return [...startWorkers(jobs, { ...workers, reply }, { timing, onError }), rests];
      };
      // A refusal or a pause of the process before counts from the first question on.
      return store.open(start, () => rests.wake());
    },
    counts: () => countJobs(jobs),
  };
}

type WorkerOptions = { timing: Timing; onError(error: unknown): void };

function startWorkers(
  jobs: Queues,
  { lookup, post, reply, alert, watch }: Workers & { reply: Worker<ReplyJob> },
  options: WorkerOptions,
) {
  const start = <Data extends object | null>(queue: JobQueue<Data>, worker: Worker<Data>, places?: number) =>
    new QueueWorkers(queue, worker, { ...options, places });
  return [
    start(jobs.lookup, lookup),
    start(jobs.post, post),
    start(jobs.reply, reply),
    start(jobs.alert, alert),
    start(jobs.watch, watch, 1), // The NAC is asked for one watched device at a time.
  ];
}

type Queues = ReturnType<typeof openQueues>;

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

/** Counts the jobs of each queue. Watches are counted one by one elsewhere. */
async function countJobs({ watch: _, ...jobs }: Queues) {
  const counts = Object.entries(jobs).map(async ([name, queue]) => [name, await queue.count()] as const);
  return Object.fromEntries(await Promise.all(counts));
}
