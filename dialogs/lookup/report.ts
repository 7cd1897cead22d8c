import { hash } from 'node:crypto';
import { z } from 'zod';
import { alertHeadSchema } from '../../src/domain/incident.ts';
import { groupOf, isDevice, isOwn, lookupName } from '../../src/domain/outcome.ts';
import { settlesWithin } from '../../src/domain/timing.ts';
import type { Delivery } from '../../src/webhook/sender.ts';
import type { BaseParts, Turn } from '../dialog.ts';
import * as render from '../render/answer.ts';
import { verdictOf } from '../render/describe.ts';
import type { Answers, DeviceAnswer } from '../render/device.ts';
import { conversationOf, isTargetedPlace, type Place } from '../render/message.ts';
import { type Formatter, joinLines, type Line, line, nameOf, toPlain } from '../render/words.ts';
import { explain, type ReportParts } from './device-lookups.ts';

/** The person who asked, where, when and how; and how the answer is made. */
export type Asker = Pick<Turn, 'key' | 'place' | 'person' | 'arrivedAt' | 'notes'> & {
  by: 'message' | 'press' | 'fields' | 'menu' | 'watch' | 'alert';
  /** Of a watch, and the readers of its change. */
  event?: string;
  watchers?: readonly string[];
  /** The message's state, if the answer edits one. */
  shownBefore?: ShownState | undefined;
  /** Until when the answer waits for its explanation and the room (steady clock, milliseconds); undefined: for both. */
  until?: number;
  /** As the room has it: for a job, which starts again if its process dies. */
  isRemembered?: boolean;
  /** Whether the device is still watched. */
  isWatched?: boolean;
};

const ONLY_YOU = 'Only you see this answer; everyone in the room sees the tokens.';

/** Posts the tokens that the room does not have, and returns the answer. A post that takes too long goes on, as a job. */
export async function finishLookup(answers: Answers, asker: Asker, bot: ReportParts) {
  const { recent, room, formatterFor, clock } = bot;
  const { key, place, person, by, notes, shownBefore, until, isRemembered } = asker;
  const plain = formatterFor(place);
  const formatter = by === 'menu' ? { ...plain, canWatch: false } : plain; // Its window cannot begin a watch.
  const shown = shownNow(shownBefore, answers, formatter);
  const toPost = by === 'fields' ? [] : shown.toPost;
  const text = render.roomText(toPost);
  const explaining = explain(answers, person, bot);
  const withinMs = until && until - clock.steady();
  const [delivery, isExplained] = await Promise.all([
    text === undefined ? undefined : room.post(postKey(key, text), text, { place, withinMs, isRemembered }),
    withinMs === undefined || settlesWithin(explaining, withinMs),
  ]);
  const explained = isExplained ? await explaining : answers;
  auditAnswers({ ...asker, toPost, delivery }, answers, bot);
  const isPosted = delivery !== undefined && (delivery.outcome.kind === 'posted' || delivery.isQueued);
  const closingNotes = [
    ...(isPosted && isTargetedPlace(place) ? [ONLY_YOU] : []),
    ...notes,
    ...render.numberText(() => reportNumber(key), answers, delivery),
  ];
  if (by !== 'menu') recent.note(place, answers, clock.now()); // The asker alone sees the menu's card.
  if (by === 'fields') return render.fieldsMessage(explained, formatter, closingNotes);
  if (isPosted) markPosted(shown.state, toPost);
  return render.renderAnswer(explained, formatter, { ...asker, ...shown, delivery, notes: closingNotes });
}

const MAX_WORDS = 200;

const shownDeviceSchema = z.object({
  verdict: z.string().max(MAX_WORDS),
  /** The fingerprint of the device's post as it would be. */
  shown: z.string().max(20),
  /** The same of the post that the room has; undefined: none, or the room did not take it. */
  posted: z.string().max(20).optional(),
});

/** A message's devices, by the address that each was asked for. The message's own button carries it: untrusted. */
export type ShownState = z.infer<typeof shownStateSchema>;
export const shownStateSchema = z.object({
  /** Since when nothing has changed: milliseconds since 1970, as a date can have them. */
  at: z.number().min(0).max(8.64e15),
  devices: z.record(z.string(), shownDeviceSchema),
  /** The alert above the devices. */
  alert: alertHeadSchema.optional(),
});

/** Returns a message's present state, the change since its last one, and the devices of which the room lacks the post. */
export function shownNow(before: ShownState | undefined, answers: Answers, formatter: Formatter) {
  const devices: ShownState['devices'] = {};
  const changed: Line[] = [];
  const toPost: DeviceAnswer[] = [];
  for (const answer of answers) {
    const last = before?.devices[answer.asked];
    const verdict = toPlain(verdictOf(answer).heading).slice(0, MAX_WORDS);
    const shown = fingerprintOf([render.roomBlock(answer)]).slice(0, 12); // A card can have 40 of them.
    devices[answer.asked] = { verdict, shown, posted: last?.posted };
    if (render.countTokens(answer) > 0 && last?.posted !== shown) toPost.push(answer);
    if (!last || (last.verdict === verdict && last.shown === shown)) continue;
    const difference = last.verdict === verdict ? OTHER : line`was ${last.verdict}`;
    changed.push(answers.length === 1 ? difference : line`${nameOf(answer)} (${difference})`);
  }
  const isSame = before !== undefined && changed.length === 0;
  const state: ShownState = { at: isSame ? before.at : formatter.now(), devices, alert: before?.alert };
  if (!before) return { state, toPost };
  const since = formatter.clock(before.at);
  const isKnown = answers.every(({ outcome }) => groupOf(outcome) !== 'not known');
  const same = isKnown ? [`Unchanged since ${since}.`] : undefined;
  const change = isSame ? same : line`${[`Changed since ${since}: `]}${joinLines(changed, ', ')}.`;
  return { state, toPost, change };
}

const OTHER = ['another place, device or tokens'];

/** Notes that the room has these devices' posts, or will have them by a post that waits. */
export function markPosted({ devices }: ShownState, posted: Answers): void {
  for (const { asked } of posted) {
    const said = devices[asked];
    if (said) said.posted = said.shown;
  }
}

/** A lookup, as far as it is the same for all of its devices. Times are milliseconds since 1970. */
type Audited = Pick<Asker, 'key' | 'by' | 'event' | 'watchers' | 'arrivedAt'> & {
  person?: string;
  /** Undefined: only the room gets the answer. */
  place: Place | undefined;
  alert?: string | undefined;
  /** The result of the room's post, and the devices in it. */
  delivery?: Delivery | undefined;
  toPost?: Answers;
};

const ANSWERED = ['found', 'no session', 'fault', 'unusable', 'refused', 'forbidden'];

/** Writes the audit lines of a lookup: one for each device of which the NAC can be asked, and for each watcher. */
export function auditAnswers(lookup: Audited, answers: Answers, { audit, clock }: BaseParts): void {
  const { key, by, event, place, alert, arrivedAt, delivery, toPost = [] } = lookup;
  const { kind } = delivery?.outcome ?? {};
  const taken = kind === 'posted' ? 'yes' : kind === 'under way' || delivery?.isQueued ? 'later' : 'no';
  for (const person of lookup.watchers ?? [lookup.person])
    for (const answer of answers.filter(isDevice)) {
      const { asked, address, outcome } = answer;
      const entry = {
        number: reportNumber(key),
        by,
        event,
        person,
        conversation: place && conversationOf(place),
        private: place && isTargetedPlace(place) ? true : undefined,
        alert,
        asked,
        address,
        account: isOwn(answer) ? 'own' : ANSWERED.includes(outcome.kind) ? 'service' : undefined,
        outcome: lookupName(outcome),
        verdict: verdictOf(answer).words,
        tokens: render.countTokens(answer),
        posted: delivery && toPost.includes(answer) ? taken : 'nothing',
        askedAt: new Date(arrivedAt).toISOString(),
        answeredAt: new Date(clock.now()).toISOString(),
      };
      audit.info(entry, 'audit');
    }
}

/** The job of a question's devices that were not answered because the NAC is down. */
export const laterKey = (key: string) => `${key} later`;
/** A post about a question or an incident. @param content distinguishes it from other posts about the same */
export const postKey = (key: string, content: string) => `${key} ${hash('sha256', content)}`;

const SUFFIXES = /( later)?( given up)?( [0-9a-f]{64})?$/;

/** The six digits by which a person and an operator name the same lookup: one for a question and all that becomes of it. */
export function reportNumber(jobKey: string): number {
  const key = jobKey.replace(SUFFIXES, '');
  return 100_000 + (hash('sha256', key, 'buffer').readUIntBE(0, 6) % 900_000);
}

/** Equal for equal plain data. */
export const fingerprintOf = (parts: readonly unknown[]) =>
  hash('sha256', JSON.stringify(parts), 'base64url');
