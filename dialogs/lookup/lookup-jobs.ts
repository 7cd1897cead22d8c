import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { readDeviceAddress } from '../../src/domain/device-address.ts';
import type { DeadJob, JobOutcome, Queue } from '../../src/domain/jobs.ts';
import { findMacAddresses } from '../../src/domain/mac-address.ts';
import { backoffMs, type Timing } from '../../src/domain/timing.ts';
import type { Services, Turn } from '../dialog.ts';
import { type Message, placeSchema } from '../format/message.ts';
import { code } from '../format/words.ts';
import { ask, type DeviceAnswer, givenUp, giveUp, isPassing, sayNumber } from './device-answer.ts';
import { type Asker, auditAnswers, laterKey, type Report, reportNumber } from './report.ts';
import { shownBeforeSchema } from './told.ts';

/** A lookup that waits in the database. Times are milliseconds since 1970. */
export const lookupJobSchema = z.object({
  place: placeSchema,
  person: z.string(),
  addresses: z.array(z.string()),
  /** The message that the answer replaces, if there is one. */
  messageId: z.string().optional(),
  /** What the pressed message said, if a press asked. */
  was: shownBeforeSchema.optional(),
  by: z.literal('press').optional(),
  firstAt: z.number(),
  attempt: z.number(),
});
export type LookupJob = z.infer<typeof lookupJobSchema>;

/** How long the bot keeps asking a NAC that is down, counted from the question. */
export const ASK_FOR_MS = 10 * 60_000;
const GIVE_UP_AFTER_MS = 24 * 3_600_000;

/** Gives up a job that could not be done within a day. Undefined: the job is younger. @param ageMs from the question */
export function giveUpIfOld(ageMs: number) {
  return ageMs < GIVE_UP_AFTER_MS ? undefined : ({ kind: 'dead', reason: 'it is 24 hours old' } as const);
}

export function again<Job extends { attempt: number }>(job: Job, { lookups }: Timing) {
  const data = { ...job, attempt: job.attempt + 1 };
  return { kind: 'again', data, afterMs: backoffMs(job.attempt, lookups, Math.random()) } as const;
}

type KeptLookupsOptions = Pick<Services, 'lookUp' | 'sayLater' | 'now' | 'timing' | 'onError'> & {
  jobs: Pick<Queue<LookupJob>, 'put' | 'change' | 'defer' | 'settle'>;
  report: Report;
};

export type Question = Asker & Pick<Turn, 'key' | 'addresses'>;

const WORDS = {
  askAgain: 'Please look up again in a minute.',
  keepTrying: 'I keep trying for 10 minutes; the answer will come here.',
  tooBusy: 'Too many lookups are waiting already, so I do not try again by myself. Please ask again later.',
  gaveUp: 'I tried for 10 minutes and gave up. Please look up again later.',
};
export type KeptLookups = ReturnType<typeof createKeptLookups>;

/** Lookups in the database. They outlive their turn and their process. */
export function createKeptLookups(options: KeptLookupsOptions) {
  const { jobs, sayLater, onError, timing } = options;
  const held = createHeldJobs(jobs.defer, onError, timing.heldMs);
  /** Jobs that were answered, or that an edit replaced. */
  const ended = new LRUCache<string, true>({ max: 1000 }); // More than lookups wait.

  /** Undefined: there is no database, so the bot promises nothing. */
  const tryPut = (key: string, job: LookupJob, afterMs: number) =>
    jobs.put(key, job, afterMs).catch((error: unknown) => void onError(error));

  /** Ends a job that was answered; while the database does not take that, this process answers no second time. */
  async function end(key: string): Promise<void> {
    ended.set(key, true);
    await jobs.settle(key).catch(onError);
  }

  return {
    end,
    /** Stores the devices that were not answered because the NAC is down. `note` is for the asker. */
    async keepForLater(question: Question, answers: readonly DeviceAnswer[]) {
      const addresses = answers.map(({ asked }) => asked);
      const { data, afterMs } = again(jobOf({ ...question, addresses }, undefined), timing);
      const put = await tryPut(laterKey(question.key), data, afterMs);
      if (!put) return { isKept: false, note: WORDS.askAgain };
      const isKept = put !== 'full';
      return { isKept, note: isKept ? WORDS.keepTrying : WORDS.tooBusy };
    },
    /** Makes a job of a lookup that is still running at its turn's end. `known`: the job exists; undefined: no database. */
    handOver: (question: Question, messageId: string | undefined) =>
      tryPut(question.key, jobOf(question, messageId), timing.heldMs),
    /** Tells a job that was handed over which message its answer replaces. Never rejects. */
    answerIn: (question: Question, messageId: string | undefined) =>
      jobs.change(question.key, jobOf(question, messageId)).catch(onError),
    /** Lets a lookup that was handed over go on. It replaces the message that was `told`. Ends with it; never rejects. */
    goOn(
      { key, place }: Question,
      answering: Promise<Message | undefined>,
      told: Promise<string | undefined>,
    ) {
      const goOn = async () => {
        const shownId = await told; // The turn's own reply comes first.
        const answer = await answering;
        if (answer && !ended.has(key)) await sayLater(place, { ...answer, mentionsAsker: true }, shownId);
        await end(key);
        return true;
      };
      const ending = goOn().catch((error: unknown) => {
        onError(error);
        return false;
      });
      held.hold(key, ending);
      return ending.then(() => {});
    },
    isEnded: (key: string) => ended.has(key),
    /** Gives up what is still to be answered of a question, because an edit of it was answered. Never rejects. */
    async supersede(key: string): Promise<void> {
      for (const each of [key, laterKey(key)]) await end(each);
    },
    async resume(job: LookupJob, key: string): Promise<JobOutcome<LookupJob>> {
      const isEnded = () => ended.has(key);
      if (isEnded() || (await held.find(key)) || isEnded()) return { kind: 'done' };
      return tryOnce(job, key, isEnded, options);
    },
  };
}

function jobOf(question: Question, messageId: string | undefined): LookupJob {
  const { place, person, addresses, arrivedAt: firstAt, was } = question;
  const by = question.by === 'press' ? question.by : undefined;
  return { place, person, addresses: [...addresses], messageId, was, by, firstAt, attempt: 0 };
}

async function tryOnce(
  job: LookupJob,
  key: string,
  isEnded: () => boolean,
  { lookUp, report, sayLater, now, timing }: KeptLookupsOptions,
): Promise<JobOutcome<LookupJob>> {
  const old = giveUpIfOld(now() - job.firstAt);
  if (old) return old;
  const answers = await ask(job.addresses.flatMap(readDeviceAddress), job.person, lookUp).all;
  if (isEnded()) return { kind: 'done' };
  const left = answers.filter(isPassing);
  const isOver = now() - job.firstAt >= ASK_FOR_MS;
  if (left.length > 0 && !isOver) return again(job, timing); // One message tells all of a question.
  const settled = isOver ? giveUp(answers) : answers;
  const notes = isOver && settled.some(isPassing) ? [WORDS.gaveUp] : [];
  const asker: Asker = { ...job, by: job.by ?? 'message', arrivedAt: job.firstAt };
  const answer = await report(key, settled, asker, { notes });
  await sayLater(job.place, { ...answer, mentionsAsker: true }, job.messageId);
  return { kind: 'done' };
}

/** Defers all held jobs in one call, three times in `holdMs`. A job comes up only if this process dies. */
export function createHeldJobs(defer: Queue<never>['defer'], onError: Services['onError'], holdMs: number) {
  const held = new Map<string, Promise<boolean>>();
  let renewing: NodeJS.Timeout | undefined;
  const renew = () => void defer([...held.keys()], holdMs).catch(onError);
  return {
    /** Defers a waiting job until the work on it has ended. @param work whether the job is done; never rejects */
    hold(key: string, work: Promise<boolean>): void {
      renewing ??= setInterval(renew, holdMs / 3);
      const end = work.finally(() => {
        held.delete(key);
        if (held.size > 0) return;
        clearInterval(renewing);
        renewing = undefined;
      });
      held.set(key, end);
    },
    find: (key: string) => held.get(key),
  };
}

export type DeadJobsOptions = Pick<Services, 'deliver' | 'threads' | 'sayLater' | 'audit' | 'now'> & {
  /** Told of every job that was given up. */
  warn(queue: DeadQueue, reason: string): void;
  /** Ends an alert's wait for a device. */
  giveUpDevice(data: unknown): Promise<void>;
};

export type DeadQueue = 'lookup' | 'post' | 'reply' | 'alert' | 'device' | 'incident';

const DEAD = {
  lookup: (addresses: string, reason: string) =>
    `I gave up the lookup of ${addresses}, because ${reason}. Please ask again.`,
  alert: (addresses: string, reason: string) =>
    `I gave up an alert with ${addresses}, because ${reason}. Please look the devices up yourself.`,
  reply: (_: string, reason: string) =>
    `I could not deliver an answer to its asker, and gave it up: ${reason}.`,
  post: (addresses: string, reason: string) =>
    `The room never took the post about ${addresses}, and I gave it up: ${reason}. Please tell the team yourself.`,
  noAddress: 'a device',
};

const readable = z.object({
  place: placeSchema.optional().catch(undefined),
  thread: z.string().optional().catch(undefined),
  addresses: z.array(z.string()).catch([]),
  text: z.string().catch(''),
  number: z.number().optional().catch(undefined),
  person: z.string().optional().catch(undefined),
  by: z.literal('press').optional().catch(undefined),
  arrivedAt: z.number().optional().catch(undefined),
  firstAt: z.number().optional().catch(undefined),
});

/** Tells who waits for a dead job: its asker, the alert's thread, or the room. */
export function createDeadJobs(options: DeadJobsOptions) {
  const { deliver, threads, sayLater, warn, giveUpDevice, audit, now } = options;
  return (queue: DeadQueue) =>
    async ({ key = 'a job', data, reason }: DeadJob): Promise<void> => {
      warn(queue, reason);
      if (queue === 'device') return giveUpDevice(data);
      const job = readable.safeParse(data).data;
      const isPost = queue === 'post';
      const { place, thread, text: posted = '' } = job ?? {};
      const addresses = isPost ? findMacAddresses(posted) : (job?.addresses ?? []);
      const answers = addresses.flatMap(readDeviceAddress).map(givenUp);
      const devices = answers.map(({ asked }) => asked).join(', ') || DEAD.noAddress;
      const isAsked = queue === 'lookup' || queue === 'reply' || isPost;
      const there = queue === 'lookup' || isPost ? place : thread && (await threads.find(thread));
      const number = job?.number ?? reportNumber(key);
      const opening = DEAD[isAsked ? queue : 'alert'](devices, reason);
      const words = [opening, ...sayNumber(number, answers, undefined)].join(' ');
      const text = words.replace(devices, code(devices));
      if (there) await sayLater(there, queue === 'lookup' ? { text, mentionsAsker: true } : { text });
      else if (!isPost) await deliver({ id: `${key} given up`, text: words });
      if (isPost) return; // Its lookup has its audit line.
      const times = { askedAt: job?.arrivedAt ?? job?.firstAt, answeredAt: now() };
      const by = isAsked ? (job?.by ?? ('message' as const)) : ('alert' as const);
      const lookup = { number, by, person: job?.person, place: there || undefined, alert: thread, ...times };
      auditAnswers(audit, lookup, answers);
    };
}
