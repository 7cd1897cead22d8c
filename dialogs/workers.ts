import type { DeadJob, Work, Worker } from '../src/domain/jobs.ts';
import type { PostJob } from '../src/webhook/posts.ts';
import type { AlertParts, IncidentData } from './alerts/accept-alert.ts';
import { createIncidentWork } from './alerts/incident-work.ts';
import { type DeadQueue, reportDeadJob } from './lookup/dead-jobs.ts';
import { reportNumber } from './lookup/finish-lookup.ts';
import { type LookupJob, resumeLookup } from './lookup/lookup-jobs.ts';
import type { WatchJob, WatchParts } from './watch/watches.ts';
import { createWatchWork, endDeadWatches } from './watch/work.ts';

export type JobsByQueue<Reply> = {
  lookup: LookupJob;
  post: PostJob;
  reply: Reply;
  alert: IncidentData;
  watch: WatchJob;
};
export type WorkersByQueue<Reply> = { [Name in keyof JobsByQueue<Reply>]: Worker<JobsByQueue<Reply>[Name]> };

/** The work on each queue's jobs, which goes on after a turn and after a restart. @param retryReply belongs to the chat side */
export function createWorkers<Reply>(
  bot: AlertParts & WatchParts,
  retryReply: Work<Reply>,
): WorkersByQueue<Reply> {
  const onDead = (queue: DeadQueue) => (dead: DeadJob) => reportDeadJob(queue, dead, bot);
  /** Log lines of the work have the question's number. */
  const numbered =
    <Data extends object | null>(work: Work<Data>): Work<Data> =>
    (job) => {
      const { number = reportNumber(job.key) }: { number?: number | undefined } = job.data ?? {};
      return bot.withNumber(number, () => work(job));
    };
  return {
    lookup: { work: numbered((job) => resumeLookup(job, bot)), onDead: onDead('lookup') },
    post: { work: numbered((job) => bot.room.work(job)), onDead: onDead('post') },
    reply: { work: retryReply, onDead: onDead('reply') }, // Its key is random, so it has no question's number.
    alert: { work: numbered(createIncidentWork(bot)), onDead: onDead('alert') },
    watch: { work: numbered(createWatchWork(bot)), onDead: (dead) => endDeadWatches(dead, bot) },
  };
}
