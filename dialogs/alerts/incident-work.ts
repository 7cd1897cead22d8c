import { LRUCache } from 'lru-cache';
import { readDeviceAddress } from '../../src/domain/device-address.ts';
import * as rules from '../../src/domain/incident.ts';
import type { Job, JobOutcome } from '../../src/domain/jobs.ts';
import { backoffMs, settlesWithin } from '../../src/domain/timing.ts';
import type { Delivery } from '../../src/webhook/posts.ts';
import { explain, limitTokens, startLookups, withoutText } from '../lookup/device-lookups.ts';
import { ASK_FOR_MS } from '../lookup/lookup-jobs.ts';
import { auditAnswers, fingerprintOf, postKey, reportNumber } from '../lookup/report.ts';
import { roomBlock } from '../render/answer.ts';
import { type DeviceAnswer, giveUp, isTransient } from '../render/device.ts';
import type { Place } from '../render/message.ts';
import { toMarkdown } from '../render/words.ts';
import { type AlertIncident, type AlertParts, askerOf, type IncidentData } from './accept-alert.ts';
import { type AnsweredAlert, alertMessage, alertRoomText, stateText } from './alert-answer.ts';

/** An incident that its sender names can end within a week; another one is over soon. */
const KEEP_MS = 7 * 24 * 3_600_000;
const KEEP_UNNAMED_MS = 3_600_000;

/** Calls whose answers no work has taken yet, by incident and address. The NAC's own text is left out: it is not stored. */
type CallsInFlight = LRUCache<string, Promise<DeviceAnswer[]>>;

/**
 * Returns the work on an incident: adds the alerts that have arrived, asks the NAC, and publishes what has changed. Comes up
 * again while a device is not answered, or the room's post cannot be changed.
 */
export function createIncidentWork(bot: AlertParts) {
  const callsInFlight: CallsInFlight = new LRUCache({ max: 1000, ttl: 120_000 }); // Answers of minutes ago are old.
  return async (job: Job<IncidentData>): Promise<JobOutcome<IncidentData>> => {
    const { key, data, added } = job;
    const alerts = added.flatMap(
      ({ at, data }) => rules.arrivalSchema.safeParse({ ...Object(data), at }).data ?? [],
    );
    const thread = alerts.at(-1)?.thread ?? data?.thread;
    const place = thread === undefined ? undefined : (await bot.threads.find(thread))?.place;
    const known = alerts.reduce((before, each) => rules.takeAlert(before, each), data?.incident);
    if (known === undefined) return { kind: 'done' };
    const answers = await askDevices(known, job, askerOf(thread), callsInFlight, bot);
    const asked = rules.takeAnswers(known, answers);
    const incident = await publish({ key, incident: asked, answers, thread, place }, bot);
    const attempt = alerts.length > 0 ? 0 : (data?.attempt ?? 0) + 1;
    const addresses = incident.devices.map(({ address }) => address);
    const next = { form: 2 as const, incident, thread, addresses, attempt };
    if (!rules.isPublished(incident) || rules.unanswered(incident.devices).length > 0)
      return { kind: 'again', data: next, afterMs: backoffMs(attempt, bot.timing.lookups, Math.random()) };
    const isNamed = incident.head.incidentKey !== undefined;
    return { kind: 'done', data: next, keepMs: isNamed ? KEEP_MS : KEEP_UNNAMED_MS };
  };
}

/** Asks the NAC about the devices that it has not answered. Waits a few seconds at most; the next work takes later answers. */
async function askDevices(
  { devices }: AlertIncident,
  { key, now }: Job<IncidentData>,
  asker: string,
  callsInFlight: CallsInFlight,
  bot: AlertParts,
) {
  const answers = new Map<string, rules.Given<DeviceAnswer>>();
  let isWaiting = true;
  const all = rules.unanswered(devices).map(async ({ address, askedAt }) => {
    const call = `${key} ${address}`;
    const ask = () => startLookups(readDeviceAddress(address), asker, bot.nac.lookUp).finished;
    const asked = callsInFlight.get(call) ?? ask().then((all) => all.map(withoutText));
    callsInFlight.set(call, asked);
    const [answer] = await asked.finally(() => isWaiting && callsInFlight.delete(call));
    const isOver = now - askedAt >= ASK_FOR_MS;
    if (!isWaiting || answer === undefined || (isTransient(answer) && !isOver)) return;
    const settled = isOver ? giveUp(answer) : answer;
    answers.set(address, { at: now, fingerprint: fingerprintOf([roomBlock(settled)]), answer: settled });
  });
  await settlesWithin(Promise.all(all), bot.timing.alertFirstMs);
  isWaiting = false;
  return answers;
}

/** `thread`: the name that the alerts were sent to. */
type Work = {
  key: string;
  incident: AlertIncident;
  /** This work's, by address. */
  answers: ReadonlyMap<string, unknown>;
  thread: string | undefined;
  place: Place | undefined;
};

/** Publishes what has changed, first to the room. Leaves it to the next work if a worker posts the waiting post just now. */
async function publish(work: Work, bot: AlertParts): Promise<AlertIncident> {
  const { incident, answers, thread, place } = work;
  const { recent, audit, clock, chat, formatterFor } = bot;
  const { version, head, arrivedAt, shown } = incident;
  if (rules.isPublished(incident)) return incident;
  const alert = toAlert(work);
  if (alert.waiting.length === 0) alert.answers = await explain(alert.answers, askerOf(thread), bot);
  const { delivery, changed, room } = await postToRoom(work, alert, bot);
  let messageId: string | undefined;
  if (room && place) {
    const message = alertMessage(alert, delivery, formatterFor(place));
    messageId = (await chat.reply(place, message, shown?.messageId))?.id;
    // Nobody is notified of an edit.
    const isEdited = messageId !== undefined && messageId === shown?.messageId;
    if (isEdited && rules.hasNewState(incident))
      await chat.reply(place, { text: toMarkdown(stateText(alert)) });
  }
  const answered = alert.answers.filter(({ asked }) => answers.has(asked));
  const toPost = answered.filter(({ asked }) => changed.includes(asked));
  const answeredAt = clock.now();
  const asked = { number: alert.number, by: 'alert', alert: thread, place, arrivedAt, answeredAt } as const;
  auditAnswers(audit, { ...asked, delivery, toPost }, answered);
  if (room === undefined) return incident;
  if (place) recent.note(place, alert.answers, answeredAt);
  return { ...incident, ...room, shown: { messageId, version, state: head.state } };
}

function toAlert({ key, incident, thread }: Work): AnsweredAlert {
  const { head, since, devices, shown, times } = incident;
  const { title = thread && `Alert from ${thread}` } = head;
  return {
    ...incident,
    number: reportNumber(key),
    answers: devices.flatMap(({ answer }) => (answer ? [limitTokens(answer.answer, devices.length)] : [])),
    waiting: rules.unanswered(devices).flatMap(({ address }) => readDeviceAddress(address)),
    details: { ...head, title, startsAt: shown || times > 1 ? since : head.startsAt },
  };
}

const POSTED: Delivery = { outcome: { kind: 'posted' }, isQueued: false };
const WAITING: Delivery = { outcome: { kind: 'waiting' }, isQueued: true };

/**
 * Posts what the room does not have. A post that still waits holds the incident's present state instead. Returns the devices
 * whose state the room did not have, and `room`: what it has now; undefined if a worker posts the waiting post just now.
 */
async function postToRoom(
  { key, incident, place }: Work,
  alert: AnsweredAlert,
  { room, formatterFor, jobs }: AlertParts,
) {
  const { devices, since, version, posted: last, waitingPost } = incident;
  const found = waitingPost && (await jobs.post.find(waitingPost));
  const isWaiting = found === 'open';
  // The room has nothing of a post that waits, or that was given up.
  const before = found && found !== 'done' ? {} : last;
  const { changed, gone, now: posted } = rules.notYetPosted(devices, before);
  const isDue = alert.waiting.length === 0 && changed.length + gone.length > 0;
  if (before && !isWaiting && !isDue && !rules.hasNewState(incident))
    return { delivery: POSTED, changed, room: { posted: before, waitingPost: undefined } };
  const answers = alert.answers.filter(({ asked }) => changed.includes(asked));
  const text = alertRoomText(alert, answers, gone, formatterFor({}));
  if (isWaiting && waitingPost) {
    const isReplaced = await jobs.post.change(waitingPost, { text, place, attempt: 0 });
    return { delivery: WAITING, changed, ...(isReplaced && { room: { posted, waitingPost } }) };
  }
  const id = postKey(key, `${since} ${version}`);
  const delivery = await room.post(id, text, { place, isRemembered: true });
  const { outcome, isQueued } = delivery;
  const now = outcome.kind === 'posted' || isQueued ? posted : before;
  return { delivery, changed, room: { posted: now, waitingPost: isQueued ? id : undefined } };
}
