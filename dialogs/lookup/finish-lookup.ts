import { hash } from 'node:crypto';
import { lookupName } from '../../src/domain/outcome.ts';
import { settlesWithin } from '../../src/domain/timing.ts';
import type { Audit } from '../../src/ops/log.ts';
import type { Delivery } from '../../src/webhook/posts.ts';
import type { Parts, Turn } from '../dialog.ts';
import { renderAnswer, roomText } from '../render/answer.ts';
import { verdictOf } from '../render/describe.ts';
import { countTokens, type DeviceAnswer, isDevice, isOwn, numberText } from '../render/device.ts';
import { conversationOf, isTargetedPlace, type Message, type Place } from '../render/message.ts';
import { notYetPosted, type ShownBefore, shownNow } from './changes.ts';
import type { Explanations } from './explain.ts';
import type { RecentLookups } from './recent.ts';

/** `recent` is for the command of that name, and for what people ask in the thread next. */
export type ReportParts = Parts & { explanations: Explanations; recent: RecentLookups };

type Reporting = Pick<
  ReportParts,
  'explanations' | 'recent' | 'audit' | 'formatterFor' | 'clock' | 'onError'
> & {
  room: Pick<Parts['room'], 'post'>;
};

/** The person who asked, where, when and how. `was`: the content of the message before, if the answer edits one. */
export type Asker = Pick<Turn, 'key' | 'number' | 'place' | 'person' | 'arrivedAt'> & {
  by: 'message' | 'press' | 'menu' | 'watch';
  was?: ShownBefore | undefined;
};

type Closing = {
  notes: readonly string[];
  unfinished?: readonly DeviceAnswer[];
  /** Until when the answer waits for what explains it, and for the room (steady clock, milliseconds); undefined: for all. */
  due?: { explainBy: number; postBy: number };
  /** Whether a job asks, which starts again if its process dies. */
  isForJob?: true;
  /** Whether an alert's head stands above the answer. */
  isBrief?: boolean;
};

const WORDS = {
  onlyYou: 'Only you see this answer; everyone in the room sees the tokens.',
};

/** Posts the tokens that the room does not have, and returns the answer. A post that takes too long goes on, as a job. */
export async function finishLookup(
  answers: readonly DeviceAnswer[],
  asker: Asker,
  closing: Closing,
  bot: Reporting,
): Promise<Message> {
  const { explanations, recent, room, audit, formatterFor, clock, onError } = bot;
  const { key, number, place, person, arrivedAt, by, was } = asker;
  const { notes, unfinished = [], due, isForJob, isBrief = false } = closing;
  const toPost = notYetPosted(was, answers);
  const formatter = formatterFor(place);
  const text = roomText(toPost, formatter);
  const noted = explanations.note(answers);
  const explaining = explanations.explain(noted, person);
  const withinMs = due && due.postBy - clock.steady();
  const [delivery, isExplained] = await Promise.all([
    // A question's later devices have its key, too.
    text === undefined
      ? undefined
      : room.post(`${key} ${hash('sha256', text)}`, text, { place, withinMs, isForJob }),
    due ? settlesWithin(explaining, due.explainBy - clock.steady()) : true,
  ]);
  const explained = isExplained ? await explaining : noted;
  const answeredAt = clock.now();
  const finished = answers.filter((answer) => !unfinished.includes(answer));
  const lookup = { number, by, person, place, askedAt: arrivedAt, answeredAt, toPost };
  const writeAudit = (end?: Delivery) => auditAnswers(audit, { ...lookup, delivery: end }, finished);
  const delivered = Promise.resolve(delivery?.ending ?? delivery);
  delivered.then(writeAudit).catch(onError);
  const isPosted = delivery !== undefined && (delivery.outcome.kind === 'posted' || delivery.isQueued);
  const ending = [
    ...(isPosted && isTargetedPlace(place) ? [WORDS.onlyYou] : []),
    ...notes,
    ...numberText(number, answers, delivery),
  ];
  if (by === 'menu') return renderAnswer(explained, delivery, formatter, ending); // The asker's alone, and not edited.
  recent.note(place, answers, answeredAt);
  const shown = { ...shownNow(was, answers, isPosted, formatter), isBrief };
  return renderAnswer(explained, delivery, formatter, ending, shown);
}

/** A lookup, as far as it is the same for all of its devices. Times are milliseconds since 1970. */
export type Audited = {
  number: number;
  by: 'message' | 'press' | 'fields' | 'menu' | 'watch' | 'alert';
  person?: string | undefined;
  /** Undefined: only the room gets the answer. */
  place?: Place | undefined;
  alert?: string | undefined;
  askedAt: number | undefined;
  /** Undefined: nobody got an answer, because the NAC took too long. */
  answeredAt: number | undefined;
  /** The result of the room's post, and the devices in it. */
  delivery?: Delivery | undefined;
  toPost?: readonly DeviceAnswer[];
};

/** Writes the audit lines of a lookup: one for each device of which the NAC can be asked. */
export function auditAnswers(audit: Audit, lookup: Audited, answers: readonly DeviceAnswer[]): void {
  const { number, by, person, place, alert, askedAt, answeredAt, delivery, toPost = [] } = lookup;
  const taken = delivery?.outcome.kind === 'posted' ? 'yes' : delivery?.isQueued ? 'later' : 'no';
  const iso = (ms: number | undefined) => (ms === undefined ? undefined : new Date(ms).toISOString());
  for (const answer of answers.filter(isDevice)) {
    const { asked, address, outcome } = answer;
    audit({
      number,
      by,
      person,
      conversation: place && conversationOf(place),
      private: place && isTargetedPlace(place) ? true : undefined,
      alert,
      asked,
      address,
      account: accountOf(answer),
      outcome: lookupName(outcome),
      verdict: verdictOf(answer).words,
      tokens: countTokens(answer),
      posted: delivery && toPost.includes(answer) ? taken : 'nothing',
      askedAt: iso(askedAt),
      answeredAt: iso(answeredAt),
    });
  }
}

/** Whose account the NAC answered; undefined if nobody knows. */
function accountOf(answer: DeviceAnswer): 'own' | 'service' | undefined {
  const { outcome } = answer;
  if ('whose' in outcome) return outcome.whose === 'person' ? 'own' : 'service';
  const isAnswered = ['found', 'no session', 'fault', 'unusable'].includes(outcome.kind);
  return isAnswered ? (isOwn(answer) ? 'own' : 'service') : undefined;
}

/** The key of the job of a question's devices that were not answered because the NAC is down. */
export const laterKey = (questionKey: string) => `${questionKey} later`;
/** The suffixes of a question's key in the keys of its jobs: `later`, `given up`, and the fingerprint of a post. */
const FOLLOWS = /( later)?( given up)?( [0-9a-f]{64})?$/;

/** The six digits by which a person and an operator name the same lookup: one for a question and all that becomes of it. */
export function reportNumber(jobKey: string): number {
  const key = jobKey.replace(FOLLOWS, '');
  return 100_000 + (hash('sha256', key, 'buffer').readUIntBE(0, 6) % 900_000);
}
