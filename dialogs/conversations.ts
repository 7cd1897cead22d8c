import type { Vault } from '../src/credentials/vault.ts';
import type { JobOutcome, Queue, Worker } from '../src/domain/jobs.ts';
import type { Lookup } from '../src/domain/outcome.ts';
import type { Timing } from '../src/domain/timing.ts';
import type { Audit } from '../src/ops/audit.ts';
import type { Autoreplies, Threads } from '../src/store/tables.ts';
import type { Deliver, HandOver, PostJob } from '../src/webhook/delivery.ts';
import {
  type Accepted,
  type Alert,
  type AlertJob,
  acceptAlert,
  type DeviceJob,
  type TellJob,
} from './alerts/alert-jobs.ts';
import { createAlertWork } from './alerts/alert-work.ts';
import type { TellOptions } from './alerts/tell.ts';
import { type AlertsOptions, createAlerts } from './commands/alerts.ts';
import { createAutoreply } from './commands/autoreply.ts';
import { type ConnectOptions, createConnect, createDisconnect } from './commands/connect.ts';
import { createFields, type FieldsOptions } from './commands/fields.ts';
import { createHelp } from './commands/help.ts';
import { createLookup } from './commands/lookup.ts';
import { createPosts } from './commands/posts.ts';
import { createRecent, createRecentLookups, type RecentLookups } from './commands/recent.ts';
import { createStatus, type StatusOptions } from './commands/status.ts';
import type { Dialog, Limits } from './dialog.ts';
import type { Message, Place } from './format/message.ts';
import { createExplain, type ExplainOptions } from './lookup/attempts.ts';
import {
  type AllKeptJobs,
  createDeadJobs,
  createKeptJobs,
  type DeadQueue,
  type LookupJob,
} from './lookup/kept-jobs.ts';
import { createKeptLookups } from './lookup/kept-lookups.ts';
import { createReport } from './lookup/report.ts';
import { createMessageExtension, type MessageExtension } from './message-extension.ts';

/** A reply that waits in the database, as far as it matters here. */
type KeptReply = { firstAt: number; attempt: number };

export type ConversationsOptions<Reply extends KeptReply> = {
  lookUp: Lookup;
  /** What explains an answer; see {@link ExplainOptions}. */
  nac: Pick<ExplainOptions, 'history'>;
  /** Posts to the room in a turn, and for jobs, which start again if their process dies. */
  deliver: Deliver;
  deliverForJobs: Deliver;
  handOver: HandOver;
  retryPost: Worker<PostJob>['work'];
  replies: {
    sayLater(place: Place, message: Message): Promise<string | undefined>;
    replaceLater(place: Place, messageId: string, message: Message): Promise<boolean>;
    retry(job: Reply): Promise<JobOutcome<Reply>>;
  };
  queues: {
    lookup: Queue<LookupJob>;
    post: Queue<PostJob>;
    reply: Queue<Reply>;
    alert: Queue<AlertJob>;
    device: Queue<DeviceJob>;
    incident: Queue<TellJob>;
  };
  threads: Threads<Place>;
  incidents: TellOptions['incidents'];
  storms: TellOptions['storms'];
  autoreplies: Autoreplies;
  vault: Vault;
  status: Omit<StatusOptions, 'vault' | 'kept' | 'onError'>;
  connect: Omit<ConnectOptions, 'vault' | 'now'>;
  alerts: Pick<AlertsOptions, 'areAlertsOn' | 'publicUrl'>;
  nacLink: string | undefined;
  limits: Limits;
  audit: Audit;
  /** Told of every job that was given up. */
  warn(queue: DeadQueue | 'device', reason: string): void;
  now: () => number;
  timing: Timing;
  onError(error: unknown): void;
};

/** What people and monitoring systems can ask, and the work on jobs that goes on after a turn. */
export type Conversations<Reply> = {
  dialogs: readonly Dialog[];
  extension: MessageExtension;
  /** Stores an alert; a worker tells it. */
  acceptAlert(alert: Alert): Promise<Accepted>;
  /** Gives up what is still to be answered of a question, because an edit of it was answered. Never rejects. */
  supersede(key: string): Promise<void>;
  workers: {
    lookup: Worker<LookupJob>;
    post: Worker<PostJob>;
    reply: Worker<Reply>;
    alert: Worker<AlertJob>;
    device: Worker<DeviceJob>;
    incident: Worker<TellJob>;
  };
};

/** Puts the dialogs and their jobs together. */
export function openConversations<Reply extends KeptReply>(
  options: ConversationsOptions<Reply>,
): Conversations<Reply> {
  const { lookUp, deliver, queues, threads, vault, limits, audit, nacLink, now, timing, onError } = options;
  const { sayLater, replaceLater } = options.replies;
  const explain = createExplain({ history: options.nac.history, onError });
  const recent = createRecentLookups();
  const telling = { explain, remember: recent.note, audit, sayLater, replaceLater, nacLink, now };
  const reportOfJobs = createReport({ ...telling, deliver: options.deliverForJobs });
  const kept = createKeptLookups({
    lookUp,
    jobs: queues.lookup,
    report: reportOfJobs,
    now,
    timing,
    onError,
  });
  const accept = (alert: Alert) => acceptAlert(alert, { queue: queues.alert, threads, now });
  const keptJobs = allKeptJobs(options);
  const report = createReport({ ...telling, deliver });
  return {
    dialogs: createDialogs({
      lookup: createLookup({ lookUp, kept, report, limits, now, timing }),
      fields: { lookUp, audit, limits, turnMs: timing.turnMs, nacLink, now, onError },
      recent,
      status: { ...options.status, vault, kept: keptJobs, onError },
      connect: { ...options.connect, vault, now },
      kept: keptJobs,
      alerts: { ...options.alerts, threads, acceptAlert: accept, sayLater, now },
      autoreplies: options.autoreplies,
    }),
    extension: createMessageExtension({ ...options, explain }),
    acceptAlert: accept,
    supersede: kept.supersede,
    workers: workersOf(options, { explain, resume: kept.resume }),
  };
}

function workersOf<Reply extends KeptReply>(
  options: ConversationsOptions<Reply>,
  { explain, resume }: { explain: ReturnType<typeof createExplain>; resume: Worker<LookupJob>['work'] },
): Conversations<Reply>['workers'] {
  const { replies, threads, deliverForJobs: deliver, warn, audit, now } = options;
  const { sayLater } = replies;
  const onDead = createDeadJobs({ deliver, threads, sayLater, warn, audit, now });
  const alerts = createAlertWork({ ...options, ...replies, deliver, explain });
  return {
    lookup: { work: resume, onDead: onDead('lookup') },
    post: { work: options.retryPost, onDead: onDead('post') },
    reply: { work: replies.retry, onDead: onDead('reply') },
    alert: { work: alerts.alert, onDead: onDead('alert') },
    device: {
      work: alerts.device,
      async onDead({ data, reason }) {
        warn('device', reason);
        await alerts.giveUp(data);
      },
    },
    incident: { work: alerts.incident, onDead: onDead('incident') },
  };
}

function allKeptJobs<Reply extends KeptReply>({ queues, now }: ConversationsOptions<Reply>): AllKeptJobs {
  const { post, lookup, reply, alert } = queues;
  return {
    Posts: createKeptJobs(post, ({ text }) => text, now),
    Lookups: createKeptJobs(lookup, ({ addresses }) => `lookup ${addresses.join(' ')}`, now),
    Answers: createKeptJobs(reply, () => 'an answer', now),
    Alerts: createKeptJobs(alert, ({ addresses }) => `alert ${addresses.join(' ')}`, now),
  };
}

export type DialogsOptions = {
  lookup: Dialog;
  fields: FieldsOptions;
  recent: RecentLookups;
  status: StatusOptions;
  connect: ConnectOptions;
  kept: AllKeptJobs;
  alerts: AlertsOptions;
  autoreplies: Autoreplies;
};

/** All commands, in the order of `help` and of the app's menu. */
export function createDialogs(options: DialogsOptions): readonly Dialog[] {
  const dialogs: readonly Dialog[] = [
    options.lookup,
    createFields(options.fields),
    createRecent(options),
    createStatus(options.status),
    createConnect(options.connect),
    createDisconnect(options.connect),
    createPosts(options),
    createAlerts(options.alerts),
    createAutoreply(options),
    createHelp(() => dialogs),
  ];
  return dialogs;
}
