import type { Logger } from 'pino';
import { type Place, placeSchema } from '../../dialogs/format/message.ts';
import { type AlertJob, alertJobSchema } from '../../dialogs/jobs/alert-job.ts';
import { type Incident, incidentSchema } from '../../dialogs/jobs/incident.ts';
import { type LookupJob, lookupJobSchema } from '../../dialogs/jobs/lookup-job.ts';
import { type ReplyJob, replyJobSchema } from '../bot/replies/reply-job.ts';
import type { DatabaseSettings } from '../store/connection.ts';
import { createIncidents, type Incidents } from '../store/incidents.ts';
import { createQueue, type Queue } from '../store/queues.ts';
import { createRefusals, type Refusals } from '../store/refusals.ts';
import type { Store } from '../store/store.ts';
import {
  type Autoreplies,
  createAutoreplies,
  createStoredChats,
  createThreads,
  createWelcomes,
  type StoredChats,
  type Threads,
  type Welcomes,
} from '../store/tables.ts';
import type { Worker } from '../store/workers.ts';
import { steadyNow } from '../time/steady.ts';
import { type PostJob, postJobSchema } from '../webhook/delivery.ts';
import { backgroundFaults } from './fault.ts';
import type { Opening } from './store.ts';

/** The worker of each queue. */
export type Staff = {
  lookup: Worker<LookupJob>;
  post: Worker<PostJob>;
  reply: Worker<ReplyJob>;
  alert: Worker<AlertJob>;
};

/** The store, its queues and its small tables. */
export type Database = {
  store: Store;
  queues: {
    lookup: Queue<LookupJob>;
    post: Queue<PostJob>;
    reply: Queue<ReplyJob>;
    alert: Queue<AlertJob>;
  };
  threads: Threads<Place>;
  incidents: Incidents<Incident>;
  autoreplies: Autoreplies;
  welcomes: Welcomes;
  personalChats: StoredChats<Place>;
  /** Undefined: no other process has the embedded database. */
  refusals: Refusals | undefined;
  /** Sets the workers. They start when the database opens; opening waits for this call. */
  employ(staff: Staff): void;
};

/** Makes the queues and tables of a store. */
export function createDatabase(
  settings: DatabaseSettings,
  { store, employ }: Opening,
  log: Logger,
): Database {
  const onError = backgroundFaults(log);
  const queues = {
    lookup: createQueue(store, { name: 'lookup', schema: lookupJobSchema, onError }),
    post: createQueue(store, { name: 'post', schema: postJobSchema, onError }),
    reply: createQueue(store, { name: 'reply', schema: replyJobSchema, onError }),
    alert: createQueue(store, { name: 'alert', schema: alertJobSchema, onError }),
  };
  const refusals = 'url' in settings ? createRefusals(store, { now: steadyNow, onError }) : undefined;
  return {
    store,
    queues,
    threads: createThreads<Place>(store, (data) => placeSchema.safeParse(data).data),
    incidents: createIncidents(store, (data) => incidentSchema.safeParse(data).data, onError),
    autoreplies: createAutoreplies(store),
    welcomes: createWelcomes(store),
    personalChats: createStoredChats<Place>(store, (data) => placeSchema.safeParse(data).data),
    refusals,
    employ: ({ lookup, post, reply, alert }) =>
      employ(() => [
        queues.lookup.start(lookup),
        queues.post.start(post),
        queues.reply.start(reply),
        queues.alert.start(alert),
        ...(refusals ? [refusals.workers] : []),
      ]),
  };
}
