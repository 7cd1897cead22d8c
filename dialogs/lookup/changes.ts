import { hash } from 'node:crypto';
import { z } from 'zod';
import { isMacAddress } from '../../src/domain/device-address.ts';
import { groupOf } from '../../src/domain/outcome.ts';
import { MAX_ADDRESSES } from '../dialog.ts';
import { roomBlock } from '../render/answer.ts';
import { verdictOf } from '../render/describe.ts';
import { countTokens, type DeviceAnswer, nameOf, recordOf, tokensOf } from '../render/device.ts';
import { type Formatter, joinLines, type Line, line, toBare } from '../render/words.ts';

const MAX_WORDS = 200;
const fingerprintSchema = z.string().max(20);
/** Milliseconds since 1970; the most is the last time that a date can have. */
export const momentSchema = z.number().min(0).max(8.64e15);

const saidSchema = z.object({
  verdict: z.string().max(MAX_WORDS),
  /** Of the device's own address and its tokens. */
  tokens: fingerprintSchema,
  place: fingerprintSchema,
  /** Of the device's post that the room has; undefined: none, or the room did not take it. */
  posted: fingerprintSchema.optional(),
});
type Said = z.infer<typeof saidSchema>;

/** A message's devices, by the address that each was asked for. The message's own button carries it: untrusted. */
export type ShownState = z.infer<typeof shownStateSchema>;
export const shownStateSchema = z.object({
  /** Since when nothing has changed. */
  at: momentSchema,
  devices: z
    .record(z.string().max(100), saidSchema)
    .refine((devices) => Object.keys(devices).length <= MAX_ADDRESSES),
});

/** The state that a message's button carries, and the message's line about the change. */
export type Shown = {
  state: ShownState;
  /** The change since the message was sent or edited last; undefined: the message is new. */
  change: Line | undefined;
};

const MAX_NAMED = 5;

/** The devices with tokens whose verdict, place and tokens the room does not have. */
export function notYetPosted(
  before: ShownState | undefined,
  answers: readonly DeviceAnswer[],
): DeviceAnswer[] {
  const withTokens = answers.filter((answer) => countTokens(answer) > 0);
  return before
    ? withTokens.filter((each) => before.devices[each.asked]?.posted !== postOfNow(each))
    : withTokens;
}

/** Returns the message's present state. @param isPosted whether the room has the difference, or will by a post that waits */
export function shownNow(
  before: ShownState | undefined,
  answers: readonly DeviceAnswer[],
  isPosted: boolean,
  formatter: Formatter,
): Shown {
  const devices: ShownState['devices'] = {};
  const changed: Line[] = [];
  let isSame = before !== undefined;
  for (const answer of answers) {
    const last = before?.devices[answer.asked];
    const { networkDevice, port, wifi } = recordOf(answer);
    const verdict = toBare(verdictOf(answer).heading).slice(0, MAX_WORDS);
    const place = fingerprintOf([networkDevice, port, wifi?.ssid], SHORT);
    const said: Said = { verdict, tokens: tokensOfNow(answer), place };
    const posted = isPosted && countTokens(answer) > 0 ? postOfNow(answer) : last?.posted;
    devices[answer.asked] = posted === undefined ? said : { ...said, posted };
    const difference = last ? differenceOf(last, said, answer) : [];
    if (difference.length > 0)
      changed.push(answers.length === 1 ? difference : line`${nameOf(answer)} (${difference})`);
    const isKnown = groupOf(answer.outcome) !== 'not known';
    isSame &&= isKnown && last !== undefined && difference.length === 0;
  }
  const change = before && changeText(changed, isSame, formatter.clock(before.at));
  const at = before && isSame ? before.at : formatter.now();
  return { state: { at, devices }, change };
}

function changeText(changed: readonly Line[], isSame: boolean, at: string): Line | undefined {
  if (changed.length === 0) return isSame ? [`Unchanged since ${at}.`] : undefined;
  const others = changed.length - MAX_NAMED;
  const named = joinLines(changed.slice(0, MAX_NAMED), ', ');
  return line`${[`Changed since ${at}: `]}${named}${others > 0 ? line` and ${others} more` : []}.`;
}

/** Empty if nothing differs. The former verdict comes from a button, so it is untrusted. */
function differenceOf(before: Said, now: Said, { asked }: DeviceAnswer): Line {
  if (before.verdict !== now.verdict) return line`was ${before.verdict}`;
  if (before.tokens !== now.tokens)
    return [isMacAddress(asked) ? 'other tokens' : 'another device or other tokens'];
  return before.place === now.place ? [] : ['another place'];
}

const tokensOfNow = (answer: DeviceAnswer) => fingerprintOf([answer.address, ...tokensOf(answer)], SHORT);
const postOfNow = (answer: DeviceAnswer) => fingerprintOf([roomBlock(answer)], SHORT);

/** A card can have 60 of them. */
const SHORT = 12;

/** Equal for equal plain data. */
export function fingerprintOf(parts: readonly unknown[], length?: number): string {
  return hash('sha256', JSON.stringify(parts), 'base64url').slice(0, length);
}
