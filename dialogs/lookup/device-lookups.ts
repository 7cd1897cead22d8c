import {
  type DeviceAddress,
  isMacAddress,
  isOneDevice,
  readAddresses,
} from '../../src/domain/device-address.ts';
import { lookupName } from '../../src/domain/outcome.ts';
import { settlesWithin } from '../../src/domain/timing.ts';
import type { Nac } from '../../src/nac.ts';
import type { Audit } from '../../src/ops/log.ts';
import type { Delivery } from '../../src/webhook/posts.ts';
import type { BaseParts, Turn } from '../dialog.ts';
import { renderAnswer, roomText } from '../render/answer.ts';
import { verdictOf } from '../render/describe.ts';
import { countTokens, type DeviceAnswer, isDevice, isOwn, numberText } from '../render/device.ts';
import { fieldsMessage } from '../render/fields.ts';
import type { Devices } from '../render/many-devices.ts';
import { conversationOf, isTargetedPlace, type Place } from '../render/message.ts';
import { code } from '../render/words.ts';
import { notYetPosted, type ShownState, shownNow } from './changes.ts';
import { type ExplainParts, explain } from './explain.ts';
import { postKey } from './job-keys.ts';
import type { RecentLookups } from './recent.ts';

/** Looks up each device for a person. Does not ask the NAC about addresses that stand for no device. */
export function startLookups(addresses: readonly DeviceAddress[], person: string, lookUp: Nac['watch']) {
  const answers = new Map<DeviceAddress, DeviceAnswer>();
  async function lookUpOne(asked: DeviceAddress): Promise<DeviceAnswer> {
    const outcome = isOneDevice(asked) ? await lookUp(asked, person) : ({ kind: 'no device' } as const);
    const address = isMacAddress(asked) ? asked : ownAddress(asked, outcome);
    const answer = limitTokens({ asked, address, outcome }, addresses.length);
    answers.set(asked, answer);
    return answer;
  }

  return {
    /** The devices that are answered, and those that are not yet. */
    soFar(): Devices {
      const all = addresses.flatMap((address) => answers.get(address) ?? []);
      return { answers: all, waiting: addresses.filter((address) => !answers.has(address)) };
    },
    /** All answers, in the message's order. A device that was found by both of its addresses stands once. */
    finished: Promise.all(addresses.map(lookUpOne)).then(eachOnce),
  };
}

/** Leaves out what was asked for by a MAC address and found by an IP address too. The latter's answer names both. */
function eachOnce(answers: readonly DeviceAnswer[]): readonly DeviceAnswer[] {
  const byIp = new Set<DeviceAddress>();
  for (const { asked, address } of answers) if (asked !== address) byIp.add(address);
  return answers.filter(({ asked, outcome }) => outcome.kind !== 'found' || !byIp.has(asked));
}

function ownAddress(asked: DeviceAddress, outcome: DeviceAnswer['outcome']): DeviceAddress {
  if (outcome.kind !== 'found') return asked;
  const [own, ...others] = readAddresses(outcome.record.station ?? '', 'addressed').addresses;
  return own && isMacAddress(own) && others.length === 0 && isOneDevice(own) ? own : asked;
}

/** An answer as it is stored: without the NAC's own text. */
export const withoutText = (answer: DeviceAnswer): DeviceAnswer =>
  answer.outcome.kind === 'found' ? { ...answer, outcome: { ...answer.outcome, text: '' } } : answer;

/**
 * The room for the tokens of one question in chat, in UTF-16 units. Other text of an answer takes up to 40,000. Four messages
 * in chat, or ten posts to the room, hold both. Two messages are left: one offers more addresses, one shows progress.
 */
const MAX_CHARACTERS = 60_000;

/** A longer token is left out: posts end between lines, so the one before would stay half empty. Real tokens have under 100. */
const MAX_TOKEN = 1000;

/** Leaves out the last tokens of a device that have no place in an answer about so many devices. */
export function limitTokens(answer: DeviceAnswer, devices: number): DeviceAnswer {
  if (answer.outcome.kind !== 'found') return answer;
  const tokens: string[] = [];
  let left = MAX_CHARACTERS / devices;
  for (const token of answer.outcome.tokens) {
    if (token.length > MAX_TOKEN) continue;
    left -= code(token).length + 3; // With its line's end. Chat shows invisible letters as code points, so the room needs less.
    if (left < 0) break;
    tokens.push(token);
  }
  const more = answer.outcome.tokens.length - tokens.length;
  const tokensLeftOut = (answer.tokensLeftOut ?? 0) + more;
  return more === 0 ? answer : { ...answer, outcome: { ...answer.outcome, tokens }, tokensLeftOut };
}

/** `recent` is for the command of that name, and for what people ask in the thread next. */
export type ReportParts = BaseParts & ExplainParts & { recent: RecentLookups };

/** The person who asked, where, when and how; and how the answer is made. */
export type Asker = Pick<Turn, 'key' | 'number' | 'place' | 'person' | 'arrivedAt' | 'notes'> & {
  by: 'message' | 'press' | 'fields' | 'menu' | 'watch';
  /** The readers of a watch's change. */
  watchers?: readonly string[];
  /** The message's state, if the answer edits one. */
  shownBefore?: ShownState | undefined;
  /** Until when the answer waits for its explanation and the room (steady clock, milliseconds); undefined: for both. */
  until?: number;
  /** As the room has it: for a job, which starts again if its process dies. */
  isRemembered?: boolean;
  /** Whether an alert's head stands above the answer. */
  isUnderAlert?: boolean;
};

const ONLY_YOU = 'Only you see this answer; everyone in the room sees the tokens.';

/** Posts the tokens that the room does not have, and returns the answer. A post that takes too long goes on, as a job. */
export async function finishLookup(answers: readonly DeviceAnswer[], asker: Asker, bot: ReportParts) {
  const { recent, room, audit, formatterFor, clock } = bot;
  const { key, number, place, person, by, notes, shownBefore, until, isRemembered, isUnderAlert } = asker;
  const toPost = by === 'fields' ? [] : notYetPosted(shownBefore, answers);
  const formatter = formatterFor(place);
  const text = roomText(toPost);
  const explaining = explain(answers, person, bot);
  const withinMs = until && until - clock.steady();
  const [delivery, isExplained] = await Promise.all([
    text === undefined ? undefined : room.post(postKey(key, text), text, { place, withinMs, isRemembered }),
    withinMs === undefined || settlesWithin(explaining, withinMs),
  ]);
  const explained = isExplained ? await explaining : answers;
  const answeredAt = clock.now();
  auditAnswers(audit, { ...asker, answeredAt, toPost, delivery }, answers);
  const isPosted = delivery !== undefined && (delivery.outcome.kind === 'posted' || delivery.isQueued);
  const closingNotes = [
    ...(isPosted && isTargetedPlace(place) ? [ONLY_YOU] : []),
    ...notes,
    ...numberText(number, answers, delivery),
  ];
  if (by !== 'menu') recent.note(place, answers, answeredAt); // The asker alone sees the menu's card.
  if (by === 'fields') return fieldsMessage(explained, formatter, closingNotes);
  const shown = { ...shownNow(shownBefore, answers, isPosted, formatter), isUnderAlert };
  return renderAnswer(explained, delivery, formatter, closingNotes, shown);
}

/** A lookup, as far as it is the same for all of its devices. Times are milliseconds since 1970. */
type Audited = Pick<Asker, 'number' | 'watchers' | 'arrivedAt'> & {
  by: Asker['by'] | 'alert';
  person?: string;
  /** Undefined: only the room gets the answer. */
  place: Place | undefined;
  alert?: string | undefined;
  answeredAt: number;
  /** The result of the room's post, and the devices in it. */
  delivery?: Delivery | undefined;
  toPost?: readonly DeviceAnswer[];
};

/** A place as audit lines name it. */
export const auditedPlace = (place: Place) => {
  return { conversation: conversationOf(place), private: isTargetedPlace(place) ? true : undefined };
};

const ANSWERED = ['found', 'no session', 'fault', 'unusable', 'refused', 'forbidden'];

/** Writes the audit lines of a lookup: one for each device of which the NAC can be asked, and for each watcher. */
export function auditAnswers(audit: Audit, lookup: Audited, answers: readonly DeviceAnswer[]): void {
  const { number, by, place, alert, arrivedAt, answeredAt, delivery, toPost = [] } = lookup;
  const { kind } = delivery?.outcome ?? {};
  const taken = kind === 'posted' ? 'yes' : kind === 'under way' || delivery?.isQueued ? 'later' : 'no';
  const event = by === 'watch' ? 'change' : undefined;
  for (const person of lookup.watchers ?? [lookup.person])
    for (const answer of answers.filter(isDevice)) {
      const { asked, address, outcome } = answer;
      audit({
        number,
        by,
        event,
        person,
        ...(place && auditedPlace(place)),
        alert,
        asked,
        address,
        account: isOwn(answer) ? 'own' : ANSWERED.includes(outcome.kind) ? 'service' : undefined,
        outcome: lookupName(outcome),
        verdict: verdictOf(answer).words,
        tokens: countTokens(answer),
        posted: delivery && toPost.includes(answer) ? taken : 'nothing',
        askedAt: new Date(arrivedAt).toISOString(),
        answeredAt: new Date(answeredAt).toISOString(),
      });
    }
}
