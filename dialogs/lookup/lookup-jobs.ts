import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { readDeviceAddress } from '../../src/domain/device-address.ts';
import type { Job, JobOutcome, Queue } from '../../src/domain/jobs.ts';
import { backoffMs, type Timing } from '../../src/domain/timing.ts';
import type { Turn } from '../dialog.ts';
import { type DeviceAnswer, giveUp, isTransient } from '../render/device.ts';
import { type Message, messageSchema, type Place, placeSchema } from '../render/message.ts';
import { shownBeforeSchema } from './changes.ts';
import {
  type Asker,
  finishLookup,
  laterKey,
  type ReportParts,
  reportNumber,
  startLookups,
} from './device-lookups.ts';

/** A lookup that waits in the database. `arrivedAt`: when it was asked for (milliseconds since 1970), for people to read. */
export const lookupJobSchema = z.object({
  place: placeSchema,
  person: z.string(),
  addresses: z.array(z.string()),
  /** The message of the progress, if there is one. */
  messageId: z.string().optional(),
  /** The text of that message once the answer stands below it. */
  below: messageSchema.optional(),
  /** The content of the pressed message, if a press asked. */
  was: shownBeforeSchema.optional(),
  by: z.literal('press').optional(),
  arrivedAt: z.number(),
  attempt: z.number(),
});
export type LookupJob = z.infer<typeof lookupJobSchema>;

/** How long the bot keeps asking a NAC that is down. */
export const ASK_FOR_MS = 10 * 60_000;
const GIVE_UP_AFTER_MS = 24 * 3_600_000;

function again<Job extends { attempt: number }>(job: Job, { lookups }: Timing) {
  const data = { ...job, attempt: job.attempt + 1 };
  return { kind: 'again', data, afterMs: backoffMs(job.attempt, lookups, Math.random()) } as const;
}

export type LookupParts = ReportParts & { jobs: { lookup: Queue<LookupJob> }; endedLookups: EndedLookups };

export const ANSWER_IS_BELOW: Message = { text: 'The answer is below.' };

export type Question = Asker & Pick<Turn, 'addresses'>;

const WORDS = {
  askAgain: 'Please look up again in a minute.',
  keepTrying: 'I keep trying for 10 minutes; the answer will come here.',
  tooBusy: 'Too many lookups are waiting already, so I do not try again by myself. Please ask again later.',
  gaveUp: 'I tried for 10 minutes and gave up. Please look up again later.',
};
/** Undefined: there is no database, so nothing is promised. */
const tryPut = (
  key: string,
  job: LookupJob,
  when: number | Promise<JobOutcome<LookupJob>>,
  { jobs, onError }: LookupParts,
) => jobs.lookup.put(key, job, when).catch((error: unknown) => void onError(error));

/** Queues the devices that were not answered because the NAC is down. `note` is for the asker. */
export async function queueUnanswered(
  question: Question,
  answers: readonly DeviceAnswer[],
  bot: LookupParts,
): Promise<{ isQueued: boolean; note: string }> {
  const addresses = answers.map(({ asked }) => asked);
  const { data, afterMs } = again(jobOf({ ...question, addresses }), bot.timing);
  const put = await tryPut(laterKey(question.key), data, afterMs, bot);
  if (!put) return { isQueued: false, note: WORDS.askAgain };
  const isQueued = put !== 'full';
  return { isQueued, note: isQueued ? WORDS.keepTrying : WORDS.tooBusy };
}

/**
 * Makes a job of a lookup that is still running at its turn's end. `known`: the job exists; undefined: no database.
 * @param shown the message of its progress, and what that message says once the answer stands below it
 * @param ending the lookup's end. Nobody else takes the job before, unless this process dies.
 */
export const queueRunning = (
  question: Question,
  shown: Pick<LookupJob, 'messageId' | 'below'>,
  ending: Promise<JobOutcome<LookupJob>>,
  bot: LookupParts,
) => tryPut(question.key, jobOf(question, shown), ending, bot);

/**
 * Lets a queued lookup go on after its turn. Throws what keeps the answer from being sent: then a worker tries the job again.
 * @param shown the message of its progress. @param below what that message says once the answer stands below it
 */
export async function continueAfterTurn(
  { key, place }: Question,
  answering: Promise<Message | undefined>,
  shown: Promise<string | undefined>,
  below: Message,
  bot: LookupParts,
): Promise<JobOutcome<LookupJob>> {
  const { endedLookups } = bot;
  const shownId = await shown; // The turn's own reply comes first.
  const answer = await answering;
  if (answer && !endedLookups.has(key)) await answerLate(place, answer, shownId, below, bot);
  endedLookups.set(key, true);
  return { kind: 'done' };
}

/**
 * Answers after the turn: in a new message that mentions the asker, since an edit rings on no phone.
 * @param shownId the message of the progress, which then says that the answer is below
 */
async function answerLate(
  place: Place,
  answer: Message,
  shownId: string | undefined,
  below: Message,
  { chat }: LookupParts,
): Promise<void> {
  await chat.reply(place, { ...answer, mentionsAsker: true });
  if (shownId !== undefined) await chat.edit(place, shownId, below);
}

/** Gives up what is still to be answered of a question, because an edit of it was answered. Never rejects. */
export async function supersede(key: string, bot: LookupParts): Promise<void> {
  for (const each of [key, laterKey(key)]) await endLookup(each, bot);
}

/** Ends a job that was answered; while the database does not take that, this process answers no second time. Never rejects. */
export async function endLookup(key: string, { jobs, endedLookups, onError }: LookupParts): Promise<void> {
  endedLookups.set(key, true);
  await jobs.lookup.settle(key).catch(onError);
}

function jobOf(question: Question, shown: Pick<LookupJob, 'messageId' | 'below'> = {}): LookupJob {
  const { place, person, addresses, arrivedAt, was } = question;
  const by = question.by === 'press' ? question.by : undefined;
  return { place, person, addresses: [...addresses], ...shown, was, by, arrivedAt, attempt: 0 };
}

/** Works on a lookup that comes back from the database. */
export async function resumeLookup(
  { data: job, key, ageMs }: Job<LookupJob>,
  bot: LookupParts,
): Promise<JobOutcome<LookupJob>> {
  const { nac, endedLookups, timing } = bot;
  if (endedLookups.has(key)) return { kind: 'done' };
  if (ageMs >= GIVE_UP_AFTER_MS) return { kind: 'dead', reason: 'it is 24 hours old' };
  const answers = await startLookups(job.addresses.flatMap(readDeviceAddress), job.person, nac.lookUp)
    .finished;
  if (endedLookups.has(key)) return { kind: 'done' };
  const left = answers.filter(isTransient);
  const isOver = ageMs >= ASK_FOR_MS;
  if (left.length > 0 && !isOver) return again(job, timing); // One message answers all of a question.
  const settled = isOver ? giveUp(answers) : answers;
  const notes = isOver && settled.some(isTransient) ? [WORDS.gaveUp] : [];
  const asker: Asker = { ...job, key, number: reportNumber(key), by: job.by ?? 'message' };
  const answer = await finishLookup(settled, asker, { notes, isForJob: true }, bot);
  await answerLate(job.place, answer, job.messageId, job.below ?? ANSWER_IS_BELOW, bot);
  return { kind: 'done' };
}

/** The lookups that this process has answered, or that an edit replaced, by their keys. */
type EndedLookups = ReturnType<typeof createEndedLookups>;
export const createEndedLookups = () => new LRUCache<string, true>({ max: 1000 }); // More than lookups wait.
