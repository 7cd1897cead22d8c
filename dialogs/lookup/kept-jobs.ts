import { z } from 'zod';
import { readDeviceAddress } from '../../src/domain/device-address.ts';
import type { DeadJob, DeadLetters } from '../../src/domain/jobs.ts';
import type { Services } from '../dialog.ts';
import { code } from '../format/line.ts';
import { type Format, formatFor } from '../format/locale.ts';
import { placeSchema } from '../format/message.ts';
import { givenUp, sayNumber } from './device-answer.ts';
import { shownBeforeSchema } from './difference.ts';
import { type Audited, auditAnswers, reportNumber } from './report.ts';

/** The jobs that wait, and those that were given up. */
type Counts = { waiting: number; dead: number };
type Counted = { count(): Promise<Counts> };

/** The jobs of one queue as an administrator sees them. */
export type KeptJobs = Counted & {
  /** The oldest jobs that were given up, each in words; foreign text. */
  listDead(limit: number): Promise<ReadonlyArray<{ words: string; at: Date }>>;
  /** Gives all that were given up back, their time begun anew. @returns how many */
  retryDead(): Promise<number>;
  /** Forgets all that were given up. @returns how many */
  dropDead(): Promise<number>;
};

/** The queues, by what people call their jobs. */
export type AllKeptJobs = Readonly<Record<'Posts' | 'Lookups' | 'Answers' | 'Alerts', KeptJobs>>;

export function createKeptJobs<Data extends { firstAt: number; attempt: number }>(
  queue: Counted & DeadLetters<Data>,
  sayJob: (data: Data) => string,
  now: () => number,
): KeptJobs {
  return {
    count: queue.count,
    listDead: async (limit) =>
      (await queue.listDead(limit)).map(({ data, at }) => ({ words: sayJob(data), at })),
    retryDead: () => queue.retryDead((data) => ({ ...data, firstAt: now(), attempt: 0 })),
    dropDead: queue.dropDead,
  };
}

/** How many jobs of one queue wait and were given up. */
export type KeptCount = Counts & { name: string };

/** Counts each queue's jobs. Throws what the database throws. */
export function readCounts(all: AllKeptJobs): Promise<KeptCount[]> {
  return Promise.all(Object.entries(all).map(async ([name, { count }]) => ({ name, ...(await count()) })));
}

/** A line a queue. Only posts are told of when there are none. */
export function sayCounts(counts: readonly KeptCount[], { number }: Format): string[] {
  return counts
    .filter(({ name, waiting, dead }) => name === 'Posts' || waiting + dead > 0)
    .map(({ name, waiting, dead }) => `${name}: ${number(waiting)} waiting, ${number(dead)} given up.`);
}

type DeadJobsOptions = Pick<Services, 'deliver' | 'threads' | 'sayLater' | 'audit' | 'now'> & {
  warn(queue: DeadQueue, reason: string): void;
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
    async ({ key = 'a job', data, reason }: DeadJob): Promise<void> => {
      warn(queue, reason);
      if (queue === 'post') return;
      const job = readable.safeParse(data).data;
      const { place, thread, addresses = [] } = job ?? {};
      const answers = addresses.flatMap(readDeviceAddress).map(givenUp);
      const devices = answers.map(({ asked }) => asked).join(', ') || WORDS.noAddress;
      const isAsked = queue === 'lookup' || queue === 'reply';
      const there = queue === 'lookup' ? place : thread && (await threads.find(thread));
      const number = reportNumber(key);
      const opening = WORDS[isAsked ? queue : 'alert'](devices, reason);
      const words = [opening, ...sayNumber(number, answers, undefined)].join(' ');
      const text = words.replace(devices, code(devices));
      if (there) await sayLater(there, queue === 'lookup' ? { text, mentionsAsker: true } : { text });
      else await deliver(`${key} given up`, words);
      const lookup: Audited = {
        number,
        by: isAsked ? (job?.by ?? 'message') : 'alert',
        person: job?.person,
        place: there || undefined,
        alert: thread,
        askedAt: job?.arrivedAt ?? job?.firstAt,
        answeredAt: now(),
      };
      auditAnswers(audit, lookup, answers, formatFor({}, now));
    };
}

/** A lookup that waits in the database. Times are milliseconds since 1970. */
export const lookupJobSchema = z.object({
  place: placeSchema,
  person: z.string(),
  addresses: z.array(z.string()),
  /** The message that the answer replaces, if there is one. */
  messageId: z.string().optional(),
  /** What the pressed message said, if a press asked. */
  was: shownBeforeSchema.optional(),
  /** Undefined: a message asked. */
  by: z.literal('press').optional(),
  firstAt: z.number(),
  attempt: z.number(),
});
export type LookupJob = z.infer<typeof lookupJobSchema>;

/** How long the bot keeps asking a NAC that is down, counted from the question. */
export const ASK_FOR_MS = 10 * 60_000;

/** When a job that could not be done is given up, counted from the question. */
export const GIVE_UP_AFTER_MS = 24 * 3_600_000;
