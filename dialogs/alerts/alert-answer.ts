import type { Incident } from '../../src/domain/incident.ts';
import type { Delivery } from '../../src/webhook/sender.ts';
import { markPosted, shownNow } from '../lookup/report.ts';
import { deliveryText, leftOutText, numberText, renderAnswer, roomBlock } from '../render/answer.ts';
import { verdictOf } from '../render/describe.ts';
import type { DeviceAnswer, Devices } from '../render/device.ts';
import { triage } from '../render/many-devices.ts';
import { alertHead, type Message } from '../render/message.ts';
import * as words from '../render/words.ts';
import { type Formatter, joinLines, type Line, line } from '../render/words.ts';

/** `head`: since the incident's beginning. `number`: in its audit lines. */
export type AnsweredAlert = Devices &
  Pick<Incident<unknown>, 'head' | 'arrivedAt' | 'leftOut' | 'times'> & { number: number };

export function alertMessage(alert: AnsweredAlert, delivery: Delivery, formatter: Formatter): Message {
  const { number, answers, waiting, head: details, times } = alert;
  const isPosted = delivery.outcome.kind === 'posted';
  const notes = [
    ...(waiting.length > 0 && isPosted ? [] : [deliveryText(delivery, 'devices')]),
    ...moreAddressesText(alert),
    ...numberText(() => number, answers, delivery),
  ];
  const { state, toPost } = shownNow(undefined, answers, formatter);
  if (isPosted || delivery.isQueued) markPosted(state, toPost);
  const shown = { ...state, alert: { details, times } };
  return renderAnswer(answers, formatter, { waiting, notes, state: shown });
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
  return words.paragraphs(
    isFiring ? alertHead(head, formatter).lines.map(words.toRoom).join('\n') : words.toRoom(stateText(alert)),
    ...shared.map(words.toRoom),
    ...unwell.map((each) => roomBlock(each, each.explanation)),
    ...others,
    ...well.map((each) => roomBlock(each)),
    ...(waiting.length > 0 ? [`Still asking the NAC about: ${waiting.join(', ')}.`] : []),
    ...(unchanged > 0 ? [] : moreAddressesText(alert)),
    ...(gone.length > 0 ? [`No longer in the alert: ${gone.join(', ')}.`] : []),
    ...(unchanged > 0 && isFiring ? ['Nothing else has changed.'] : []),
    ...numberText(() => number, changed),
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
  const lasted = ms > 0 ? ` after ${words.durationText(ms)}` : '';
  const unwell = answers.filter((answer) => verdictOf(answer).tone !== 'Good');
  const named = unwell.map((answer) => line`${answer.address} (${verdictOf(answer).heading})`);
  const opening = [state === 'resolved' ? `Resolved${lasted}` : 'Firing again'];
  const said = joinLines([opening, joinLines(named, ', ')], '; still not well: ');
  return title === undefined ? [...said, '.'] : line`${said} · ${words.text(title)}`;
}
