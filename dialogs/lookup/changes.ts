import { z } from 'zod';
import { groupOf } from '../../src/domain/outcome.ts';
import { roomBlock } from '../render/answer.ts';
import { verdictOf } from '../render/describe.ts';
import { countTokens, type DeviceAnswer, nameOf } from '../render/device.ts';
import { type Formatter, joinLines, type Line, line, toBare } from '../render/words.ts';
import { fingerprintOf } from './job-keys.ts';

const MAX_WORDS = 200;
const fingerprintSchema = z.string().max(20);

const saidSchema = z.object({
  verdict: z.string().max(MAX_WORDS),
  /** Of the device's post as it would be. */
  shown: fingerprintSchema.default(''),
  /** Of the device's post that the room has; undefined: none, or the room did not take it. */
  posted: fingerprintSchema.optional(),
});

/** A message's devices, by the address that each was asked for. The message's own button carries it: untrusted. */
export type ShownState = z.infer<typeof shownStateSchema>;
export const shownStateSchema = z.object({
  /** Since when nothing has changed: milliseconds since 1970, as a date can have them. */
  at: z.number().min(0).max(8.64e15),
  devices: z.record(z.string(), saidSchema),
});

/** The devices with tokens whose verdict, place and tokens the room does not have. */
export function notYetPosted(before: ShownState | undefined, answers: readonly DeviceAnswer[]) {
  return answers.filter(
    (each) => countTokens(each) > 0 && before?.devices[each.asked]?.posted !== postOf(each),
  );
}

/**
 * Returns the message's present state, and a line about the change since it was sent or edited last.
 * @param isPosted whether the room has the difference, or will by a post that waits
 */
export function shownNow(
  before: ShownState | undefined,
  answers: readonly DeviceAnswer[],
  isPosted: boolean,
  formatter: Formatter,
) {
  const devices: ShownState['devices'] = {};
  const changed: Line[] = [];
  for (const answer of answers) {
    const last = before?.devices[answer.asked];
    const verdict = toBare(verdictOf(answer).heading).slice(0, MAX_WORDS);
    const shown = postOf(answer);
    const posted = isPosted && countTokens(answer) > 0 ? shown : last?.posted;
    devices[answer.asked] = { verdict, shown, posted };
    if (!last || (last.verdict === verdict && last.shown === shown)) continue;
    const difference = last.verdict === verdict ? OTHER : line`was ${last.verdict}`;
    changed.push(answers.length === 1 ? difference : line`${nameOf(answer)} (${difference})`);
  }
  if (!before) return { state: { at: formatter.now(), devices }, change: undefined };
  const since = formatter.clock(before.at);
  if (changed.length > 0) {
    const change = line`${[`Changed since ${since}: `]}${joinLines(changed, ', ')}.`;
    return { state: { at: formatter.now(), devices }, change };
  }
  const isUnknown = answers.some(({ outcome }) => groupOf(outcome) === 'not known');
  const change = isUnknown ? undefined : [`Unchanged since ${since}.`];
  return { state: { at: before.at, devices }, change };
}

const OTHER = ['another place, device or tokens'];

/** Short, because a card can have 40 of them. */
const postOf = (answer: DeviceAnswer) => fingerprintOf([roomBlock(answer)], 12);
