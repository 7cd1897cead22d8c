import type { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { readDeviceAddress } from '../../src/domain/device-address.ts';
import type { DeadJob, Job, JobOutcome, Queue } from '../../src/domain/jobs.ts';
import { findMacAddresses } from '../../src/domain/mac-address.ts';
import { isTransient } from '../../src/domain/outcome.ts';
import { backoffMs } from '../../src/domain/timing.ts';
import type { BaseParts, Turn } from '../dialog.ts';
import { reportText } from '../render/answer.ts';
import { type Answers, giveUp } from '../render/device.ts';
import { askerOf, linesPart, type Message, messageUnder, placeSchema } from '../render/message.ts';
import { line, toMarkdown, toRoom } from '../render/words.ts';
import { type ReportParts, startLookups } from './device-lookups.ts';
import * as report from './report.ts';

/** A lookup that waits in the database. `arrivedAt`: when it was asked for (milliseconds since 1970), for people to read. */
export const lookupJobSchema = z.object({
  place: placeSchema,
  person: z.string(),
  addresses: z.array(z.string()),
  /** The message of the progress, or of the pressed button, if there is one. */
  messageId: z.string().optional(),
  /** The content of the pressed message, if a press asked. */
  shownBefore: report.shownStateSchema.optional(),
  by: z.enum(['message', 'press', 'fields']).default('message'),
  arrivedAt: z.number(),
  attempt: z.number(),
});
export type LookupJob = z.infer<typeof lookupJobSchema>;

/** How long the bot keeps asking a NAC that is down. */
export const ASK_FOR_MS = 10 * 60_000;
const GIVE_UP_AFTER_MS = 24 * 3_600_000;

export type LookupParts = ReportParts & {
  jobs: { lookup: Queue<LookupJob> };
  /** The lookups that this process has answered, or that an edit replaced, by their keys. */
  endedLookups: LRUCache<string, true>;
};

export type LookupRequest = report.Asker & Pick<Turn, 'addresses'> & Pick<LookupJob, 'by' | 'messageId'>;

const ANSWER_IS_BELOW = linesPart([['The answer is below.']]);

const KEEP_TRYING = 'I keep trying for 10 minutes; the answer will come here.';
const ASK_AGAIN = 'Please look up again in a minute.';
const GAVE_UP = 'I tried for 10 minutes and gave up. Please look up again later.';

/** Queues devices that were not answered because the NAC is down. Returns a note for the asker. */
export async function queueLater(request: LookupRequest, left: Answers, bot: LookupParts) {
  const addresses = left.map(({ asked }) => asked);
  const later = { ...request, key: report.laterKey(request.key), addresses, messageId: undefined };
  const put = await queueLookup(later, backoffMs(0, bot.timing.lookups, Math.random()), bot);
  return put === 'put' || put === 'known' ? KEEP_TRYING : ASK_AGAIN;
}

/**
 * Makes a job of a lookup. `known`: the job exists; undefined: without a database, nothing is promised.
 * @param when until a worker takes it (milliseconds); or the end of a running lookup, which a worker takes if this process dies
 */
export function queueLookup(
  request: LookupRequest,
  when: number | Promise<JobOutcome<LookupJob>>,
  { jobs, onError }: LookupParts,
) {
  const job = lookupJobSchema.parse({ ...request, attempt: 0 });
  return jobs.lookup.put(request.key, job, when).catch((error) => void onError(error));
}

/** Answers in a new message with a mention, since an edit rings on no phone. Throws errors after which a worker tries again. */
export async function answerLate(
  { key, place, messageId, shownBefore }: Pick<LookupRequest, 'key' | 'place' | 'messageId' | 'shownBefore'>,
  answer: Message | undefined, // Undefined: another answers.
  { chat, endedLookups, formatterFor }: LookupParts,
): Promise<JobOutcome<LookupJob>> {
  if (answer && !endedLookups.has(key)) {
    await chat.reply(place, { ...answer, mentions: [askerOf(place)] });
    const below = messageUnder(shownBefore?.alert, formatterFor(place), [ANSWER_IS_BELOW]);
    if (messageId !== undefined) await chat.edit(place, messageId, below);
  }
  endedLookups.set(key, true);
  return { kind: 'done' };
}

/** Ends a question's open jobs, because an edit of it was answered. Never rejects. */
export async function supersede(key: string, bot: LookupParts): Promise<void> {
  for (const each of [key, report.laterKey(key)]) await endLookup(each, bot);
}

/** Ends a job that was answered; while the database does not take that, this process answers no second time. Never rejects. */
export async function endLookup(key: string, { jobs, endedLookups, onError }: LookupParts): Promise<void> {
  endedLookups.set(key, true);
  await jobs.lookup.settle(key).catch(onError);
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
  if (left.length > 0 && !isOver) {
    const afterMs = backoffMs(job.attempt, timing.lookups, Math.random());
    return { kind: 'again', data: { ...job, attempt: job.attempt + 1 }, afterMs }; // One message answers all of a question.
  }
  const settled = isOver ? answers.map(giveUp) : answers;
  const notes = isOver && settled.some(isTransient) ? [GAVE_UP] : [];
  const answer = await report.finishLookup(settled, { ...job, key, notes, isRemembered: true }, bot);
  return answerLate({ ...job, key }, answer, bot);
}

/** Each queue's job in words, and the reader's next action. */
const DEAD = {
  lookup: ['a lookup', 'Please ask again.'],
  alert: ['an alert', 'Please look the devices up yourself.'],
  reply: ['the delivery of an answer', 'Its asker may ask again.'],
  post: ['a post to the room', 'Please tell the team yourself.'],
} as const;

const readable = z.object({
  place: placeSchema.optional().catch(undefined),
  thread: z.string().optional().catch(undefined),
  addresses: z.array(z.string()).catch([]),
  text: z.string().catch(''),
});

/** Reports a dead job to its asker, the alert's thread, or the room. */
export async function reportDeadJob(queue: keyof typeof DEAD, job: DeadJob, bot: BaseParts): Promise<void> {
  const { room, threads, chat, log } = bot;
  const { key = 'a job', data, reason } = job;
  const number = report.reportNumber(key);
  log.error({ queue, reason, number }, 'a job was given up');
  const held = queue === 'reply' ? {} : Object(data); // The room does not read an asker's answer.
  const { place, thread, addresses, text: posted } = readable.parse(held);
  const devices = [...addresses, ...findMacAddresses(posted)].join(', ');
  const [name, advice] = DEAD[queue];
  const named = devices === '' ? [] : line` (${devices})`;
  const words = [`I gave up ${name}`, ...named, `: ${reason}. ${advice} ${reportText(number)}`];
  const there = place ?? (thread && (await threads.find(thread))?.place);
  const text = toMarkdown(words);
  if (there) await chat.reply(there, queue === 'lookup' ? { text, mentions: [askerOf(there)] } : { text });
  else if (queue !== 'post') await room.post(`${key} given up`, toRoom(words), { isRemembered: true });
}
