import {
  addressRuns,
  button,
  card,
  type Element,
  heading,
  label,
  note,
  richText,
  row,
  runs,
  tokenLines,
} from '../format/card.ts';
import { joinLines, type Line, line, toMarkdown, toPlain } from '../format/line.ts';
import type { Reader } from '../format/locale.ts';
import { code, lines, paragraphs } from '../format/markdown.ts';
import type { Message } from '../format/message.ts';
import { type SaidAttempts, sayAttempts, sayNewest } from './attempts.ts';
import { type DeviceAnswer, isDevice, nameOf, tokensOf } from './device-answer.ts';
import { type Fact, maker, reasons, whereabouts } from './facts.ts';
import { hintsOn } from './hints.ts';
import type { Verdict } from './session-verdict.ts';
import { verdictOf } from './verdict.ts';

const WORDS = {
  tokens: 'Tokens',
  noTokens: 'The session holds no tokens to post.',
  again: 'Look up again',
  showAll: 'Show all fields',
};

/** The answer for one device: verdict, user and place, reasons, tokens, and last what the bot did. */
export function deviceMessage(answer: DeviceAnswer, ending: readonly string[], reader: Reader): Message {
  const view = viewOf(answer, ending, reader);
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
  why: readonly Fact[];
  hints: readonly Line[];
  attempts: SaidAttempts;
  newest: Line | undefined;
  ending: readonly string[];
};

function viewOf(answer: DeviceAnswer, ending: readonly string[], { format, now }: Reader): View {
  const { address, outcome } = answer;
  const isFound = outcome.kind === 'found';
  const verdict = verdictOf(answer, format);
  return {
    answer,
    verdict,
    opening: openingOf(answer, verdict),
    where: [...(isFound ? whereabouts(address, outcome.record, format) : []), ...maker(address)],
    why: isFound ? reasons(outcome.record) : [],
    hints: hintsOn(answer, now),
    attempts: sayAttempts(answer, format),
    newest: sayNewest(answer, format),
    ending,
  };
}

function asText({ answer, opening, where, why, hints, attempts, ending }: View): string {
  const tokens = tokensOf(answer);
  const last = [...(attempts.title ? [`${attempts.title}:`] : []), ...attempts.lines.map(toMarkdown)];
  const body = [
    toMarkdown(opening),
    ...(isFound(answer) ? [] : last),
    ...[...where, ...why].map(({ label, value }) => `${label}: ${toMarkdown(value)}`),
    ...hints.map(toMarkdown),
    ...(isFound(answer) ? last : []),
    ...(tokens.length > 0
      ? [`${WORDS.tokens}:`, ...tokens.map(code)]
      : isFound(answer)
        ? [WORDS.noTokens]
        : []),
  ];
  return paragraphs(lines(...body), ...ending);
}

/** What a notification leaves out. */
const TOO_MUCH: ReadonlySet<string> = new Set(['VLAN', 'Location', 'Since', 'Maker']);

function asSummary({ answer, opening, where, newest, ending }: View): string {
  const brief = joinLines(
    where.filter(({ label }) => !TOO_MUCH.has(label)).map(({ value }) => value),
    ', ',
  );
  const first = brief.length > 0 ? [...opening, ' ', ...brief] : opening;
  return [toPlain(first), ...(newest ? [toPlain(newest)] : []), ...tokensOf(answer), ...ending].join('\n');
}

function asCard({ answer, verdict, where, why, hints, attempts, ending }: View): Element {
  const { asked, address } = answer;
  const last = attemptElements(attempts);
  const body = [
    heading(capitalise(verdict.words), verdict.tone),
    richText(addressRuns(address, asked), 'None'),
    ...(verdict.meaning ? [richText(runs(verdict.meaning))] : []),
    ...(isFound(answer) ? [] : last),
    ...group(where),
    ...group(why),
    ...(hints.length > 0 ? [advice(hints)] : []),
    ...(isFound(answer) ? last : []),
    ...tokenElements(answer),
    ...ending.map(note),
  ];
  return card(body, [
    ...(isDevice(answer) ? [button(WORDS.again, 'lookup', asked)] : []),
    ...(isFound(answer) ? [button(WORDS.showAll, 'fields', address)] : []),
  ]);
}

function openingOf(answer: DeviceAnswer, { words, meaning }: Verdict): Line {
  const name = nameOf(answer);
  return meaning ? line`${name}: ${[words]}. ${meaning}` : line`${name}: ${[words]}.`;
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

function tokenElements(answer: DeviceAnswer): Element[] {
  if (!isFound(answer)) return [];
  const tokens = tokensOf(answer);
  if (tokens.length === 0) return [richText(runs([WORDS.noTokens]))];
  return [label(WORDS.tokens), ...tokenLines(tokens)];
}

function isFound({ outcome }: DeviceAnswer): boolean {
  return outcome.kind === 'found';
}

function capitalise(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}
