import type { z } from 'zod';
import { incidentSchema } from '../../dialogs/alerts/accept-alert.ts';
import { lookupJobSchema } from '../../dialogs/lookup/lookup-jobs.ts';
import { placeSchema } from '../../dialogs/render/message.ts';
import { watchJobSchema } from '../../dialogs/watch/watches.ts';
import type { JobsByQueue, WorkersByQueue } from '../../dialogs/workers.ts';
import type { Timing } from '../domain/timing.ts';
import type { Health } from '../ops/health.ts';
import type { Queryable } from '../store/dialect.ts';
import { createPauses } from '../store/pauses.ts';
import { JobQueue, type QueueName } from '../store/queues.ts';
import { Refusals } from '../store/refusals.ts';
import { createStore, type DatabaseSettings, type StoreOptions } from '../store/store.ts';
import { createLock, createRows, createThreads } from '../store/tables.ts';
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
  const jobs = openQueues(store, timing, onError);
  const refusals = new Refusals(store, { now: clock.steady, onError });
  const pauses = createPauses(store, { now: clock.steady, onError });
  return {
    store,
    jobs,
    threads: createThreads(store, placeSchema),
    requests: createRows(store, 'alert request'),
    autoreplies: createRows(store, 'autoreply'),
    welcomes: createRows(store, 'welcome'),
    refusals,
    lockWatches: createLock(store, 'watches'),
    pauses,
    /** Opens the database, and starts the workers. Resolves if it will not open however long the bot waits. */
    open(workers: WorkersByQueue<ReplyJob>, onOpened: () => void): Promise<Error> {
      const start = <Name extends QueueName>(name: Name) => jobs[name].start(workers[name]);
      const startAll = () => {
        note('database');
        onOpened();
        return [...namesOf(jobs).map((name) => start(name)), refusals, pauses];
      };
      // A refusal or a pause of the process before counts from the first question on.
      return store.open(startAll, () => Promise.all([refusals.wake(), pauses.wake()]));
    },
    counts: () => countJobs(jobs),
  };
}

type Queues = { [Name in QueueName]: JobQueue<JobsByQueue<ReplyJob>[Name]> };

function openQueues(store: Queryable, timing: Timing, onError: (error: unknown) => void): Queues {
  const open = <Data extends object | null>(name: QueueName, schema: z.ZodType<Data>, places?: number) =>
    new JobQueue(store, { name, schema, timing, places, onError });
  return {
    lookup: open('lookup', lookupJobSchema),
    post: open('post', postJobSchema),
    reply: open('reply', replyJobSchema),
    alert: open('alert', incidentSchema),
    watch: open('watch', watchJobSchema, 1), // The NAC is asked for one watched device at a time.
  };
}

const namesOf = (jobs: Queues) => Object.keys(jobs) as QueueName[];

/** Counts the jobs of each queue. Watches are counted one by one elsewhere. */
async function countJobs(jobs: Queues) {
  const counted = namesOf(jobs).filter((name) => name !== 'watch');
  const counts = counted.map(async (name) => [name, await jobs[name].count()] as const);
  return Object.fromEntries(await Promise.all(counts));
}
