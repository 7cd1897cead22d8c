import type { DeadJob, Work } from '../src/domain/jobs.ts';
import type { PostJob } from '../src/webhook/posts.ts';
import type { AlertParts } from './alerts/accept-alert.ts';
import { createIncidentWork } from './alerts/incident-work.ts';
import { type DeadQueue, reportDeadJob } from './lookup/dead-jobs.ts';
import { reportNumber } from './lookup/device-lookups.ts';
import { type LookupJob, resumeLookup } from './lookup/lookup-jobs.ts';
import { createWatchWork, endDeadWatches, type WatchParts } from './watch/watches.ts';

export type Workers = ReturnType<typeof createWorkers>;

/** The work on each queue's jobs, which goes on after a turn and after a restart. Replies are tried again by the chat side. */
export function createWorkers(bot: AlertParts & WatchParts) {
  const onDead = (queue: DeadQueue) => (dead: DeadJob) => reportDeadJob(queue, dead, bot);
  /** Log lines of the work have the question's number. */
  const numbered =
    <Data extends object | null>(work: Work<Data>): Work<Data> =>
    (job) => {
      const { number = reportNumber(job.key) }: { number?: number | undefined } = job.data ?? {};
      return bot.withNumber(number, () => work(job));
    };
  return {
    lookup: { work: numbered<LookupJob>((job) => resumeLookup(job, bot)), onDead: onDead('lookup') },
    post: { work: numbered<PostJob>((job) => bot.room.work(job)), onDead: onDead('post') },
    reply: { onDead: onDead('reply') },
    alert: { work: numbered(createIncidentWork(bot)), onDead: onDead('alert') },
    watch: { work: numbered(createWatchWork(bot)), onDead: (dead: DeadJob) => endDeadWatches(dead, bot) },
  };
}
