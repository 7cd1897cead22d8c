import { isMacAddress } from '../../src/domain/device-address.ts';
import {
  addressRuns,
  button,
  card,
  type Element,
  heading,
  label,
  linkButton,
  note,
  richText,
  row,
  runs,
  showButton,
  tokenLines,
  toned,
} from '../format/card.ts';
import { code, joinLines, type Line, line, lines, paragraphs, toMarkdown, toPlain } from '../format/line.ts';
import type { Reader } from '../format/locale.ts';
import type { Message } from '../format/message.ts';
import { type SaidAttempts, sayAttempts, sayNewest } from './attempts.ts';
import { countTokens, type DeviceAnswer, isDevice, nameOf, sayAccount, tokensOf } from './device-answer.ts';
import type { Shown } from './difference.ts';
import { type Fact, hintsOn, isOld, maker, reasons, sinceOf, switchForm, whereabouts } from './facts.ts';
import { type Verdict, verdictOf } from './verdict.ts';

const WORDS = {
  tokens: 'Tokens',
  noTokens: 'The session holds no tokens to post.',
  again: 'Look up again',
  showAll: 'Show all fields',
  showTokens: 'Show the tokens',
  nac: 'Open in the NAC',
};

/**
 * The answer for one device: verdict, user and place, reasons, tokens, and last what the bot did.
 * @param shown lets a press of "Look up again" edit the message
 */
export function deviceMessage(
  answer: DeviceAnswer,
  ending: readonly string[],
  reader: Reader,
  shown?: Shown,
): Message {
  const view = viewOf(answer, reader, ending, shown);
  return {
    text: asText(view),
    summary: asSummary(view),
    card: asCard(view),
  };
}

type View = {
  answer: DeviceAnswer;
  verdict: Verdict;
  /** The device's address and its verdict. */
  opening: Line;
  where: readonly Fact[];
  since: readonly Fact[];
  why: readonly Fact[];
  hints: readonly Line[];
  attempts: SaidAttempts;
  newest: Line | undefined;
  /** How long ago the last sign of life was, if that is long ago. */
  age: string | undefined;
  ending: readonly string[];
  shown: Shown | undefined;
  nacButtons: readonly Element[];
};

function viewOf(
  answer: DeviceAnswer,
  reader: Reader,
  ending: readonly string[],
  shown: Shown | undefined,
): View {
  const { format, now } = reader;
  const { address, outcome } = answer;
  const isFound = outcome.kind === 'found';
  const verdict = verdictOf(answer, format);
  return {
    answer,
    verdict,
    opening: openingOf(answer, verdict),
    where: isFound ? whereabouts(address, outcome.record) : [],
    since: [...(isFound ? sinceOf(outcome.record, format) : []), ...maker(address)],
    why: isFound ? reasons(outcome.record) : [],
    hints: hintsOn(answer, now),
    attempts: sayAttempts(answer, format),
    newest: sayNewest(answer, format),
    age: isFound && isOld(outcome.record, now) ? format.age(outcome.record.lastSignAt ?? now) : undefined,
    ending,
    shown,
    nacButtons: nacButton(answer, reader),
  };
}

function asText({ answer, opening, where, since, why, hints, attempts, ending, shown }: View): string {
  const tokens = tokensOf(answer);
  const last = [...(attempts.title ? [`${attempts.title}:`] : []), ...attempts.lines.map(toMarkdown)];
  const body = [
    toMarkdown(opening),
    ...(isFound(answer) ? [] : last),
    ...[...where, ...since, ...why].map(({ label, value }) => `${label}: ${toMarkdown(value)}`),
    ...hints.map(toMarkdown),
    ...(isFound(answer) ? last : []),
    ...(countTokens(answer) > 0
      ? [`${WORDS.tokens}:`, ...tokens.map(code)]
      : isFound(answer)
        ? [WORDS.noTokens]
        : []),
  ];
  return paragraphs(lines(...body), ...changeOf(shown).map(toMarkdown), ...ending);
}

/** What a notification leaves out. */
const TOO_MUCH: ReadonlySet<string> = new Set(['VLAN', 'Location']);

/** A lock screen shows the first words alone: the verdict, its reason, and the place. */
function asSummary({ answer, verdict, where, age, newest, ending, shown }: View): string {
  const { words, meaning } = verdict;
  const place = where.filter(({ label }) => !TOO_MUCH.has(label)).map(({ value }) => value);
  const rest = joinLines(
    [...place, ...(age === undefined ? [] : [[age]]), [...nameOf(answer), sayAccount(answer)]],
    ', ',
  );
  const opening = [`${words}. `];
  const first = meaning ? [...opening, ...meaning, ' ', ...rest] : [...opening, ...rest];
  return [
    toPlain(first),
    ...(newest ? [toPlain(newest)] : []),
    ...tokensOf(answer),
    ...changeOf(shown).map(toPlain),
    ...ending,
  ].join('\n');
}

function changeOf(shown: Shown | undefined): Line[] {
  return shown?.change ? [shown.change] : [];
}

function asCard(view: View): Element {
  const { answer, verdict, where, since, why, hints, attempts, ending, shown, nacButtons } = view;
  const { asked, address } = answer;
  const last = attemptElements(attempts);
  const isFolded = isSaid(tokensOf(answer), why);
  const body = [
    toned(verdict.tone, [
      heading(capitalise(verdict.words)),
      ...(verdict.meaning ? [richText(runs(verdict.meaning))] : []),
    ]),
    richText(addressLine(answer), 'Small'),
    ...(isFound(answer) ? [] : last),
    ...group([...where, ...(isDevice(answer) ? switchForm(address) : []), ...since]),
    ...group(why),
    ...(hints.length > 0 ? [advice(hints)] : []),
    ...(isFound(answer) ? last : []),
    ...tokenElements(answer, isFolded),
    ...changeOf(shown).map((change) => richText(runs(change), 'Default')),
    ...ending.map(note),
  ];
  return card(body, [
    ...(isDevice(answer) ? [button(WORDS.again, 'lookup', asked, shown?.was)] : []),
    ...(isFound(answer) ? [button(WORDS.showAll, 'fields', address)] : []),
    ...nacButtons,
    ...(isFolded ? [showButton(WORDS.showTokens, TOKENS_ID)] : []),
  ]);
}

/** Whether rule and profiles have said all of the tokens already. */
function isSaid(tokens: readonly string[], why: readonly Fact[]): boolean {
  const said = why.flatMap(({ value }) =>
    value.flatMap((part) => (typeof part === 'string' ? [] : part.foreign)),
  );
  const isIn = (token: string) => (text: string) => text === token || text.split(/[\s,]+/).includes(token);
  return tokens.length > 0 && tokens.every((token) => said.some(isIn(token)));
}

function openingOf(answer: DeviceAnswer, { words, meaning }: Verdict): Line {
  const opening = line`${nameOf(answer)}: ${[words, sayAccount(answer)]}.`;
  return meaning ? line`${opening} ${meaning}` : opening;
}

/** Facts that belong together, one a line: two columns would be too narrow on a phone. */
function group(facts: readonly Fact[]): Element[] {
  if (facts.length === 0) return [];
  const items = facts.map(({ label, value }) => row([label], value));
  return [{ type: 'Container', items, spacing: 'Medium' }];
}

function advice(hints: readonly Line[]): Element {
  return {
    type: 'Container',
    style: 'emphasis',
    spacing: 'Medium',
    items: hints.map((hint) => richText(runs(hint))),
  };
}

function attemptElements({ title, lines: each }: SaidAttempts): Element[] {
  return [
    ...(title === undefined ? [] : [label(title)]),
    ...each.map((words) => richText(runs(words), title === undefined ? 'Small' : 'None')),
  ];
}

const TOKENS_ID = 'tokens';

function tokenElements(answer: DeviceAnswer, isFolded: boolean): Element[] {
  if (!isFound(answer)) return [];
  if (countTokens(answer) === 0) return [richText(runs([WORDS.noTokens]))];
  const items = [label(WORDS.tokens), ...tokenLines(tokensOf(answer))];
  return isFolded ? [{ type: 'Container', id: TOKENS_ID, isVisible: false, items }] : items;
}

function isFound({ outcome }: DeviceAnswer): boolean {
  return outcome.kind === 'found';
}

function capitalise(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The card's line that names the device; it says so if the person's own account was used. */
export function addressLine(answer: DeviceAnswer): Element[] {
  const own = sayAccount(answer);
  const name = addressRuns(answer.address, answer.asked);
  return own === '' ? name : [...name, ...runs([own], { isSubtle: true })];
}

/**
 * The button to the NAC's own page for a device; none without such a page, or if the MAC address is not known. A link's
 * path, query and fragment may hold colons as they are (RFC 3986, section 3.3).
 */
export function nacButton(answer: DeviceAnswer, { nacLink }: Reader): Element[] {
  if (nacLink === undefined || !isDevice(answer) || !isMacAddress(answer.address)) return [];
  return [linkButton(WORDS.nac, new URL(nacLink.replaceAll('{mac}', answer.address)).href)];
}
