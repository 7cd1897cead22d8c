import { z } from 'zod';
import type { AlertDetails } from '../../src/alerts/alert.ts';
import type { Delivery } from '../../src/webhook/posts.ts';
import { momentSchema, shownNow } from '../lookup/told.ts';
import { answerMessage, roomBlock } from '../render/answer.ts';
import * as card from '../render/card.ts';
import { firstLine } from '../render/describe.ts';
import type { DeviceAnswer } from '../render/device.ts';
import * as device from '../render/device.ts';
import { type Fact, known, placeTexts, quoted } from '../render/facts.ts';
import { deliveryText } from '../render/faults.ts';
import { devicesMessage } from '../render/many-devices.ts';
import { type Message, messageOf } from '../render/message.ts';
import { type Devices, headline, triage } from '../render/triage.ts';
import { verdictOf } from '../render/verdict.ts';
import {
  durationText,
  joinLines,
  type Line,
  line,
  lines,
  paragraphs,
  type Reader,
  shorten,
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
  told: (times: string) => `, told ${times} times`,
  waiting: 'Still asking the NAC about',
  /** A device whose answer is a passing failure was asked for that long. */
  silent: (devices: string) => `The NAC did not answer for 10 minutes about ${devices}.`,
  stillAsking: 'still asking',
  gone: (addresses: string) => `No longer in the alert: ${addresses}.`,
  unchanged: (count: number, words: string) =>
    count === 1 ? '1 device is unchanged.' : `${words} devices are unchanged.`,
  more: (count: number) => (count === 1 ? '1 more alert' : `${count} more alerts`),
  leftOut: (taken: string, leftOut: string) =>
    `The alert held more addresses: I looked up the first ${taken}, and left out ${leftOut}.`,
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
  /** How many alerts said that the incident is firing; undefined: this is the first. */
  times?: number;
};

export function alertMessage(alert: AnsweredAlert, delivery: Delivery, reader: Reader): Message {
  const { number, answers, waiting, details, times } = alert;
  const isPartly = waiting.length > 0;
  const ending = [
    ...(isPartly && delivery.outcome.kind === 'posted' ? [] : [deliveryText(delivery, 'devices')]),
    ...saySilent(answers),
    ...sayLeftOut(alert, reader),
    ...device.numberText(number, answers, delivery),
  ];
  const isPosted = delivery.outcome.kind === 'posted' || delivery.kept;
  const message = isPartly
    ? devicesMessage(alert, { ending, isOnTheWay: true }, reader)
    : answerMessage(answers, undefined, reader, ending, shownNow(undefined, answers, isPosted, reader));
  return withHead(message, { details, times }, reader);
}

/** What the room has not heard: devices that are new or differ, and addresses that are no longer in the alert. */
type Difference = { changed: readonly DeviceAnswer[]; gone: readonly string[] };

/** The post for what has changed in an alert. It also tells of devices without tokens, because nobody else would be told. */
export function alertRoomText(alert: AnsweredAlert, { changed, gone }: Difference, reader: Reader): string {
  const { number, answers, waiting, details } = alert;
  const { unwell, well, others, shared, causes } = triage(changed, reader);
  const unchanged = answers.length - changed.length;
  return paragraphs(
    details.state === 'resolved' ? toRoom(sayResolved(alert, reader)) : headText(details, reader),
    ...causes.map(toRoom),
    ...unwell.map(({ answer, why }) => roomBlock(answer, why)),
    ...others,
    ...well.map(({ answer }) => roomBlock(answer)),
    ...shared.map(toRoom),
    ...(waiting.length > 0 ? [`${WORDS.waiting}: ${waiting.join(', ')}.`] : []),
    ...saySilent(changed),
    ...(unchanged > 0 ? [] : sayLeftOut(alert, reader)),
    ...(gone.length > 0 ? [WORDS.gone(gone.join(', '))] : []),
    ...(unchanged > 0 && details.state === 'firing'
      ? [WORDS.unchanged(unchanged, reader.number(unchanged))]
      : []),
    ...device.numberText(number, changed, undefined),
    ...device.leftOutText(changed, reader, String),
  );
}

function sayLeftOut({ answers, waiting, leftOut }: AnsweredAlert, { number }: Reader): string[] {
  return leftOut > 0 ? [WORDS.leftOut(number(answers.length + waiting.length), number(leftOut))] : [];
}

function saySilent(answers: readonly DeviceAnswer[]): string[] {
  const silent = answers.filter((each) => device.isTransient(each) || each.outcome.kind === 'given up');
  return silent.length > 0 ? [WORDS.silent(silent.map(({ asked }) => asked).join(', '))] : [];
}

export function stateLine(state: 'resolved' | 'reopened', alert: AnsweredAlert, reader: Reader): Message {
  const said =
    state === 'resolved'
      ? sayResolved(alert, reader)
      : [...titled(WORDS.reopened, alert.details), '. ', ...sayDevices(alert, reader)];
  return { text: toMarkdown(said) };
}

function sayResolved({ details, answers, waiting }: AnsweredAlert, reader: Reader): Line {
  const { startsAt, title } = details;
  const lasted = startsAt === undefined ? '' : ` after ${durationText(reader.now() - startsAt)}`;
  const wrong = answers.filter((answer) => verdictOf(answer).tone !== 'Good');
  const named = wrong.slice(0, MAX_STILL).map(sayStill);
  const others = wrong.length - named.length;
  const still = [...named, ...(others > 0 ? [[WORDS.others(reader.number(others))]] : [])];
  const early = waiting.slice(0, MAX_STILL).join(', ');
  const asking = early === '' ? [] : [`${WORDS.stillAsking} about ${early}`];
  const isAllWell = answers.length > 0 && wrong.length + waiting.length === 0;
  const states = isAllWell ? [[WORDS.allWell]] : [joinLines(still, ', '), asking];
  const said = joinLines([[`${WORDS.line}${lasted}`], ...states], '; ');
  return title === undefined ? [...said, '.'] : line`${said} · ${shorten(title)}`;
}

/** `00:1B:54:00:00:03 is still rejected (Blacklist_Access-Reject, sw-floor2-17 Gi1/0/15)`. */
function sayStill(answer: DeviceAnswer): Line {
  const { address, outcome } = answer;
  const { words, heading } = verdictOf(answer);
  const record = device.recordOf(answer);
  const why = joinLines([...quoted(record.rule), ...placeTexts(record)], ', ');
  const state =
    outcome.kind === 'found'
      ? ['still ', ...heading]
      : [words === 'no session' ? 'without a session' : 'not known'];
  return why.length > 0 ? line`${address} is ${state} (${why})` : line`${address} is ${state}`;
}

function sayDevices(devices: Devices, reader: Reader): Line {
  const { answers, waiting } = devices;
  const [first] = answers;
  if (answers.length + waiting.length !== 1) return [headline(devices, reader)];
  return first === undefined
    ? firstLine(line`${waiting.join()}`, [WORDS.stillAsking])
    : firstLine(device.nameOf(first), verdictOf(first).heading);
}

/** An incident as one line of a digest: its head, then its devices. Foreign text. */
export function lineOf(alert: AnsweredAlert, reader: Reader): string {
  const [head = []] = headLines(alert.details, []);
  return toBare(line`${head} · ${sayDevices(alert, reader)}`);
}

/** The most lines of a digest, which must fit into a message of 28 KB. */
const MAX_LINES = 60;

/** @param incidents each in a line of untrusted text */
export function digestMessage(incidents: readonly string[]): Message {
  const more = Math.max(0, incidents.length - MAX_LINES);
  return messageOf([
    card.headingPart(WORDS.more(incidents.length)),
    card.linesPart(incidents.slice(0, MAX_LINES).map((each) => line`${each}`)),
    ...(more > 0 ? [card.notePart(WORDS.noLine(more))] : []),
  ]);
}

/** What an alert says of itself, as jobs and buttons carry it. */
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

/** A message about an alert's devices, below what the alert says of itself. */
export function withHead(message: Message, head: AlertHead, reader: Reader): Message {
  const { details, times = 1 } = head;
  const { title, startsAt, link = '' } = details;
  const told = times > 1 ? WORDS.told(reader.number(times)) : '';
  const facts = factsOf(details, reader, startsAt === undefined ? '' : ` (${reader.age(startsAt)})${told}`);
  const said = headLines(details, facts);
  const notified = titled(openingOf(details), { ...details, title: title?.slice(0, MAX_TITLE) });
  const url = URL.parse(link);
  const opened = url?.protocol === 'https:' ? [url] : [];
  // The host says where the button leads, because the link is foreign. A narrow button would cut off the host's end.
  const hosts = opened.map(({ host }) => ({ label: WORDS.link, value: line`${host}` }));
  const items = [
    card.heading(openingOf(details)),
    ...(title === undefined ? [] : [card.richText(card.runs(line`${shorten(title)}`, { weight: 'Bolder' }))]),
    ...[...facts, ...hosts].map(({ label, value }) => card.row([label], value)),
  ];
  const { body = [], actions = [] } = message.card ?? {};
  const [first, ...others] = body as readonly card.Element[];
  return {
    text: paragraphs(lines(...said.map(toMarkdown)), message.text),
    summary: [toPlain(notified) + told, message.summary ?? ''].join('\n'),
    card: card.adaptiveCard(
      [{ type: 'Container', items }, ...(first ? [{ ...first, separator: true }, ...others] : [])],
      [
        ...opened.map(({ href }) => card.linkButton(WORDS.open, href)),
        ...(actions as readonly card.Element[]).map(carry(head)),
      ],
    ),
  };
}

const carry =
  ({ details: { incidentKey: _, ...details }, times }: AlertHead) =>
  (action: card.Element): card.Element => {
    const data = action.data as { was?: unknown } | undefined;
    return data?.was ? { ...action, data: { ...data, alert: { details, times } } } : action;
  };

function headText(details: AlertDetails, reader: Reader): string {
  return headLines(details, factsOf(details, reader)).map(toRoom).join('\n');
}

function headLines(details: AlertDetails, facts: readonly Fact[]): Line[] {
  const opening = openingOf(details);
  const first = details.title === undefined ? [`${opening}.`] : titled(opening, details);
  const rest = facts.map(({ label, value }) => [`${label}: `, ...value]);
  return rest.length > 0 ? [first, joinLines(rest, ', ')] : [first];
}

/** A resolved alert that nothing joins to the one that it ends says only that. */
function openingOf({ state, incidentKey }: AlertDetails): string {
  return state === 'resolved' && incidentKey === undefined ? WORDS.line : WORDS.head[state];
}

function titled(words: string, { title }: AlertDetails): Line {
  return title === undefined ? [words] : line`${[words]}: ${shorten(title)}`;
}

/** @param history what follows the alert's beginning */
function factsOf({ source, severity, startsAt }: AlertDetails, reader: Reader, history = ''): Fact[] {
  return [
    ...known('Source', source),
    ...known('Severity', severity),
    ...(startsAt === undefined ? [] : [{ label: 'Since', value: [`${reader.time(startsAt)}${history}`] }]),
  ];
}
