import type { Queue, Work, Worker } from '../src/domain/jobs.ts';
import type { Deliver, PostJob } from '../src/webhook/delivery.ts';
import { type AlertJob, createAlertWork } from './alerts/alert-work.ts';
import type { DeviceJob, TellJob, TellOptions } from './alerts/tell.ts';
import { type AlertsOptions, createAlerts } from './commands/alerts.ts';
import { createAutoreply } from './commands/autoreply.ts';
import { type ConnectOptions, createConnect, createDisconnect } from './commands/connect.ts';
import { createFields } from './commands/fields.ts';
import { createHelp } from './commands/help.ts';
import { createLookup } from './commands/lookup.ts';
import { type AllKeptJobs, createKeptJobs, createPosts, createRoomNotice } from './commands/posts.ts';
import { createRecent } from './commands/recent.ts';
import { createStatus, type StatusOptions } from './commands/status.ts';
import type { Conversations, Dialog, Services, WithNumber } from './dialog.ts';
import { createExplanations, type ExplainOptions } from './lookup/explain.ts';
import {
  createDeadJobs,
  createKeptLookups,
  type DeadJobsOptions,
  type DeadQueue,
  type LookupJob,
} from './lookup/kept-lookups.ts';
import { createReport, reportNumber } from './lookup/report.ts';
import { createRecentLookups, type RecentLookups } from './lookup/told.ts';
import { createMessageExtension } from './message-extension.ts';

export type Jobs<Reply> = {
  lookup: LookupJob;
  post: PostJob;
  reply: Reply;
  alert: AlertJob;
  device: DeviceJob;
  incident: TellJob;
};
export type Workers<Reply> = { [Name in keyof Jobs<Reply>]: Worker<Jobs<Reply>[Name]> };

type ConversationsOptions<Reply> = ExplainOptions &
  Pick<TellOptions, 'incidents' | 'storms'> &
  Pick<DeadJobsOptions, 'warn'> &
  Omit<DialogsOptions, 'lookup' | 'recent' | 'kept' | 'acceptAlert' | 'seesNobody'> & {
    /** Posts to the room for jobs, which start again if their process dies. */
    deliverForJobs: Deliver;
    /** How many posts the room refused for good since the start. */
    refusedPosts(): number;
    withNumber: WithNumber;
    retryPost: Worker<PostJob>['work'];
    retryReply: Worker<Reply>['work'];
    queues: { [Name in keyof Jobs<Reply>]: Queue<Jobs<Reply>[Name]> };
  };

/** What people and monitoring systems can ask, and the work on jobs that goes on after a turn. */
export function openConversations<Reply extends { firstAt: number; attempt: number }>(
  options: ConversationsOptions<Reply>,
) {
  const { queues, deliverForJobs: deliver, retryPost, retryReply, now } = options;
  const explanations = createExplanations(options);
  const recent = createRecentLookups();
  const telling = { ...options, explanations, remember: recent.note };
  const report = createReport(telling);
  const keptReport = createReport({ ...telling, deliver });
  const keptLookups = createKeptLookups({ ...options, jobs: queues.lookup, report: keptReport });
  const alerts = createAlertWork({ ...telling, deliver });
  const onDead = createDeadJobs({ ...options, deliver, giveUpDevice: alerts.giveUp });
  const lookup = createLookup({ ...options, kept: keptLookups, report, recent });
  const kept: AllKeptJobs = {
    Posts: {
      ...createKeptJobs(queues.post, ({ text }) => text, now),
      count: async () => ({ ...(await queues.post.count()), refused: options.refusedPosts() }),
    },
    Lookups: createKeptJobs(queues.lookup, ({ addresses }) => `lookup ${addresses.join(' ')}`, now),
    Answers: createKeptJobs(queues.reply, () => 'an answer', now),
    Alerts: createKeptJobs(queues.alert, ({ addresses }) => `alert ${addresses.join(' ')}`, now),
  };
  function worker<Data extends object>(queue: DeadQueue, work: Work<Data>): Worker<Data> {
    const numbered: Work<Data> = (data, key, seq) => {
      const { number = reportNumber(key) }: { number?: number | undefined } = data;
      return options.withNumber(number, () => work(data, key, seq));
    };
    return { work: numbered, onDead: onDead(queue) };
  }
  const workers: Workers<Reply> = {
    lookup: worker('lookup', keptLookups.resume),
    post: worker('post', retryPost),
    reply: { work: retryReply, onDead: onDead('reply') }, // Its key is of chance, so it has no question's number.
    alert: worker('alert', alerts.alert),
    device: worker('device', alerts.device),
    incident: worker('incident', alerts.incident),
  };
  return {
    dialogs: createDialogs({ ...options, ...explanations, lookup, recent, kept, acceptAlert: alerts.accept }),
    extension: createMessageExtension({ ...options, report }),
    acceptAlert: alerts.accept,
    noticeFor: createRoomNotice(options),
    supersede: keptLookups.supersede,
    seesNobody: explanations.seesNobody,
    workers,
  };
}

type DialogsOptions = Services &
  StatusOptions &
  ConnectOptions &
  AlertsOptions & { lookup: Dialog; recent: RecentLookups; autoreplies: Conversations };

/** All commands, in the order of `help` and of the app's menu. */
export function createDialogs(options: DialogsOptions): readonly Dialog[] {
  const dialogs: readonly Dialog[] = [
    options.lookup,
    createFields({ ...options, remember: options.recent.note }),
    createRecent(options),
    createStatus(options),
    createConnect(options),
    createDisconnect(options),
    createPosts(options),
    createAlerts(options),
    createAutoreply(options),
    createHelp(() => dialogs),
  ];
  return dialogs;
}
