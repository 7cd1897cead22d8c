import type { z } from 'zod';
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
  arrivalSchema,
  askerOf,
  type Confirmation,
  type IncidentData,
  incidentData,
} from './accept-alert.ts';
import { type AnsweredAlert, alertMessage, alertRoomText, lineOf, stateLine } from './alert-answer.ts';

/** An incident that its sender names can end within a week; another one is over soon. */
const KEEP_MS = 7 * 24 * 3_600_000;
const KEEP_UNNAMED_MS = 3_600_000;

const WORDS = {
  confirm: 'Amazon SNS asks whether alerts may come here. If you asked for them, open this link to confirm:',
  topic: 'Topic',
};

type Arrival = z.infer<typeof arrivalSchema>;

type Publishing = {
  key: string;
  incident: AlertIncident;
  alert: AnsweredAlert;
  difference: rules.Difference;
  /** The name that the alert was sent to, and its place. */
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
  const arrivals = added.flatMap(({ at, data }) => {
    const arrival = arrivalSchema.safeParse(data).data;
    return arrival ? [{ ...arrival, at }] : [];
  });
  const thread = arrivals.at(-1)?.thread ?? data?.thread;
  const place = thread === undefined ? undefined : await bot.threads.find(thread);
  const [confirmation] = arrivals.flatMap((arrival) => arrival.confirmation ?? []);
  if (confirmation && !data) await sendLink(confirmation, place, key, bot);
  const alerts = arrivals.filter((each) => !each.confirmation);
  const known = alerts.reduce((before, each) => takeArrival(before, each, reportNumber(key)), data?.incident);
  if (known === undefined) return { kind: 'done' };
  const answered = await askDevices(known, job.at, askerOf(thread), bot);
  const { incident, isDue } = await publish(key, answered, thread, place, bot);
  const attempt = arrivals.length > 0 ? 0 : (data?.attempt ?? 0) + 1;
  const next = incidentData(incident, thread, attempt);
  if (isDue || rules.unanswered(incident).length > 0)
    return { kind: 'again', data: next, afterMs: backoffMs(attempt, bot.timing.lookups, Math.random()) };
  const isNamed = incident.head.incidentKey !== undefined;
  return { kind: 'done', data: next, keepMs: isNamed ? KEEP_MS : KEEP_UNNAMED_MS };
}

function takeArrival(known: AlertIncident | undefined, arrival: Arrival & { at: number }, number: number) {
  const { request, at, addresses, leftOut, details } = arrival;
  const { state, startsAt } = details;
  return rules.takeAlert(known, { request, at, state, startsAt, head: details, addresses, leftOut, number });
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
async function askDevices(known: AlertIncident, at: number, asker: string, { nac, timing }: AlertParts) {
  const answers = new Map<string, { at: number; fingerprint: string; answer: DeviceAnswer }>();
  const asking = rules.unanswered(known).map(async ({ address, askedAt }) => {
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
  return rules.takeAnswers(known, new Map(answers));
}

/** Publishes what has changed: first to the room, then in the thread. `isDue`: the room's post must be tried again soon. */
async function publish(
  key: string,
  known: AlertIncident,
  thread: string | undefined,
  place: Place | undefined,
  bot: AlertParts,
): Promise<{ incident: AlertIncident; isDue: boolean }> {
  const { explanations, recent, clock } = bot;
  const difference = rules.differenceOf(known);
  if (difference === 'nothing') return { incident: known, isDue: false };
  const alert = toAlert(known, difference);
  const asker = askerOf(thread);
  if (alert.waiting.length === 0)
    alert.answers = await explanations.explain(explanations.note(alert.answers), asker);
  const publishing = { key, incident: known, alert, difference, thread, place };
  const posted = await postToRoom(publishing, bot);
  if (posted === undefined) return { incident: known, isDue: true };
  const shown = await showInThread(publishing, posted.delivery, bot);
  const isNew = difference !== 'again' || alert.waiting.length === 0;
  if (place && isNew && !shown.isInDigest) recent.note(place, alert.answers, clock.now());
  auditNew(publishing, posted.delivery, bot);
  return { incident: rules.afterPublishing(posted.incident, shown), isDue: false };
}

function toAlert(incident: AlertIncident, difference: rules.Difference): AnsweredAlert {
  const { head, state, since, times, number, leftOut, devices } = incident;
  const isFirst = difference === 'new' && times < 2;
  return {
    number,
    answers: bounded(devices.flatMap(({ answer }) => (answer ? [answer.answer] : []))),
    waiting: rules.unanswered(incident).flatMap(({ address }) => readDeviceAddress(address)),
    leftOut,
    details: { ...head, state, ...(!isFirst && { startsAt: since }) },
    ...(!isFirst && { times }),
  };
}

const POSTED: Delivery = { outcome: { kind: 'posted' }, partly: false, kept: false };
const WAITING: Delivery = { outcome: { kind: 'waiting' }, partly: false, kept: true };

/**
 * Posts what the room does not have. A post that still waits holds the incident's present state instead.
 * @returns undefined if a worker posts the one that waits just now: the rest must be tried again
 */
async function postToRoom(
  { key, incident: stored, alert, difference, place }: Publishing,
  { room, readerOf, jobs }: AlertParts,
): Promise<{ incident: AlertIncident; delivery: Delivery } | undefined> {
  const { waiting } = stored;
  const found = waiting && (await jobs.post.find(waiting.post));
  const isWaiting = found?.state === 'open';
  const incident = waiting && !isWaiting ? rules.afterWaiting(stored, found?.state !== 'dead') : stored;
  const { changed, gone } = rules.notYetPosted(incident);
  const isDue = alert.waiting.length === 0 && changed.length + gone.length > 0;
  const isNewState = difference === 'resolved' || difference === 'reopened';
  const isPosted = incident.posted !== undefined || isWaiting;
  if (isPosted && !isNewState && !isDue) return { incident, delivery: isWaiting ? WAITING : POSTED };
  const isChanged = new Set(changed.map(({ asked }) => asked));
  const answers = alert.answers.filter(({ asked }) => isChanged.has(asked));
  const text = alertRoomText(alert, { changed: answers, gone }, readerOf({}));
  const { number } = incident;
  if (waiting && isWaiting) {
    const isReplaced = await jobs.post.change(waiting.post, { text, place, number, attempt: 0 });
    return isReplaced ? { incident: rules.afterPost(incident, waiting.post), delivery: WAITING } : undefined;
  }
  const id = `${key} ${incident.since} ${incident.version}`;
  const canReportFailure = place !== undefined;
  const delivery = await room.post(id, text, { place, number, canReportFailure, isForJob: true });
  if (delivery.outcome.kind === 'posted') return { incident: rules.afterPost(incident), delivery };
  return { incident: delivery.kept ? rules.afterPost(incident, id) : incident, delivery };
}

/** Edits the incident's message, and sends a line if it is resolved or fires again, because nobody is notified of an edit. */
async function showInThread(
  { key, incident, alert, difference, place }: Publishing,
  delivery: Delivery,
  { chat, readerOf, storms }: AlertParts,
): Promise<rules.Shown> {
  const { messageId, isInDigest = false } = incident.thread ?? {};
  if (place === undefined) return { messageId, isInDigest };
  const reader = readerOf(place);
  if (isInDigest || (difference === 'new' && storms.takeNew(place))) {
    await storms.write(place, key, lineOf(alert, reader));
    return { isInDigest: true };
  }
  const shownId = await chat.reply(place, alertMessage(alert, delivery, reader), messageId);
  const isEdited = shownId !== undefined && shownId === messageId;
  if (isEdited && (difference === 'resolved' || difference === 'reopened'))
    await chat.reply(place, stateLine(difference, alert, reader));
  return { messageId: shownId, isInDigest };
}

function auditNew({ incident, alert, thread, place }: Publishing, delivery: Delivery, bot: AlertParts): void {
  const { audit, clock } = bot;
  const before = incident.thread?.answeredAt ?? {};
  const isNew = new Set(
    incident.devices.flatMap(({ address, answer }) =>
      answer && answer.at !== before[address] ? [answer.answer.asked] : [],
    ),
  );
  const inPost = new Set(rules.notYetPosted(incident).changed.map(({ asked }) => asked));
  const answers = alert.answers.filter(({ asked }) => isNew.has(asked));
  const news = answers.filter(({ asked }) => inPost.has(asked));
  const { number, arrivedAt: askedAt } = incident;
  const lookup = { number, by: 'alert', alert: thread, place, askedAt, answeredAt: clock.now() } as const;
  auditAnswers(audit, { ...lookup, delivery, news }, answers);
}
