import { z } from 'zod';
import type { AlertDetails } from '../../src/alerts/alert.ts';
import type { Delivery } from '../../src/webhook/posts.ts';
import { momentSchema, shownNow } from '../lookup/changes.ts';
import { answerMessage, deliveryText, roomBlock } from '../render/answer.ts';
import * as card from '../render/card.ts';
import { firstLine, verdictOf } from '../render/describe.ts';
import type { DeviceAnswer, Fact } from '../render/device.ts';
import * as device from '../render/device.ts';
import { devicesMessage } from '../render/many-devices.ts';
import { type Message, messageOf } from '../render/message.ts';
import { type Devices, headline, triage } from '../render/triage.ts';
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
  toBare,
  toMarkdown,
  toPlain,
  toRoom,
} from '../render/words.ts';

const WORDS = {
  head: { firing: 'Alert firing', resolved: 'Alert resolved' },
  reopened: 'Firing again',
  line: 'Resolved',
  allWell: 'its devices are connected',
  others: (count: string) => `${count} more are not well`,
  open: 'Open the alert',
  link: 'Link',
  repeats: (times: string) => `, told ${times} times`,
  waiting: (addresses: string) => `Still asking the NAC about: ${addresses}.`,
  /** A device whose answer is a passing failure was asked for that long. */
  silent: (devices: string) => `The NAC did not answer for 10 minutes about ${devices}.`,
  stillAsking: 'still asking',
  gone: (addresses: string) => `No longer in the alert: ${addresses}.`,
  unchanged: (count: string) =>
    count === '1' ? '1 device is unchanged.' : `${count} devices are unchanged.`,
  leftOut: (taken: string, leftOut: string) =>
    `The alert held more addresses: I looked up the first ${taken}, and left out ${leftOut}.`,
  more: (count: number) => `${count} more ${count === 1 ? 'alert' : 'alerts'}`,
  noLine: (count: number) => `${count} of them have no line here.`,
};

/** The most of a title on a lock screen, where the first device follows within 90 characters. */
const MAX_TITLE = 55;
/** More would fill a phone's screen. */
const MAX_STILL = 3;

export type AnsweredAlert = Devices & {
  /** Stands in its audit lines. */
  number: number;
  details: AlertDetails;
  leftOut: number;
  /** How many alerts were firing; undefined: this is the first. */
  times?: number;
};

export function alertMessage(alert: AnsweredAlert, delivery: Delivery, formatter: Formatter): Message {
  const { number, answers, waiting, details, times } = alert;
  const isPosted = delivery.outcome.kind === 'posted';
  const isPartly = waiting.length > 0;
  const ending = [
    ...(isPartly && isPosted ? [] : [deliveryText(delivery, 'devices')]),
    ...remarkTexts(alert, answers, formatter),
    ...device.numberText(number, answers, delivery),
  ];
  const shown = shownNow(undefined, answers, isPosted || delivery.kept, formatter);
  const message = isPartly
    ? devicesMessage(alert, { ending, isOnTheWay: true }, formatter)
    : answerMessage(answers, undefined, formatter, ending, shown);
  return withHead(message, { details, times }, formatter);
}

/** What the room does not have: devices that are new or differ, and addresses that are no longer in the alert. */
type Difference = { changed: readonly DeviceAnswer[]; gone: readonly string[] };

/** The post for what has changed in an alert. It names devices without tokens, too, because nobody else would post them. */
export function alertRoomText(
  alert: AnsweredAlert,
  { changed, gone }: Difference,
  formatter: Formatter,
): string {
  const { number, answers, waiting, details } = alert;
  const { unwell, well, others, shared, causes } = triage(changed, formatter);
  const unchanged = answers.length - changed.length;
  const isFiring = details.state === 'firing';
  return paragraphs(
    isFiring
      ? headOf(details, formatter).lines.map(toRoom).join('\n')
      : toRoom(resolvedText(alert, formatter)),
    ...causes.map(toRoom),
    ...unwell.map(({ answer, why }) => roomBlock(answer, why)),
    ...others,
    ...well.map(({ answer }) => roomBlock(answer)),
    ...shared.map(toRoom),
    ...(waiting.length > 0 ? [WORDS.waiting(waiting.join(', '))] : []),
    ...remarkTexts(unchanged > 0 ? { ...alert, leftOut: 0 } : alert, changed, formatter),
    ...(gone.length > 0 ? [WORDS.gone(gone.join(', '))] : []),
    ...(unchanged > 0 && isFiring ? [WORDS.unchanged(formatter.number(unchanged))] : []),
    ...device.numberText(number, changed, undefined),
    ...device.leftOutText(changed, formatter, String),
  );
}

/** Names the devices that the NAC did not answer about, and counts the addresses that were left out. */
function remarkTexts(
  { answers, waiting, leftOut }: AnsweredAlert,
  changed: readonly DeviceAnswer[],
  { number }: Formatter,
) {
  const silent = changed.filter((each) => device.isTransient(each) || each.outcome.kind === 'given up');
  const taken = number(answers.length + waiting.length);
  return [
    ...(silent.length > 0 ? [WORDS.silent(silent.map(({ asked }) => asked).join(', '))] : []),
    ...(leftOut > 0 ? [WORDS.leftOut(taken, number(leftOut))] : []),
  ];
}

export function stateLine(
  state: 'resolved' | 'reopened',
  alert: AnsweredAlert,
  formatter: Formatter,
): Message {
  const { title } = alert.details;
  const reopened = () => [...withTitle(WORDS.reopened, title), '. ', ...devicesText(alert, formatter)];
  return { text: toMarkdown(state === 'resolved' ? resolvedText(alert, formatter) : reopened()) };
}

function resolvedText({ details, answers, waiting }: AnsweredAlert, formatter: Formatter): Line {
  const { startsAt, title } = details;
  const lasted = startsAt === undefined ? '' : ` after ${durationText(formatter.now() - startsAt)}`;
  const unwell = answers.filter((answer) => verdictOf(answer).tone !== 'Good');
  const others = unwell.length - MAX_STILL;
  const named = unwell.slice(0, MAX_STILL).map(stillText);
  const still = joinLines([...named, others > 0 ? [WORDS.others(formatter.number(others))] : []], ', ');
  const early = waiting.slice(0, MAX_STILL).join(', ');
  const asking = early === '' ? [] : [`${WORDS.stillAsking} about ${early}`];
  const isAllWell = answers.length > 0 && unwell.length + waiting.length === 0;
  const text = joinLines([[`${WORDS.line}${lasted}`], isAllWell ? [WORDS.allWell] : still, asking], '; ');
  return title === undefined ? [...text, '.'] : line`${text} · ${shorten(title)}`;
}

/** `00:1B:54:00:00:03 is still rejected (Blacklist_Access-Reject, sw-floor2-17 Gi1/0/15)`. */
function stillText(answer: DeviceAnswer): Line {
  const { address, outcome } = answer;
  const { words, heading } = verdictOf(answer);
  const record = device.recordOf(answer);
  const why = joinLines([text(record.rule), device.placeText(record)], ', ');
  const unknown = words === 'no session' ? 'without a session' : 'not known';
  const state = outcome.kind === 'found' ? ['still ', ...heading] : [unknown];
  return why.length > 0 ? line`${address} is ${state} (${why})` : line`${address} is ${state}`;
}

function devicesText(devices: Devices, formatter: Formatter): Line {
  const { answers, waiting } = devices;
  const [first] = answers;
  if (answers.length + waiting.length !== 1) return [headline(devices, formatter)];
  return first === undefined
    ? firstLine(line`${waiting.join()}`, [WORDS.stillAsking])
    : firstLine(device.nameOf(first), verdictOf(first).heading);
}

/** An incident as one line of a digest: its head, then its devices. Untrusted text. */
export function digestLine(alert: AnsweredAlert, formatter: Formatter): string {
  const [head = []] = headOf(alert.details, formatter).lines;
  return toBare(line`${head} · ${devicesText(alert, formatter)}`);
}

/** The most lines of a digest, which must fit into a message of 28 KB. */
const MAX_LINES = 60;

/** @param incidents each in a {@link digestLine} */
export function digestMessage(incidents: readonly string[]): Message {
  const { length } = incidents;
  const shown = incidents.slice(0, MAX_LINES).map((each) => line`${each}`);
  const parts = [card.headingPart(WORDS.more(length)), card.linesPart(shown)];
  return messageOf(length > MAX_LINES ? [...parts, card.notePart(WORDS.noLine(length - MAX_LINES))] : parts);
}

/** An alert's details, as jobs and buttons carry them. */
export const detailsSchema = (text: z.ZodString) =>
  z
    .object({ title: text, source: text, severity: text, link: text, startsAt: momentSchema })
    .partial()
    .extend({ state: z.enum(['firing', 'resolved']) });

/** An alert's head as a button carries it, so that a press edits the alert's message and keeps it. Untrusted. */
export const alertHeadSchema = z.object({
  details: detailsSchema(z.string().max(2000)),
  times: z.number().optional(),
});
type AlertHead = { details: AlertDetails; times?: number | undefined };

/** A message about an alert's devices, below the alert's head. */
export function withHead(message: Message, head: AlertHead, formatter: Formatter): Message {
  const { details, times = 1 } = head;
  const { title, startsAt, link = '' } = details;
  const repeats = times > 1 ? WORDS.repeats(formatter.number(times)) : '';
  const history = startsAt === undefined ? '' : ` (${formatter.age(startsAt)})${repeats}`;
  const { opening, facts, lines: text } = headOf(details, formatter, history);
  const notified = withTitle(opening, title?.slice(0, MAX_TITLE));
  const url = URL.parse(link);
  const opened = url?.protocol === 'https:' ? [url] : [];
  // The host says where the button leads, because the link is untrusted. A narrow button would cut off the host's end.
  const hosts = opened.map(({ host }) => ({ label: WORDS.link, value: line`${host}` }));
  const items = [
    card.heading(opening),
    ...(title === undefined ? [] : [card.richText(card.runs(line`${shorten(title)}`, { weight: 'Bolder' }))]),
    ...[...facts, ...hosts].map(({ label, value }) => card.row([label], value)),
  ];
  const { body = [], actions = [] } = message.card ?? {};
  const [first, ...others] = body as readonly card.Element[];
  const buttons = opened.map(({ href }) => card.linkButton(WORDS.open, href));
  return {
    text: paragraphs(lines(...text.map(toMarkdown)), message.text),
    summary: [toPlain(notified) + repeats, message.summary ?? ''].join('\n'),
    card: card.adaptiveCard(
      [{ type: 'Container', items }, ...(first ? [{ ...first, separator: true }, ...others] : [])],
      [...buttons, ...(actions as readonly card.Element[]).map((action) => carry(head, action))],
    ),
  };
}

function carry({ details, times }: AlertHead, action: card.Element): card.Element {
  const { incidentKey: _, ...carried } = details;
  const data = action.data as { was?: unknown } | undefined;
  return data?.was ? { ...action, data: { ...data, alert: { details: carried, times } } } : action;
}

/** The head's parts, and its lines. @param history what follows the alert's beginning */
function headOf(details: AlertDetails, formatter: Formatter, history = '') {
  const { state, incidentKey, title, source, severity, startsAt } = details;
  // Without an id, nothing joins a resolved alert to the one that it ends.
  const opening = state === 'resolved' && incidentKey === undefined ? WORDS.line : WORDS.head[state];
  const since = startsAt === undefined ? [] : [`${formatter.time(startsAt)}${history}`];
  const all: Fact[] = [
    { label: 'Source', value: text(source) },
    { label: 'Severity', value: text(severity) },
    { label: 'Since', value: since },
  ];
  const facts = all.filter(({ value }) => value.length > 0);
  const rest = joinLines(
    facts.map(({ label, value }) => [`${label}: `, ...value]),
    ', ',
  );
  const first = title === undefined ? [`${opening}.`] : withTitle(opening, title);
  return { opening, facts, lines: rest.length > 0 ? [first, rest] : [first] };
}

function withTitle(words: string, title: string | undefined): Line {
  return title === undefined ? [words] : line`${[words]}: ${shorten(title)}`;
}
