import type { AlertDetails, AlertHead, Incident } from '../../src/domain/incident.ts';
import type { Delivery } from '../../src/webhook/sender.ts';
import { markPosted, shownNow } from '../lookup/report.ts';
import { deliveryText, leftOutText, numberText, renderAnswer, roomBlock } from '../render/answer.ts';
import { verdictOf } from '../render/describe.ts';
import type { DeviceAnswer, Devices } from '../render/device.ts';
import { triage } from '../render/many-devices.ts';
import type { Message } from '../render/message.ts';
import * as card from '../render/message.ts';
import {
  durationText,
  type Formatter,
  joinLines,
  type Line,
  line,
  lines,
  paragraphs,
  shorten,
  text,
  toMarkdown,
  toPlain,
  toRoom,
} from '../render/words.ts';

/** `head`: since the incident's beginning. `number`: in its audit lines. */
export type AnsweredAlert = Devices &
  Pick<Incident<unknown>, 'head' | 'arrivedAt' | 'leftOut' | 'times'> & { number: number };

export function alertMessage(alert: AnsweredAlert, delivery: Delivery, formatter: Formatter): Message {
  const { number, answers, waiting, head: details, times } = alert;
  const isPosted = delivery.outcome.kind === 'posted';
  const notes = [
    ...(waiting.length > 0 && isPosted ? [] : [deliveryText(delivery, 'devices')]),
    ...moreAddressesText(alert),
    ...numberText(number, answers, delivery),
  ];
  const { state, toPost } = shownNow(undefined, answers, formatter);
  if (isPosted || delivery.isQueued) markPosted(state, toPost);
  const head = { details, times };
  const message = renderAnswer(answers, formatter, { waiting, notes, state: { ...state, alert: head } });
  return withHead(message, head, formatter);
}

/**
 * The post about an alert's changes. It names devices without tokens, too, because nobody else would post them.
 * @param changed devices that are new or differ @param gone addresses that are no longer in the alert
 */
export function alertRoomText(
  alert: AnsweredAlert,
  changed: readonly DeviceAnswer[],
  gone: readonly string[],
  formatter: Formatter,
): string {
  const { number, answers, waiting, head } = alert;
  const { unwell, well, others, shared } = triage(changed, formatter);
  const unchanged = answers.length - changed.length;
  const isFiring = head.state === 'firing';
  return paragraphs(
    isFiring ? headOf(head, formatter).lines.map(toRoom).join('\n') : toRoom(stateText(alert)),
    ...shared.map(toRoom),
    ...unwell.map((each) => roomBlock(each, each.explanation)),
    ...others,
    ...well.map((each) => roomBlock(each)),
    ...(waiting.length > 0 ? [`Still asking the NAC about: ${waiting.join(', ')}.`] : []),
    ...(unchanged > 0 ? [] : moreAddressesText(alert)),
    ...(gone.length > 0 ? [`No longer in the alert: ${gone.join(', ')}.`] : []),
    ...(unchanged > 0 && isFiring ? ['Nothing else has changed.'] : []),
    ...numberText(number, changed),
    ...leftOutText(changed),
  );
}

function moreAddressesText({ answers, waiting, leftOut }: AnsweredAlert): string[] {
  const taken = `I looked up the first ${answers.length + waiting.length}`;
  return leftOut > 0 ? [`The alert held more addresses: ${taken}, and left out ${leftOut}.`] : [];
}

/** The line that reports that an alert is resolved or fires again: `Resolved after 5 minutes; still not well: 00:1B:54:00:00:03 (rejected) · Port down` */
export function stateText({ head, arrivedAt, answers }: AnsweredAlert): Line {
  const { state, startsAt, title } = head;
  const ms = arrivedAt - (startsAt ?? arrivedAt);
  const lasted = ms > 0 ? ` after ${durationText(ms)}` : '';
  const unwell = answers.filter((answer) => verdictOf(answer).tone !== 'Good');
  const named = unwell.map((answer) => line`${answer.address} (${verdictOf(answer).heading})`);
  const opening = [state === 'resolved' ? `Resolved${lasted}` : 'Firing again'];
  const words = joinLines([opening, joinLines(named, ', ')], '; still not well: ');
  return title === undefined ? [...words, '.'] : line`${words} · ${shorten(title)}`;
}

/** A message about an alert's devices, below the alert's head. */
export function withHead(message: Message, { details, times = 1 }: AlertHead, formatter: Formatter): Message {
  const { title, startsAt, link = '' } = details;
  const repeats = times > 1 ? `, reported ${times} times` : '';
  const history = startsAt === undefined ? '' : ` (${formatter.age(startsAt)})${repeats}`;
  const { opening, facts, lines: said } = headOf(details, formatter, history);
  const url = URL.parse(link);
  const opened = url?.protocol === 'https:' ? [url] : [];
  // The host says where the button leads, because the link is untrusted. A narrow button would cut off the host's end.
  const hosts = opened.map(({ host }): [string, Line] => ['Link', line`${host}`]);
  const items = [
    card.heading(opening),
    ...(title === undefined ? [] : [card.richText(card.runs(text(title), { weight: 'Bolder' }))]),
    ...[...facts, ...hosts].map(([label, value]) => card.row([label], value)),
  ];
  const { body = card.linesPart([[message.text]]).elements, actions = [] } = message.card ?? {};
  const buttons = opened.map(({ href: url }) => ({ type: 'Action.OpenUrl', title: 'Open the alert', url }));
  return {
    text: paragraphs(lines(...said.map(toMarkdown)), message.text),
    summary: [toPlain(said[0] ?? []) + repeats, message.summary ?? ''].join('\n'),
    card: card.adaptiveCard(
      [{ type: 'Container', items }, ...(body as readonly card.Element[])],
      [...buttons, ...(actions as readonly card.Element[])],
    ),
  };
}

/** The head's opening and facts, and its lines. @param history follows the alert's beginning */
function headOf(details: AlertDetails, formatter: Formatter, history = '') {
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
