import type { Logger } from 'pino';
import {
  type AlertIncident,
  type AlertJob,
  alertJobSchema,
  type DeviceJob,
  deviceJobSchema,
  FORM,
  type TellJob,
  tellJobSchema,
} from '../../dialogs/alerts/alert-jobs.ts';
import { type Place, placeSchema } from '../../dialogs/format/message.ts';
import { type LookupJob, lookupJobSchema } from '../../dialogs/lookup/kept-jobs.ts';
import type { Queue, Worker } from '../domain/jobs.ts';
import type { Storm } from '../domain/storm.ts';
import type { Clock, Timing } from '../domain/timing.ts';
import type { DatabaseSettings } from '../store/connection.ts';
import { createQueue, type StartableQueue } from '../store/queues.ts';
import { createRefusals, type Refusals } from '../store/refusals.ts';
import { createSharedRows, type SharedRows } from '../store/shared-rows.ts';
import { createStore, type Store } from '../store/store.ts';
import {
  type Autoreplies,
  createAutoreplies,
  createThreads,
  createWelcomes,
  type Threads,
  type Welcomes,
} from '../store/tables.ts';
import { type ReplyJob, replyJobSchema } from '../teams/reply-job.ts';
import { type PostJob, postJobSchema } from '../webhook/delivery.ts';

type Jobs = {
  lookup: LookupJob;
  post: PostJob;
  reply: ReplyJob;
  alert: AlertJob;
  device: DeviceJob;
  incident: TellJob;
};

/** The worker of each queue. */
type Workers = { [Name in keyof Jobs]: Worker<Jobs[Name]> };

/** The store, its queues and its small tables. */
export type Database = {
  store: Store;
  queues: { [Name in keyof Jobs]: StartableQueue<Jobs[Name]> };
  threads: Threads<Place>;
  incidents: SharedRows<AlertIncident>;
  storms: SharedRows<Storm>;
  autoreplies: Autoreplies;
  welcomes: Welcomes;
  /** Undefined: no other process has the embedded database. */
  refusals: Refusals | undefined;
  /** Sets the workers. They start when the database opens; opening waits for this call. */
  employ(workers: Workers): void;
  /** Counts each queue's jobs. Throws what the store throws. */
  counts(): Promise<Record<keyof Jobs, Awaited<ReturnType<Queue<unknown>['count']>>>>;
  /** Resolves if a server's database will not open however long the bot waits. */
  failure: Promise<Error>;
};

export type DatabaseOptions = {
  /** Called once, when the database is open. */
  onOpened(): void;
  clock: Clock;
  timing: Timing;
  log: Logger;
  onError(error: unknown): void;
};

const LOST =
  'the database is away: quick lookups go on; alerts are refused, and nothing is kept for later, until it is back';

/**
 * Makes the store, its queues and its tables. A server's database opens when `store.open` is called.
 * @throws FolderInUseError, LastingFaultError, an error of the file system
 */
export async function openDatabase(
  settings: DatabaseSettings,
  { onOpened, clock, timing, log, onError }: DatabaseOptions,
): Promise<Database> {
  const employed = Promise.withResolvers<Workers>();
  const failed = Promise.withResolvers<Error>();
  const store = await createStore(settings, {
    onError,
    onLost: (reason) => log.error({ reason }, LOST),
    onBack: (awayMs) => log.info({ awayMs: Math.round(awayMs) }, 'the database is back'),
    onLastingFault: failed.resolve,
    clock: clock.steady,
    async onOpen() {
      const { lookup, post, reply, alert, device, incident } = await employed.promise;
      const started = [
        queues.lookup.start(lookup),
        queues.post.start(post),
        queues.reply.start(reply),
        queues.alert.start(alert),
        queues.device.start(device),
        queues.incident.start(incident),
        ...(refusals ? [refusals.workers] : []),
      ];
      log.info('database open');
      onOpened();
      return started;
    },
  });
  const queues: Database['queues'] = {
    lookup: createQueue(store, { name: 'lookup', schema: lookupJobSchema, timing, onError }),
    post: createQueue(store, { name: 'post', schema: postJobSchema, timing, onError }),
    reply: createQueue(store, { name: 'reply', schema: replyJobSchema, timing, onError }),
    alert: createQueue(store, { name: 'alert', schema: alertJobSchema, timing, onError }),
    device: createQueue(store, { name: 'device', schema: deviceJobSchema, timing, onError }),
    incident: createQueue(store, { name: 'incident', schema: tellJobSchema, timing, onError }),
  };
  const refusals = 'url' in settings ? createRefusals(store, { now: clock.steady, onError }) : undefined;
  return {
    store,
    queues,
    threads: createThreads<Place>(store, (data) => placeSchema.safeParse(data).data),
    incidents: createSharedRows(store, 'incident', FORM),
    storms: createSharedRows(store, 'storm', FORM),
    autoreplies: createAutoreplies(store),
    welcomes: createWelcomes(store),
    refusals,
    employ: employed.resolve,
    failure: failed.promise,
    counts: async () => ({
      lookup: await queues.lookup.count(),
      post: await queues.post.count(),
      reply: await queues.reply.count(),
      alert: await queues.alert.count(),
      device: await queues.device.count(),
      incident: await queues.incident.count(),
    }),
  };
}
