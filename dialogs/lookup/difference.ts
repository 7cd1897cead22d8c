import { createHash } from 'node:crypto';
import { z } from 'zod';
import { isMacAddress } from '../../src/domain/device-address.ts';
import { MAX_ADDRESSES, type Turn } from '../dialog.ts';
import { joinLines, type Line, line, toPlain } from '../format/line.ts';
import type { Format } from '../format/locale.ts';
import { countTokens, type DeviceAnswer, nameOf, tokensOf } from './device-answer.ts';
import { reasons, whereabouts } from './facts.ts';
import { verdictOf } from './verdict.ts';

/** The last time that a date can have (milliseconds since 1970). */
const LATEST = 8.64e15;

/** Of a verdict, in characters. */
const MOST_WORDS = 200;

const digestSchema = z.string().max(20);

const markSchema = z.object({
  /** The verdict's words. */
  verdict: z.string().max(MOST_WORDS),
  /** Digests of the device's own address and tokens, and of what else the answer says of the session. */
  tokens: digestSchema,
  details: digestSchema,
  /** The digest of the address and tokens that the room was told last; undefined: none, or it did not take them. */
  posted: digestSchema.optional(),
});
type Mark = z.infer<typeof markSchema>;

/**
 * What a message said of its devices, by the address that each was asked for. The message's own button carries it, so
 * anyone can forge one.
 */
export type ShownBefore = z.infer<typeof shownBeforeSchema>;
export const shownBeforeSchema = z.object({
  /** Since when nothing has changed (milliseconds since 1970). */
  at: z.number().min(0).max(LATEST),
  marks: z
    .record(z.string().max(100), markSchema)
    .refine((marks) => Object.keys(marks).length <= MAX_ADDRESSES),
});

/** What a message about looked up devices shows beside them. */
export type Shown = {
  /** For the button. */
  was: ShownBefore;
  /** What has changed since the message said it before; undefined: the message is new. */
  change: Line | undefined;
};

const WORDS = {
  tokens: 'other tokens',
  deviceOrTokens: 'another device or other tokens',
  details: 'other details',
};

/** How many changed devices are named. */
const MOST_NAMED = 5;

/** The devices with tokens of which the room was told something else, or nothing. */
export function newsSince(was: ShownBefore | undefined, answers: readonly DeviceAnswer[]): DeviceAnswer[] {
  return answers.filter(
    (answer) => countTokens(answer) > 0 && was?.marks[answer.asked]?.posted !== tokensMark(answer),
  );
}

/**
 * What the message shows now. A change of the verdict, the tokens or other details of the session counts.
 * @param isPosted whether the room was told of the news since then, or will be by a post that waits
 */
export function shownNow(
  was: ShownBefore | undefined,
  answers: readonly DeviceAnswer[],
  { isPosted, format, now }: { isPosted: boolean; format: Format; now: number },
): Shown {
  const known = answers.flatMap((answer) => {
    const before = was?.marks[answer.asked];
    return before === undefined ? [] : [{ answer, difference: differenceOf(before, answer, format) }];
  });
  const changed = known.filter(({ difference }) => difference.length > 0);
  const isSame = changed.length === 0 && known.length === answers.length;
  const marks = answers.map((answer) => [answer.asked, markNow(was, answer, { isPosted, format })]);
  return {
    was: { at: isSame && was ? was.at : now, marks: Object.fromEntries(marks) },
    change: was && sayChange(changed, isSame, answers.length, format.clock(was.at)),
  };
}

function sayChange(
  changed: ReadonlyArray<{ answer: DeviceAnswer; difference: Line }>,
  isSame: boolean,
  devices: number,
  at: string,
): Line | undefined {
  const [first] = changed;
  if (first === undefined) return isSame ? [`Unchanged since ${at}.`] : undefined;
  const opening = `Changed since ${at}: `;
  if (devices === 1) return line`${[opening]}${first.difference}.`;
  const named = changed
    .slice(0, MOST_NAMED)
    .map(({ answer, difference }) => line`${nameOf(answer)} (${difference})`);
  const others = changed.length - named.length;
  return line`${[opening]}${joinLines(named, ', ')}${others > 0 ? line` and ${others} more` : []}.`;
}

/** Empty if nothing differs. The former verdict comes from a button, so it is foreign. */
function differenceOf(before: Mark, answer: DeviceAnswer, format: Format): Line {
  if (before.verdict !== verdictWords(answer, format)) return line`was ${before.verdict}`;
  if (before.tokens !== tokensMark(answer))
    return [isMacAddress(answer.asked) ? WORDS.tokens : WORDS.deviceOrTokens];
  return before.details === detailsMark(answer) ? [] : [WORDS.details];
}

function markNow(
  was: ShownBefore | undefined,
  answer: DeviceAnswer,
  { isPosted, format }: { isPosted: boolean; format: Format },
): Mark {
  const tokens = tokensMark(answer);
  const last = was?.marks[answer.asked]?.posted;
  const posted = isPosted && countTokens(answer) > 0 ? tokens : last;
  return {
    verdict: verdictWords(answer, format),
    tokens,
    details: detailsMark(answer),
    ...(posted !== undefined && { posted }),
  };
}

function verdictWords(answer: DeviceAnswer, format: Format): string {
  return verdictOf(answer, format).words.slice(0, MOST_WORDS);
}

function tokensMark(answer: DeviceAnswer): string {
  return digest([answer.address, ...tokensOf(answer)]);
}

function detailsMark({ address, outcome }: DeviceAnswer): string {
  if (outcome.kind !== 'found') return '';
  const { record } = outcome;
  const facts = [...whereabouts(address, record), ...reasons(record)];
  return digest([record.since ?? '', ...facts.map(({ label, value }) => `${label}: ${toPlain(value)}`)]);
}

/** Short, because a card has 20 of them. */
function digest(texts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(texts)).digest('base64url').slice(0, 12);
}

/** A press of a button that edits the message on which it stands. */
export type Press = { cardId: string; was: ShownBefore };

/** Undefined: no press, or one that edits nothing. The button's data is untrusted; the message's id is the chat service's. */
export function pressOf({ submission }: Pick<Turn, 'submission'>): Press | undefined {
  const was = shownBeforeSchema.safeParse(submission?.data.was).data;
  return submission?.cardId && was ? { cardId: submission.cardId, was } : undefined;
}

/** What goes on after a turn; undefined: nothing. Never rejects. */
export type Afterwards = { rest: Promise<void> | undefined };

/** Runs a press's turn. A press that equals one under way joins it, and ends with that one's turn. */
export type Presses = (turn: Turn, press: Press, begin: () => Promise<Afterwards>) => Promise<void>;

export function createPresses(): Presses {
  const underWay = new Map<string, Promise<Afterwards>>();
  return async ({ place, text }, { cardId }, begin) => {
    const key = JSON.stringify([place.reference.conversation.id, cardId, text]);
    const twin = underWay.get(key);
    if (twin) return void (await twin);
    const turn = begin();
    underWay.set(key, turn);
    try {
      const { rest } = await turn;
      if (rest) void rest.then(() => underWay.delete(key));
      else underWay.delete(key);
    } catch (error) {
      underWay.delete(key);
      throw error;
    }
  };
}
