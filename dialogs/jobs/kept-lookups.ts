import { type DeviceAddress, readDeviceAddress } from '../../src/device-address.ts';
import type { Lookup } from '../../src/nac/lookup.ts';
import type { Queue } from '../../src/store/queues.ts';
import type { JobOutcome } from '../../src/store/workers.ts';
import { ask, giveUp, isPassing } from '../answers/device-answer.ts';
import type { Turn } from '../dialog.ts';
import type { Message } from '../format/message.ts';
import { createHeldJobs, type HeldJobs, HOLD_MS } from './held-jobs.ts';
import { ASK_FOR_MS, askAgainAfterMs, GIVE_UP_AFTER_MS, type LookupJob } from './lookup-job.ts';
import type { Report } from './report.ts';

export type KeptLookupsOptions = {
  lookUp: Lookup;
  jobs: Pick<Queue<LookupJob>, 'put' | 'defer' | 'settle'>;
  report: Report;
  now: () => number;
  onError(error: unknown): void;
};

/** Lookups in the database. They outlive their turn and their process. */
export type KeptLookups = {
  /** Stores the devices that were not answered because the NAC is down. Returns sentences for the asker. */
  keepForLater(turn: Turn, addresses: readonly DeviceAddress[]): Promise<string[]>;
  /**
   * Makes a job of a lookup that is still running at its turn's end, in case this process dies.
   * @param messageId the message that the answer replaces
   * @returns `known` if the job exists already; undefined if the database did not take it
   */
  handOver(turn: Turn, messageId: string | undefined): Promise<'put' | 'known' | 'full' | undefined>;
  /** Lets a lookup that was handed over continue after its turn. Its answer settles the job. */
  goOn(turn: Turn, answering: Promise<Message>, messageId: string | undefined, told: Promise<void>): void;
  /** One try of a kept lookup. */
  resume(job: LookupJob, key: string): Promise<JobOutcome<LookupJob>>;
};

const WORDS = {
  askAgain: 'Please look up again in a minute.',
  keepTrying: 'I keep trying for 10 minutes; the answer will come here.',
  tooBusy: 'Too many lookups are waiting already, so I do not try again by myself. Please ask again later.',
  gaveUp: 'I tried for 10 minutes and gave up. Please look up again later.',
};

export function createKeptLookups(options: KeptLookupsOptions): KeptLookups {
  const { jobs, report, onError } = options;
  const held = createHeldJobs(jobs, onError);

  async function tryPut(key: string, job: LookupJob, afterMs: number) {
    try {
      return await jobs.put(key, job, afterMs);
    } catch (error) {
      onError(error); // Without a database, the bot promises nothing.
      return undefined;
    }
  }

  return {
    async keepForLater({ key, place, person, arrivedAt }, addresses) {
      const job = { place, person, addresses: [...addresses], firstAt: arrivedAt, attempt: 1 };
      const put = await tryPut(`${key} later`, job, askAgainAfterMs(0));
      if (put === undefined) return [WORDS.askAgain]; // A promise would need the database.
      return [put === 'full' ? WORDS.tooBusy : WORDS.keepTrying];
    },
    handOver({ key, place, person, addresses, arrivedAt }, messageId) {
      const shown = messageId === undefined ? {} : { messageId };
      const job = { place, person, addresses: [...addresses], firstAt: arrivedAt, attempt: 0, ...shown };
      return tryPut(key, job, HOLD_MS);
    },
    goOn({ key, place }, answering, messageId, told) {
      const end = answering
        .then(async (message) => {
          await Promise.allSettled([told]); // The turn's own reply comes first. Its error is the turn's to handle.
          await report.tellLater(place, messageId, message);
          await jobs.settle(key);
        })
        .catch(onError);
      held.hold(key, end);
    },
    resume: (job, key) => resume(job, key, options, held),
  };
}

async function resume(
  { messageId, ...job }: LookupJob,
  key: string,
  { lookUp, report, now }: KeptLookupsOptions,
  held: HeldJobs,
): Promise<JobOutcome<LookupJob>> {
  const here = held.find(key);
  if (here !== undefined) {
    await here;
    return { kind: 'done' };
  }
  if (now() - job.firstAt >= GIVE_UP_AFTER_MS) return { kind: 'dead', reason: 'it is 24 hours old' };
  const answers = await ask(job.addresses.flatMap(readDeviceAddress), job.person, lookUp).all;
  const left = answers.filter(isPassing);
  const isOver = now() - job.firstAt >= ASK_FOR_MS;
  const settled = isOver ? giveUp(answers) : answers.filter((each) => !isPassing(each));
  if (settled.length > 0) {
    const notes = isOver && settled.some(isPassing) ? [WORDS.gaveUp] : [];
    await report.tellLater(job.place, messageId, await report.make(key, settled, job, notes));
  }
  if (isOver || left.length === 0) return { kind: 'done' };
  const isShown = messageId !== undefined && settled.length === 0;
  return {
    kind: 'again',
    data: {
      ...job,
      addresses: left.map(({ asked }) => asked),
      attempt: job.attempt + 1,
      ...(isShown && { messageId }),
    },
    afterMs: askAgainAfterMs(job.attempt),
  };
}
