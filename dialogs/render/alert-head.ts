import type { AlertDetails, AlertHead } from '../../src/domain/incident.ts';
import * as card from './message.ts';
import { type Formatter, joinLines, type Line, line, text } from './words.ts';

/** A message about an alert's devices, below the alert's head; any other message without an alert. */
export function messageUnder(
  alert: AlertHead | undefined,
  parts: readonly card.Part[],
  buttons: readonly card.Element[],
  formatter: Formatter,
): card.Message {
  if (!alert) return card.messageOf(parts, buttons);
  const { details, times = 1 } = alert;
  const { title, startsAt, link = '' } = details;
  const repeats = times > 1 ? `, reported ${times} times` : '';
  const history = startsAt === undefined ? '' : ` (${formatter.age(startsAt)})${repeats}`;
  const { opening, facts, lines } = headOf(details, formatter, history);
  const url = URL.parse(link);
  const opened = url?.protocol === 'https:' ? [url] : [];
  // The host says where the button leads, because the link is untrusted. A narrow button would cut off the host's end.
  const hosts = opened.map(({ host }): [string, Line] => ['Link', line`${host}`]);
  const items = [
    card.heading(opening),
    ...(title === undefined ? [] : [card.richText(card.runs(text(title), { weight: 'Bolder' }))]),
    ...[...facts, ...hosts].map(([label, value]) => card.row([label], value)),
  ];
  const summary = [[...(lines[0] ?? []), repeats]];
  const head = { text: lines, summary, elements: [{ type: 'Container', items }] };
  const open = opened.map(({ href: url }) => ({ type: 'Action.OpenUrl', title: 'Open the alert', url }));
  return card.messageOf([head, ...parts], [...open, ...buttons]);
}

/** The head's opening and facts, and its lines. @param history follows the alert's beginning */
export function headOf(details: AlertDetails, formatter: Formatter, history = '') {
  const { state, incidentKey, title, source, severity, startsAt } = details;
  // Without an id, nothing joins a resolved alert to the one that it ends.
  const opening = state === 'resolved' && incidentKey === undefined ? 'Resolved' : `Alert ${state}`;
  const since = startsAt === undefined ? [] : [`${formatter.time(startsAt)}${history}`];
  const all: Array<[label: string, value: Line]> = [
    ['Source', text(source)],
    ['Severity', text(severity)],
    ['Since', since],
  ];
  const facts = all.filter(([, value]) => value.length > 0);
  const named = facts.map(([label, value]) => [`${label}: `, ...value]);
  const first = title === undefined ? [`${opening}.`] : joinLines([[opening], text(title)], ': ');
  return { opening, facts, lines: [first, joinLines(named, ', ')].filter(({ length }) => length > 0) };
}
