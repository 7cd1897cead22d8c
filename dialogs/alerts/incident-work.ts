import { LRUCache } from 'lru-cache';
import { readDeviceAddress } from '../../src/domain/device-address.ts';
import * as rules from '../../src/domain/incident.ts';
import type { Job, JobOutcome } from '../../src/domain/jobs.ts';
import { backoffMs, settlesWithin } from '../../src/domain/timing.ts';
import type { Delivery } from '../../src/webhook/posts.ts';
import { fingerprintOf } from '../lookup/changes.ts';
import { auditAnswers, limitTokens, startLookups, withoutText } from '../lookup/device-lookups.ts';
import { explain } from '../lookup/explain.ts';
import { incidentPostKey, reportNumber } from '../lookup/job-keys.ts';
import { ASK_FOR_MS } from '../lookup/lookup-jobs.ts';
import { roomBlock } from '../render/answer.ts';
import { type DeviceAnswer, giveUp, isTransient } from '../render/device.ts';
import type { Place } from '../render/message.ts';
import {
  type AlertIncident,
  type AlertParts,
  alertSchema,
  askerOf,
  type IncidentData,
} from './accept-alert.ts';
import { type AnsweredAlert, alertMessage, alertRoomText, stateLine } from './alert-answer.ts';

/** An incident that its sender names can end within a week; another one is over soon. */
const KEEP_MS = 7 * 24 * 3_600_000;
const KEEP_UNNAMED_MS = 3_600_000;

/** Calls whose answers no work has taken yet, by incident and address. Their text is left out. */
type CallsInFlight = LRUCache<string, Promise<DeviceAnswer | undefined>>;

/**
 * Returns the work on an incident: adds the alerts that have arrived, asks the NAC, and publishes what has changed. Comes up
 * again while a device is not answered, or the room's post cannot be changed.
 */
export function createIncidentWork(bot: AlertParts) {
  const callsInFlight: CallsInFlight = new LRUCache({ max: 1000, ttl: 120_000 }); // Answers of minutes ago are old.
  return async (job: Job<IncidentData>): Promise<JobOutcome<IncidentData>> => {
    const { key, data, added } = job;
    const alerts = added.flatMap(({ at, data }) => {
      const alert = alertSchema.safeParse(data).data;
      return alert ? [{ ...alert, at, head: alert.details }] : [];
    });
    const thread = alerts.at(-1)?.thread ?? data?.thread;
    const place = thread === undefined ? undefined : (await bot.threads.find(thread))?.place;
    const known = alerts.reduce((before, each) => rules.takeAlert(before, each), data?.incident);
    if (known === undefined) return { kind: 'done' };
    const answers = await askDevices(known, job, askerOf(thread), callsInFlight, bot);
    const incident = rules.takeAnswers(known, answers);
    const difference = rules.differenceOf(incident);
    const alert = toAlert({ key, incident, difference, thread });
    const work = { key, incident, difference, answers, alert, thread, place };
    const published = difference === 'nothing' ? incident : await publish(work, bot);
    const attempt = alerts.length > 0 ? 0 : (data?.attempt ?? 0) + 1;
    const addresses = incident.devices.map(({ address }) => address);
    const next = { form: 2 as const, incident: published ?? incident, thread, addresses, attempt };
    if (published === undefined || rules.unanswered(incident.devices).length > 0)
      return { kind: 'again', data: next, afterMs: backoffMs(attempt, bot.timing.lookups, Math.random()) };
    const isNamed = incident.head.incidentKey !== undefined;
    return { kind: 'done', data: next, keepMs: isNamed ? KEEP_MS : KEEP_UNNAMED_MS };
  };
}

/** By address, from this work. */
type Answers = Map<string, rules.Given<DeviceAnswer>>;

/** Asks the NAC about the devices that it has not answered. Waits a few seconds at most; the next work takes later answers. */
async function askDevices(
  { devices }: AlertIncident,
  { key, now }: Job<IncidentData>,
  asker: string,
  callsInFlight: CallsInFlight,
  bot: AlertParts,
): Promise<Answers> {
  const answers: Answers = new Map();
  let isWaiting = true;
  const all = rules.unanswered(devices).map(async ({ address, askedAt }) => {
    const call = `${key} ${address}`;
    const asked = callsInFlight.get(call) ?? askNac(address, asker, bot);
    callsInFlight.set(call, asked);
    const answer = await asked.finally(() => isWaiting && callsInFlight.delete(call));
    const isOver = now - askedAt >= ASK_FOR_MS;
    if (!isWaiting || answer === undefined || (isTransient(answer) && !isOver)) return;
    const [settled = answer] = isOver ? giveUp([answer]) : [answer];
    const fingerprint = fingerprintOf([roomBlock(settled)]);
    answers.set(address, { at: now, fingerprint, answer: settled });
  });
  await settlesWithin(Promise.all(all), bot.timing.alertFirstMs);
  isWaiting = false;
  return answers;
}

/** Leaves out the NAC's own text, which is not stored. */
async function askNac(address: string, asker: string, bot: AlertParts): Promise<DeviceAnswer | undefined> {
  const [answer] = await startLookups(readDeviceAddress(address), asker, bot.nac.lookUp).finished;
  return answer && withoutText(answer);
}

/** `thread`: the name that the alerts were sent to. */
type Work = {
  key: string;
  incident: AlertIncident;
  difference: rules.Difference;
  answers: Answers;
  alert: AnsweredAlert;
  thread: string | undefined;
  place: Place | undefined;
};

/** Publishes what has changed, first to the room. Returns undefined if a worker posts the waiting post just now: again soon. */
async function publish(given: Work, bot: AlertParts): Promise<AlertIncident | undefined> {
  const { incident, difference, answers, thread, place } = given;
  const { recent, audit, clock } = bot;
  const { version, head, arrivedAt } = incident;
  const isWhole = given.alert.waiting.length === 0;
  const known = given.alert.answers;
  const explained = isWhole ? await explain(known, askerOf(thread), bot) : known;
  const alert = { ...given.alert, answers: explained };
  const work = { ...given, alert };
  const sent = await postToRoom(work, bot);
  const messageId = sent && (await showInThread(work, sent.delivery, bot));
  const answered = alert.answers.filter(({ asked }) => answers.has(asked));
  const { delivery = WAITING, changed, posted, waitingPost } = sent ?? {};
  const toPost = changed ? answered.filter(({ asked }) => changed.includes(asked)) : answered;
  const answeredAt = clock.now();
  const asked = { number: alert.number, by: 'alert', alert: thread, place, arrivedAt, answeredAt } as const;
  auditAnswers(audit, { ...asked, delivery, toPost }, answered);
  if (sent === undefined) return undefined;
  if (place && (isWhole || difference !== 'again')) recent.note(place, alert.answers, answeredAt);
  return { ...incident, posted, waitingPost, shown: { messageId, version, state: head.state } };
}

function toAlert(work: Omit<Work, 'alert' | 'answers' | 'place'>): AnsweredAlert {
  const { key, incident, difference, thread } = work;
  const { head, since, arrivedAt, times, leftOut, devices } = incident;
  const isFirst = difference === 'new' && times < 2;
  const { title = thread && `Alert from ${thread}` } = head;
  return {
    number: reportNumber(key),
    answers: devices.flatMap(({ answer }) => (answer ? [limitTokens(answer.answer, devices.length)] : [])),
    waiting: rules.unanswered(devices).flatMap(({ address }) => readDeviceAddress(address)),
    arrivedAt,
    leftOut,
    details: { ...head, title, ...(!isFirst && { startsAt: since }) },
    ...(!isFirst && { times }),
  };
}

const POSTED: Delivery = { outcome: { kind: 'posted' }, isQueued: false };
const WAITING: Delivery = { outcome: { kind: 'waiting' }, isQueued: true };

/** `changed`: the devices whose state the room did not have. */
type Posting = Pick<AlertIncident, 'posted' | 'waitingPost'> & {
  delivery: Delivery;
  changed: readonly string[];
};

/**
 * Posts what the room does not have. A post that still waits holds the incident's present state instead.
 * @returns undefined if a worker posts the one that waits just now: the rest must be tried again
 */
async function postToRoom(
  { key, incident, place, alert, difference }: Work,
  { room, formatterFor, jobs }: AlertParts,
): Promise<Posting | undefined> {
  const { devices, since, version } = incident;
  const found = incident.waitingPost && (await jobs.post.find(incident.waitingPost));
  const waitingPost = found === 'open' ? incident.waitingPost : undefined;
  // The room has nothing of a post that waits, or that was given up.
  const before = found && found !== 'done' ? {} : incident.posted;
  const { changed, gone } = rules.notYetPosted(devices, before);
  const isDue = alert.waiting.length === 0 && changed.length + gone.length > 0;
  const isNewState = difference === 'resolved' || difference === 'reopened';
  const unchanged = { posted: waitingPost ? incident.posted : before, waitingPost, changed };
  if (before && !isNewState && !isDue) return { ...unchanged, delivery: waitingPost ? WAITING : POSTED };
  const answers = alert.answers.filter(({ asked }) => changed.includes(asked));
  const text = alertRoomText(alert, { changed: answers, gone }, formatterFor({}));
  const posted = rules.inPost(devices);
  if (waitingPost) {
    const isReplaced = await jobs.post.change(waitingPost, { text, place, attempt: 0 });
    return isReplaced ? { posted, waitingPost, delivery: WAITING, changed } : undefined;
  }
  const id = incidentPostKey(key, since, version);
  const delivery = await room.post(id, text, { place, isRemembered: true });
  if (delivery.outcome.kind === 'posted') return { posted, delivery, changed };
  return delivery.isQueued ? { posted, waitingPost: id, delivery, changed } : { ...unchanged, delivery };
}

/**
 * Edits the incident's message, and sends a line if it is resolved or fires again, because nobody is notified of an edit.
 * Returns the message's id; undefined if there is none that could be edited.
 */
async function showInThread(
  { incident, place, alert, difference }: Work,
  delivery: Delivery,
  { chat, formatterFor }: AlertParts,
): Promise<string | undefined> {
  const { messageId } = incident.shown ?? {};
  if (place === undefined) return messageId;
  const message = alertMessage(alert, delivery, formatterFor(place));
  const shownId = (await chat.reply(place, message, messageId))?.id;
  const isEdited = shownId !== undefined && shownId === messageId;
  if (isEdited && (difference === 'resolved' || difference === 'reopened'))
    await chat.reply(place, stateLine(alert));
  return shownId;
}
