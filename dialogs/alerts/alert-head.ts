import type { AlertDetails } from '../../src/domain/alert.ts';
import { card, type Element, heading, linkButton, richText, row, runs } from '../format/card.ts';
import {
  joinLines,
  type Line,
  line,
  lines,
  paragraphs,
  shorten,
  toMarkdown,
  toPlain,
} from '../format/line.ts';
import type { Format } from '../format/locale.ts';
import type { Message } from '../format/message.ts';
import type { Fact } from '../lookup/facts.ts';

const WORDS = {
  firing: 'Alert firing',
  resolved: 'Alert resolved',
  /** Of an alert that nothing joins to the one that it ends. */
  ended: 'Resolved',
  open: 'Open the alert',
  link: 'Link',
  told: (times: string) => `told ${times} times`,
};

/**
 * A message with what the alert says of itself before it, and a button to the alert.
 * @param times how many alerts said that the incident is firing
 */
export function withAlertHead(message: Message, details: AlertDetails, format: Format, times = 1): Message {
  const { title } = details;
  const url = linkOf(details);
  const told = times > 1 ? `, ${WORDS.told(format.number(times))}` : '';
  const facts = factsOf(details, format, (startsAt) => ` (${format.age(startsAt)})${told}`);
  const head = linesOf(details, facts);
  const body: Element[] = [
    heading(openingOf(details)),
    ...(title === undefined ? [] : [richText(runs(line`${shorten(title)}`, { weight: 'Bolder' }))]),
    ...[...facts, ...hostOf(url)].map(({ label, value }) => row([label], value)),
  ];
  const { body: rest = [], actions = [] } = message.card ?? {};
  const [first, ...others] = rest as readonly Element[];
  return {
    text: paragraphs(lines(...head.map(toMarkdown)), message.text),
    summary: [...head.map(toPlain), message.summary ?? ''].join('\n'),
    card: card(
      [{ type: 'Container', items: body }, ...(first ? [{ ...first, separator: true }, ...others] : [])],
      [...(url ? [linkButton(WORDS.open, url.href)] : []), ...(actions as readonly Element[])],
    ),
  };
}

/** What the alert says of itself, for the room. Holds no age, so that a second try posts the same text. */
export function alertHeadText(details: AlertDetails, format: Format): string {
  return linesOf(details, factsOf(details, format)).map(toPlain).join('\n');
}

function linesOf(details: AlertDetails, facts: readonly Fact[]): Line[] {
  const { title } = details;
  const words = openingOf(details);
  const opening = title === undefined ? [`${words}.`] : line`${[words]}: ${shorten(title)}`;
  const each = facts.map(({ label, value }) => [`${label}: `, ...value]);
  const rest = joinLines(each, ', ');
  return rest.length > 0 ? [opening, rest] : [opening];
}

function openingOf({ state, incidentKey }: AlertDetails): string {
  return state === 'resolved' && incidentKey === undefined ? WORDS.ended : WORDS[state];
}

function factsOf(
  { source, severity, startsAt }: AlertDetails,
  format: Format,
  history = (_startsAt: number) => '',
): Fact[] {
  const known = (label: string, foreign: string | undefined): Fact[] =>
    foreign === undefined ? [] : [{ label, value: line`${shorten(foreign)}` }];
  const since = (at: number): Fact => ({ label: 'Since', value: [`${format.time(at)}${history(at)}`] });
  return [
    ...known('Source', source),
    ...known('Severity', severity),
    ...(startsAt === undefined ? [] : [since(startsAt)]),
  ];
}

/** The address of the alert; undefined if it is none that a person should open. */
function linkOf({ link = '' }: AlertDetails): URL | undefined {
  const url = URL.parse(link);
  return url?.protocol === 'https:' ? url : undefined;
}

/** Where the button leads, because the link is foreign. A narrow button would cut off the host's end. */
function hostOf(url: URL | undefined): Fact[] {
  return url === undefined ? [] : [{ label: WORDS.link, value: line`${url.host}` }];
}
