import type { DeadJob, Work, Worker } from '../src/domain/jobs.ts';
import type { PostJob } from '../src/webhook/posts.ts';
import {
  type AlertJob,
  type AlertParts,
  giveUpDevice,
  lookUpDevice,
  takeUpAlert,
} from './alerts/alert-work.ts';
import { type DeviceJob, type TellJob, tell } from './alerts/tell.ts';
import { type DeadQueue, reportDeadJob } from './lookup/dead-jobs.ts';
import { type LookupJob, resumeLookup } from './lookup/lookup-jobs.ts';
import { reportNumber } from './lookup/report.ts';

export type JobsByQueue<Reply> = {
  lookup: LookupJob;
  post: PostJob;
  reply: Reply;
  alert: AlertJob;
  device: DeviceJob;
  incident: TellJob;
};
export type WorkersByQueue<Reply> = { [Name in keyof JobsByQueue<Reply>]: Worker<JobsByQueue<Reply>[Name]> };

/** The work on each queue's jobs, which goes on after a turn and after a restart. @param retryReply belongs to the chat side */
export function createWorkers<Reply>(bot: AlertParts, retryReply: Work<Reply>): WorkersByQueue<Reply> {
  const onDead = (queue: DeadQueue) => (dead: DeadJob) => reportDeadJob(queue, dead, bot);
  /** Log lines of the work have the question's number. */
  const numbered =
    <Data extends object>(work: Work<Data>): Work<Data> =>
    (job) => {
      const { number = reportNumber(job.key) }: { number?: number | undefined } = job.data;
      return bot.withNumber(number, () => work(job));
    };
  return {
    lookup: { work: numbered((job) => resumeLookup(job, bot)), onDead: onDead('lookup') },
    post: { work: numbered(bot.room.work), onDead: onDead('post') },
    reply: { work: retryReply, onDead: onDead('reply') }, // Its key is random, so it has no question's number.
    alert: { work: numbered((job) => takeUpAlert(job, bot)), onDead: onDead('alert') },
    device: {
      work: numbered((job) => lookUpDevice(job, bot)),
      async onDead({ data, reason }) {
        bot.log.error({ queue: 'device', reason }, 'a job was given up');
        await giveUpDevice(data, bot);
      },
    },
    incident: { work: numbered(({ data }) => tell(data, bot)), onDead: onDead('incident') },
  };
}
