import { z } from 'zod';
import { readDeviceAddress } from '../../src/domain/device-address.ts';
import type { DeadJob } from '../../src/domain/jobs.ts';
import { type Audit, reportNumber } from '../../src/ops/audit.ts';
import type { Threads } from '../../src/store/tables.ts';
import type { Deliver } from '../../src/webhook/delivery.ts';
import { formatFor } from '../format/locale.ts';
import { code } from '../format/markdown.ts';
import { type Message, type Place, placeSchema } from '../format/message.ts';
import { auditAnswers } from './audit-answers.ts';
import { givenUp } from './device-answer.ts';
import { questionKey } from './lookup-job.ts';
import { sayNumber } from './report-number.ts';

export type DeadJobsOptions = {
  deliver: Deliver;
  threads: Pick<Threads<Place>, 'find'>;
  sayLater(place: Place, message: Message): Promise<unknown>;
  /** Told of every job that was given up. */
  warn(queue: DeadQueue, reason: string): void;
  audit: Audit;
  now: () => number;
};

export type DeadQueue = 'lookup' | 'post' | 'reply' | 'alert' | 'incident';

const WORDS = {
  lookup: (addresses: string, reason: string) =>
    `I gave up the lookup of ${addresses}, because ${reason}. Please ask again.`,
  alert: (addresses: string, reason: string) =>
    `I gave up an alert with ${addresses}, because ${reason}. Please look the devices up yourself.`,
  reply: (_: string, reason: string) =>
    `I could not deliver an answer to its asker, and gave it up: ${reason}.`,
  noAddress: 'a device',
};

/** What a job may say of itself, whoever wrote it. */
const readable = z.object({
  place: placeSchema.optional().catch(undefined),
  thread: z.string().optional().catch(undefined),
  addresses: z.array(z.string()).catch([]),
  person: z.string().optional().catch(undefined),
  by: z.literal('press').optional().catch(undefined),
  arrivedAt: z.number().optional().catch(undefined),
  firstAt: z.number().optional().catch(undefined),
});

/**
 * Tells who waits for a job that was given up: its asker, the alert's thread, or else the room. A dead post is told to the log
 * alone: its asker was told when it failed, and the room takes no posts.
 */
export function createDeadJobs({ deliver, threads, sayLater, warn, audit, now }: DeadJobsOptions) {
  return (queue: DeadQueue) =>
    async ({ key, data, reason }: DeadJob): Promise<void> => {
      warn(queue, reason);
      if (queue === 'post') return;
      const job = readable.safeParse(data).data;
      const { place, thread, addresses = [] } = job ?? {};
      const answers = addresses.flatMap(readDeviceAddress).map(givenUp);
      const devices = answers.map(({ asked }) => asked).join(', ') || WORDS.noAddress;
      const there = queue === 'lookup' ? place : thread && (await threads.find(thread));
      const number = reportNumber(questionKey(key ?? 'a job'));
      const opening = WORDS[queue === 'lookup' || queue === 'reply' ? queue : 'alert'](devices, reason);
      const words = [opening, ...sayNumber(number, answers, undefined)].join(' ');
      const text = words.replace(devices, code(devices));
      if (there) await sayLater(there, queue === 'lookup' ? { text, mentionsAsker: true } : { text });
      else await deliver(`${key ?? 'a job'} given up`, words);
      auditAnswers(
        audit,
        {
          number,
          by: queue === 'lookup' || queue === 'reply' ? (job?.by ?? 'message') : 'alert',
          person: job?.person,
          place: there || undefined,
          alert: thread,
          askedAt: job?.arrivedAt ?? job?.firstAt,
          answeredAt: now(),
        },
        answers,
        formatFor({}, now),
      );
    };
}
