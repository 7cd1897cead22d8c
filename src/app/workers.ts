import { createIncidentWork } from '../../dialogs/alerts/incident-work.ts';
import { reportDeadJob } from '../../dialogs/lookup/dead-jobs.ts';
import { reportNumber } from '../../dialogs/lookup/job-keys.ts';
import { resumeLookup } from '../../dialogs/lookup/lookup-jobs.ts';
import { endDeadWatches, workOnWatches } from '../../dialogs/watch/watches.ts';
import type { DeadJob, Work } from '../domain/jobs.ts';
import type { JobQueue } from '../store/queue.ts';
import { type BackgroundWork, QueueWorkers } from '../store/workers.ts';
import type { AppParts } from './parts.ts';

type Parts = Pick<AppParts, 'bot' | 'chat' | 'database'>;

/** Starts the work on each queue's jobs, which goes on after a turn and after a restart. */
export function startWorkers({ bot, chat, database }: Parts): BackgroundWork[] {
  const { timing, onError } = bot;
  const { jobs, rests } = database;
  /** Log lines of the work have the question's number. */
  const numbered =
    <Data extends object | null>(work: Work<Data>): Work<Data> =>
    (job) =>
      bot.withNumber(reportNumber(job.key), () => work(job));
  const start = <Data extends object | null>(queue: JobQueue<Data>, work: Work<Data>) => {
    const { name } = queue;
    const onDead = (dead: DeadJob) =>
      name === 'watch' ? endDeadWatches(dead, bot) : reportDeadJob(name, dead, bot);
    const worker = { work: name === 'reply' ? work : numbered(work), onDead }; // A reply's job has no number.
    // The NAC is asked for one watched device at a time, and a room that asks for a pause gets one post before it.
    const places = name === 'watch' || name === 'post' ? 1 : undefined;
    return new QueueWorkers(queue, worker, { timing, places, onError });
  };
  return [
    start(jobs.lookup, (job) => resumeLookup(job, bot)),
    start(jobs.post, (job) => bot.room.work(job)),
    start(jobs.reply, (job) => chat.work(job)),
    start(jobs.alert, createIncidentWork(bot)),
    start(jobs.watch, (job) => workOnWatches(job, bot)),
    rests,
  ];
}
