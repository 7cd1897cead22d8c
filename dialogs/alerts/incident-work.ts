import { readDeviceAddress } from '../../src/domain/device-address.ts';
import * as rules from '../../src/domain/incident.ts';
import type { Job, JobOutcome } from '../../src/domain/jobs.ts';
import { backoffMs, settlesWithin } from '../../src/domain/timing.ts';
import type { Delivery } from '../../src/webhook/posts.ts';
import { ask, bounded } from '../lookup/asking.ts';
import { ASK_FOR_MS } from '../lookup/lookup-jobs.ts';
import { auditAnswers, reportNumber } from '../lookup/report.ts';
import { fingerprintOf } from '../lookup/told.ts';
import { type DeviceAnswer, giveUp, isTransient, tokensOf } from '../render/device.ts';
import type { Place } from '../render/message.ts';
import { verdictOf } from '../render/verdict.ts';
import { code, type Line, line, paragraphs, toMarkdown, toRoom } from '../render/words.ts';
import {
  type AlertIncident,
  type AlertParts,
  alertSchema,
  askerOf,
  type Confirmation,
  type IncidentData,
} from './accept-alert.ts';
import { type AnsweredAlert, alertMessage, alertRoomText, digestLine, stateLine } from './alert-answer.ts';

/** An incident that its sender names can end within a week; another one is over soon. */
const KEEP_MS = 7 * 24 * 3_600_000;
const KEEP_UNNAMED_MS = 3_600_000;

const WORDS = {
  confirm: 'Amazon SNS asks whether alerts may come here. If you asked for them, open this link to confirm:',
  topic: 'Topic',
};

/** An incident to be published. `thread`: the name that its alerts were sent to. */
type Publishing = {
  key: string;
  incident: AlertIncident;
  /** From this work, by address. */
  answers: ReadonlyMap<string, rules.Given<DeviceAnswer>>;
  thread: string | undefined;
  place: Place | undefined;
};

/**
 * Adds the alerts that have arrived to their incident, asks the NAC, and publishes what has changed. Comes up again while a
 * device is not answered, or the room's post cannot be changed.
 */
export async function workOnIncident(
  job: Job<IncidentData>,
  bot: AlertParts,
): Promise<JobOutcome<IncidentData>> {
  const { key, data, added } = job;
  const alerts = added.flatMap(({ at, data }) => {
    const alert = alertSchema.safeParse(data).data;
    return alert ? [{ ...alert, at, head: alert.details, number: reportNumber(key) }] : [];
  });
  const thread = alerts.at(-1)?.thread ?? data?.thread;
  const place = thread === undefined ? undefined : await bot.threads.find(thread);
  const confirmation = alerts[0]?.confirmation;
  if (confirmation) await sendLink(confirmation, place, key, bot);
  const known = confirmation
    ? undefined
    : alerts.reduce((before, each) => rules.takeAlert(before, each), data?.incident);
  if (known === undefined) return { kind: 'done' };
  const answers = await askDevices(known, job.at, askerOf(thread), bot);
  const publishing = { key, incident: rules.takeAnswers(known, answers), answers, thread, place };
  const published = await publish(publishing, bot);
  const incident = published ?? publishing.incident;
  const attempt = alerts.length > 0 ? 0 : (data?.attempt ?? 0) + 1;
  const addresses = incident.devices.map(({ address }) => address);
  const next = { form: 2 as const, incident, thread, addresses, attempt };
  if (published === undefined || rules.unanswered(incident.devices).length > 0)
    return { kind: 'again', data: next, afterMs: backoffMs(attempt, bot.timing.lookups, Math.random()) };
  const isNamed = incident.head.incidentKey !== undefined;
  return { kind: 'done', data: next, keepMs: isNamed ? KEEP_MS : KEEP_UNNAMED_MS };
}

/** Sends the link as text, so that a person reads where it leads before opening it. */
async function sendLink(
  asked: Confirmation,
  place: Place | undefined,
  key: string,
  { chat, room }: AlertParts,
) {
  const { TopicArn, SubscribeURL } = asked;
  const topic = line`${[`${WORDS.topic}: `]}${TopicArn}`;
  const text = (link: string, mark: (text: Line) => string) => paragraphs(WORDS.confirm, link, mark(topic));
  if (place) await chat.reply(place, { text: text(code(SubscribeURL), toMarkdown) });
  else await room.post(key, text(SubscribeURL, toRoom), { isForJob: true });
}

/** Asks the NAC about the devices that it has not answered, or joins the calls in flight. Waits a few seconds at most. */
async function askDevices(
  { devices }: AlertIncident,
  at: number,
  asker: string,
  { nac, timing }: AlertParts,
): Promise<Publishing['answers']> {
  const answers = new Map<string, rules.Given<DeviceAnswer>>();
  const asking = rules.unanswered(devices).map(async ({ address, askedAt }) => {
    const [answer] = await ask(readDeviceAddress(address), asker, nac.lookUp).all;
    const isOver = at - askedAt >= ASK_FOR_MS;
    if (answer === undefined || (isTransient(answer) && !isOver)) return;
    const [settled = answer] = isOver ? giveUp([answer]) : [answer];
    const { outcome } = settled;
    const fingerprint = fingerprintOf([settled.address, verdictOf(settled).words, tokensOf(settled)]);
    // The NAC's own text is not stored.
    const stored = outcome.kind === 'found' ? { ...settled, outcome: { ...outcome, text: '' } } : settled;
    answers.set(address, { at, fingerprint, answer: stored });
  });
  await settlesWithin(Promise.all(asking), timing.alertFirstMs);
  return new Map(answers); // Later answers count at the next work.
}

/** Publishes what has changed, first to the room. Returns undefined if a worker posts the waiting post just now: again soon. */
async function publish(publishing: Publishing, bot: AlertParts): Promise<AlertIncident | undefined> {
  const { incident, thread, place } = publishing;
  const { explanations, recent, clock } = bot;
  const { version, head } = incident;
  const difference = rules.differenceOf(incident);
  if (difference === 'nothing') return incident;
  const alert = toAlert(incident, difference);
  if (alert.waiting.length === 0)
    alert.answers = await explanations.explain(explanations.note(alert.answers), askerOf(thread));
  const sent = await postToRoom(publishing, alert, difference, bot);
  const { delivery = WAITING, posted, waitingPost } = sent ?? {};
  const shown = sent && (await showInThread(publishing, alert, difference, delivery, bot));
  auditAnswered(publishing, alert, delivery, bot);
  if (shown === undefined) return undefined;
  const isNew = difference !== 'again' || alert.waiting.length === 0;
  if (place && isNew && !shown.isInDigest) recent.note(place, alert.answers, clock.now());
  return { ...incident, posted, waitingPost, shown: { ...shown, version, state: head.state } };
}

function toAlert(incident: AlertIncident, difference: rules.Difference): AnsweredAlert {
  const { head, since, times, number, leftOut, devices } = incident;
  const isFirst = difference === 'new' && times < 2;
  return {
    number,
    answers: bounded(devices.flatMap(({ answer }) => (answer ? [answer.answer] : []))),
    waiting: rules.unanswered(devices).flatMap(({ address }) => readDeviceAddress(address)),
    leftOut,
    details: isFirst ? head : { ...head, startsAt: since },
    ...(!isFirst && { times }),
  };
}

const POSTED: Delivery = { outcome: { kind: 'posted' }, partly: false, kept: false };
const WAITING: Delivery = { outcome: { kind: 'waiting' }, partly: false, kept: true };

type Sent = Pick<AlertIncident, 'posted' | 'waitingPost'> & { delivery: Delivery };

/**
 * Posts what the room does not have. A post that still waits holds the incident's present state instead.
 * @returns undefined if a worker posts the one that waits just now: the rest must be tried again
 */
async function postToRoom(
  { key, incident, place }: Publishing,
  alert: AnsweredAlert,
  difference: rules.Difference,
  { room, readerOf, jobs }: AlertParts,
): Promise<Sent | undefined> {
  const { devices, number, since, version } = incident;
  const found = incident.waitingPost && (await jobs.post.find(incident.waitingPost));
  const waitingPost = found && found.state === 'open' ? incident.waitingPost : undefined;
  // The room has nothing of a post that waits, or that was given up.
  const before = found && found.state !== 'done' ? {} : incident.posted;
  const { changed, gone } = rules.notYetPosted(devices, before);
  const isDue = alert.waiting.length === 0 && changed.length + gone.length > 0;
  const isNewState = difference === 'resolved' || difference === 'reopened';
  const unchanged = { posted: waitingPost ? incident.posted : before, waitingPost };
  if (before && !isNewState && !isDue) return { ...unchanged, delivery: waitingPost ? WAITING : POSTED };
  const answers = alert.answers.filter(({ asked }) => changed.includes(asked));
  const text = alertRoomText(alert, { changed: answers, gone }, readerOf({}));
  const posted = rules.inPost(devices);
  if (waitingPost) {
    const isReplaced = await jobs.post.change(waitingPost, { text, place, number, attempt: 0 });
    return isReplaced ? { posted, waitingPost, delivery: WAITING } : undefined;
  }
  const id = `${key} ${since} ${version}`;
  const canReportFailure = place !== undefined;
  const delivery = await room.post(id, text, { place, number, canReportFailure, isForJob: true });
  if (delivery.outcome.kind === 'posted') return { posted, delivery };
  return delivery.kept ? { posted, waitingPost: id, delivery } : { ...unchanged, delivery };
}

/** Edits the incident's message, and sends a line if it is resolved or fires again, because nobody is notified of an edit. */
async function showInThread(
  { key, incident, place }: Publishing,
  alert: AnsweredAlert,
  difference: rules.Difference,
  delivery: Delivery,
  { chat, readerOf, showInDigest }: AlertParts,
): Promise<{ messageId?: string | undefined; isInDigest: boolean }> {
  const { messageId, isInDigest = false } = incident.shown ?? {};
  if (place === undefined) return { messageId, isInDigest };
  const reader = readerOf(place);
  const inDigest =
    (isInDigest || difference === 'new') && showInDigest(place, key, digestLine(alert, reader), isInDigest);
  if (inDigest) {
    await inDigest;
    return { isInDigest: true };
  }
  const shownId = await chat.reply(place, alertMessage(alert, delivery, reader), messageId);
  const isEdited = shownId !== undefined && shownId === messageId;
  if (isEdited && (difference === 'resolved' || difference === 'reopened'))
    await chat.reply(place, stateLine(difference, alert, reader));
  return { messageId: shownId, isInDigest };
}

/** Writes the audit lines of the devices that were answered in this work. */
function auditAnswered(
  { incident, answers: given, thread, place }: Publishing,
  { answers, number }: AnsweredAlert,
  delivery: Delivery,
  { audit, clock }: AlertParts,
): void {
  const answered = answers.filter(({ asked }) => given.has(asked));
  const { changed } = rules.notYetPosted(incident.devices, incident.posted);
  const news = answered.filter(({ asked }) => changed.includes(asked));
  const times = { askedAt: incident.arrivedAt, answeredAt: clock.now() };
  auditAnswers(audit, { number, by: 'alert', alert: thread, place, ...times, delivery, news }, answered);
}
