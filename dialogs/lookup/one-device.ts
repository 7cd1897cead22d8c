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
import type { Format, Reader } from '../format/locale.ts';
import type { Message } from '../format/message.ts';
import { sayAttempts, sayNewest } from './attempts.ts';
import { countTokens, type DeviceAnswer, isDevice, nameOf, sayAccount, tokensOf } from './device-answer.ts';
import type { Shown } from './difference.ts';
import { type Fact, hintsOn, isOld, maker, reasons, sinceOf, switchForm, whereabouts } from './facts.ts';
import { verdictOf } from './verdict.ts';

const WORDS = {
  tokens: 'Tokens',
  noTokens: 'The session holds no tokens to post.',
  again: 'Look up again',
  showAll: 'Show all fields',
  showTokens: 'Show the tokens',
  nac: 'Open in the NAC',
};

/** A part of the answer: lines of its text, and elements of its card. */
type Block = { text: readonly string[]; elements: readonly Element[] };

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
  const { asked, address, outcome } = answer;
  const record = outcome.kind === 'found' ? outcome.record : undefined;
  const where = record ? whereabouts(address, record) : [];
  const since = [...(record ? sinceOf(record, reader.format) : []), ...maker(address)];
  const why = record ? reasons(record) : [];
  const attempts = attemptsBlock(answer, reader.format);
  const isFolded = isSaid(tokensOf(answer), why);
  const blocks = [
    openingBlock(answer, reader.format),
    ...(record ? [] : [attempts]),
    factsBlock([...where, ...since], [...where, ...(isDevice(answer) ? switchForm(address) : []), ...since]),
    factsBlock(why),
    hintsBlock(hintsOn(answer, reader.now)),
    ...(record ? [attempts, tokensBlock(answer, isFolded)] : []),
  ];
  const change = shown?.change ? [shown.change] : [];
  const body = [
    ...blocks.flatMap(({ elements }) => elements),
    ...change.map((words) => richText(runs(words), 'Default')),
    ...ending.map(note),
  ];
  return {
    text: paragraphs(lines(...blocks.flatMap(({ text }) => text)), ...change.map(toMarkdown), ...ending),
    summary: [...summaryOf(answer, where, reader), ...change.map(toPlain), ...ending].join('\n'),
    card: card(body, [
      ...(isDevice(answer) ? [button(WORDS.again, 'lookup', asked, shown?.was)] : []),
      ...(record ? [button(WORDS.showAll, 'fields', address)] : []),
      ...nacButton(answer, reader),
      ...(isFolded ? [showButton(WORDS.showTokens, TOKENS_ID)] : []),
    ]),
  };
}

/** What a notification leaves out. */
const TOO_MUCH: ReadonlySet<string> = new Set(['VLAN', 'Location']);

/** A lock screen shows the first words alone: the verdict, its reason, and the place. */
function summaryOf(answer: DeviceAnswer, where: readonly Fact[], { format, now }: Reader): string[] {
  const { words, meaning } = verdictOf(answer, format);
  const { outcome } = answer;
  const place = where.filter(({ label }) => !TOO_MUCH.has(label)).map(({ value }) => value);
  const age =
    outcome.kind === 'found' && isOld(outcome.record, now)
      ? [[format.age(outcome.record.lastSignAt ?? now)]]
      : [];
  const rest = joinLines([...place, ...age, [...nameOf(answer), sayAccount(answer)]], ', ');
  const newest = sayNewest(answer, format);
  return [
    toPlain([`${words}. `, ...(meaning ? [...meaning, ' '] : []), ...rest]),
    ...(newest ? [toPlain(newest)] : []),
    ...tokensOf(answer),
  ];
}

/** The device's address and its verdict. */
function openingBlock(answer: DeviceAnswer, format: Format): Block {
  const { words, tone, meaning } = verdictOf(answer, format);
  const opening = line`${nameOf(answer)}: ${[words, sayAccount(answer)]}.`;
  const verdict = [
    heading(`${words.charAt(0).toUpperCase()}${words.slice(1)}`),
    ...(meaning ? [richText(runs(meaning))] : []),
  ];
  return {
    text: [toMarkdown(meaning ? line`${opening} ${meaning}` : opening)],
    elements: [toned(tone, verdict), richText(addressLine(answer), 'Small')],
  };
}

function attemptsBlock(answer: DeviceAnswer, format: Format): Block {
  const { title, lines: each } = sayAttempts(answer, format);
  const spacing = title === undefined ? 'Small' : 'None';
  return {
    text: [...(title === undefined ? [] : [`${title}:`]), ...each.map(toMarkdown)],
    elements: [
      ...(title === undefined ? [] : [label(title)]),
      ...each.map((words) => richText(runs(words), spacing)),
    ],
  };
}

/** Facts that belong together, one a line: two columns would be too narrow on a phone. @param inCard default: the same */
function factsBlock(facts: readonly Fact[], inCard = facts): Block {
  const items = inCard.map(({ label, value }) => row([label], value));
  return {
    text: facts.map(({ label, value }) => `${label}: ${toMarkdown(value)}`),
    elements: items.length === 0 ? [] : [{ type: 'Container', items, spacing: 'Medium' }],
  };
}

function hintsBlock(hints: readonly Line[]): Block {
  const items = hints.map((hint) => richText(runs(hint)));
  return {
    text: hints.map(toMarkdown),
    elements: items.length === 0 ? [] : [{ type: 'Container', style: 'emphasis', spacing: 'Medium', items }],
  };
}

const TOKENS_ID = 'tokens';

function tokensBlock(answer: DeviceAnswer, isFolded: boolean): Block {
  if (countTokens(answer) === 0)
    return { text: [WORDS.noTokens], elements: [richText(runs([WORDS.noTokens]))] };
  const tokens = tokensOf(answer);
  const items = [label(WORDS.tokens), ...tokenLines(tokens)];
  return {
    text: [`${WORDS.tokens}:`, ...tokens.map(code)],
    elements: isFolded ? [{ type: 'Container', id: TOKENS_ID, isVisible: false, items }] : items,
  };
}

/** Whether rule and profiles have said all of the tokens already. */
function isSaid(tokens: readonly string[], why: readonly Fact[]): boolean {
  const said = why.flatMap(({ value }) =>
    value.flatMap((part) => (typeof part === 'string' ? [] : part.foreign)),
  );
  const isIn = (token: string) => (text: string) => text === token || text.split(/[\s,]+/).includes(token);
  return tokens.length > 0 && tokens.every((token) => said.some(isIn(token)));
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
