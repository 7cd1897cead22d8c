import type { LRUCache } from 'lru-cache';
import { z } from 'zod';
import * as rules from '../../src/domain/incident.ts';
import type { Job, JobOutcome, Queue } from '../../src/domain/jobs.ts';
import { isTransient } from '../../src/domain/outcome.ts';
import { backoffMs, settlesWithin } from '../../src/domain/timing.ts';
import type { Rows } from '../../src/store/tables.ts';
import type { Delivery, PostJob } from '../../src/webhook/sender.ts';
import { explain, limitTokens, lookUpOne, withoutText } from '../lookup/device-lookups.ts';
import { ASK_FOR_MS, type LookupParts } from '../lookup/jobs.ts';
import { auditAnswers, fingerprintOf, postKey, reportNumber } from '../lookup/report.ts';
import { roomBlock } from '../render/answer.ts';
import { type DeviceAnswer, giveUp } from '../render/device.ts';
import type { Place } from '../render/message.ts';
import { code, paragraphs, toMarkdown } from '../render/words.ts';
import { alertMessage, alertRoomText, stateText } from './alert-answer.ts';

/** Rises whenever {@link DeviceAnswer} or {@link rules.Incident} changes its form. */
const FORM = 3;

/**
 * An incident's job. `thread`: the name that its alerts were sent to. `addresses`: for the report of a job that is given up.
 * `attempt`: how often the NAC was asked in vain since the last alert. `incident`: undefined until the first work.
 */
export const incidentJobSchema = z.object({
  form: z.literal(FORM),
  thread: z.string().optional(),
  addresses: z.array(z.string()),
  attempt: z.number(),
  incident: z.custom<Incident>().optional(),
});
type IncidentJob = z.infer<typeof incidentJobSchema>;
type Incident = rules.Incident<DeviceAnswer>;

/**
 * `thread`: the name that it was sent to. `digest`: of its body, if it has an `Idempotency-Key`. `confirmation`: the link with
 * which Amazon SNS asks whether alerts may come.
 */
export type Alert = Omit<rules.Arrival, 'at'> &
  Partial<Record<'thread' | 'digest' | 'confirmation', string | undefined>>;

/** `other alert`: the same key with another body. `too many`: addresses in one minute. */
export type Accepted = 'accepted' | 'unknown thread' | 'other alert' | 'too many' | 'full';

export type AlertParts = LookupParts & {
  /** The digests of requests, by their keys. */
  requests: Pick<Rows, 'find' | 'save'>;
  /** How many alerts held no address since the start, by the name that they were sent to; undefined: to no name. */
  alertsWithoutAddress: Map<string | undefined, number>;
  /** The calls for devices, by incident, address and time. A work takes the answers that came after the one before. */
  alertCalls: LRUCache<string, Promise<DeviceAnswer>>;
  jobs: { alert: Queue<IncidentJob>; post: Queue<PostJob> };
};

const REMEMBERED_MS = 24 * 3_600_000;

/**
 * Adds an alert to its incident's job, unless it names no device and ends no incident. Takes from the limit only if the
 * alert or its key is stored: no wrong or repeated alert keeps others out. Throws the store's errors.
 */
export async function acceptAlert(alert: Alert, bot: AlertParts): Promise<Accepted> {
  const { thread: asked, digest, confirmation, ...arrival } = alert;
  const { request, details, addresses } = arrival;
  const { jobs, threads, limits, requests, alertsWithoutAddress: silent } = bot;
  const found = asked === undefined ? undefined : await threads.find(asked);
  if (asked !== undefined && found === undefined) return 'unknown thread';
  const { name: thread, place } = found ?? {};
  const endsIncident = details.state === 'resolved' && details.incidentKey !== undefined;
  const isSilent = addresses.length === 0 && !endsIncident && confirmation === undefined;
  // Two senders can use the same key, so the name that it was sent to and the conversation belong to it.
  const row = fingerprintOf([request, thread]);
  const before = digest === undefined ? undefined : await requests.find(row);
  if (before !== undefined) return before === digest ? 'accepted' : 'other alert';
  const isStored = !isSilent || digest !== undefined;
  if (isStored && limits.takeAlert(Math.max(1, addresses.length)) > 0) return 'too many';
  const { incidentKey = `alert ${request}` } = details;
  const incident = fingerprintOf([incidentKey, thread, place?.reference.conversation.id]);
  const job: IncidentJob = { form: FORM, thread, addresses, attempt: 0 };
  if (isSilent) silent.set(thread, (silent.get(thread) ?? 0) + 1);
  else if (confirmation) await sendLink(confirmation, place, bot);
  else if ((await jobs.alert.wake(incident, job, arrival)) === 'full') return 'full';
  // A crash before this lets a repeat through, which its incident takes once.
  if (digest !== undefined) await requests.save(row, digest, REMEMBERED_MS);
  return 'accepted';
}

/** Sends the link as text, so that a person reads where it leads, and for which topic, before opening it. */
async function sendLink(link: string, place: Place | undefined, { chat, room }: AlertParts): Promise<void> {
  const opening =
    'Amazon SNS asks whether alerts may come here. If you asked for them, open this link to confirm:';
  if (place) await chat.reply(place, { text: paragraphs(opening, code(link)) });
  else await room.post(link, paragraphs(opening, link), { isRemembered: true });
}

/** An incident that its sender names can end within a week; another one is over soon. */
const KEEP_MS = 7 * 24 * 3_600_000;
const KEEP_UNNAMED_MS = 3_600_000;

/**
 * Adds the alerts that have arrived to their incident, asks the NAC, and publishes the changes. Comes up again while a
 * device is not answered, or the room's post cannot be changed.
 */
export async function workOnIncident(
  job: Job<IncidentJob>,
  bot: AlertParts,
): Promise<JobOutcome<IncidentJob>> {
  const { data, added } = job;
  const alerts = added.flatMap(
    ({ at, data }) => rules.arrivalSchema.safeParse({ ...Object(data), at }).data ?? [],
  );
  const known = alerts.reduce((before, each) => rules.takeAlert(before, each), data.incident);
  if (known === undefined) return { kind: 'done' };
  const answers = await askDevices(known, job, bot);
  const incident = await publish(rules.takeAnswers(known, answers), answers, job, bot);
  const addresses = incident.devices.map(({ address }) => address);
  const attempt = alerts.length > 0 ? 0 : data.attempt + 1;
  const next = { ...data, incident, addresses, attempt };
  if (!incident.isPublished || rules.unanswered(incident.devices).length > 0)
    return { kind: 'again', data: next, afterMs: backoffMs(attempt, bot.timing.lookups, Math.random()) };
  const isNamed = incident.head.incidentKey !== undefined;
  return { kind: 'done', data: next, keepMs: isNamed ? KEEP_MS : KEEP_UNNAMED_MS };
}

/**
 * The asker of an alert's lookups: the name that it was sent to. No person's id begins so (a directory's id, or a channel's
 * name and a colon). So nobody has connected under it, and the service account is used.
 */
const askerOf = ({ data: { thread = '' } }: Job<IncidentJob>) => `alerts/${thread}`;

type Answers = ReadonlyMap<string, DeviceAnswer>;

/** Asks the NAC about the devices that it has not answered. Waits a few seconds at most; the next work takes later answers. */
async function askDevices({ devices }: Incident, job: Job<IncidentJob>, bot: AlertParts): Promise<Answers> {
  const { nac, alertCalls, timing } = bot;
  const answers = new Map<string, DeviceAnswer>();
  const all = rules.unanswered(devices).map(async ({ address, askedAt }) => {
    const call = `${job.key} ${address} ${askedAt}`;
    // The NAC's own text is not kept.
    const asked = alertCalls.get(call) ?? lookUpOne(address, askerOf(job), nac.lookUp).then(withoutText);
    alertCalls.set(call, asked);
    const answer = await asked;
    const isOver = job.now - askedAt >= ASK_FOR_MS;
    if (isTransient(answer) && !isOver) return alertCalls.delete(call);
    return answers.set(address, isOver ? giveUp(answer) : answer);
  });
  await settlesWithin(Promise.all(all), timing.alertFirstMs);
  return new Map(answers);
}

/** Publishes the changes, first to the room. @param given this work's answers */
async function publish(incident: Incident, given: Answers, job: Job<IncidentJob>, bot: AlertParts) {
  const { thread } = job.data;
  const { head, arrivedAt, shown, isPublished } = incident;
  if (isPublished) return incident;
  const alert = await toAlert(incident, job, bot);
  const { place } = alert;
  const { delivery, toPost, room } = await postToRoom(job.key, alert, bot);
  let messageId: string | undefined;
  if (room && place) {
    const message = alertMessage(alert, delivery, bot.formatterFor(place));
    messageId = (await bot.chat.reply(place, message, shown?.messageId))?.id;
    // Nobody is notified of an edit.
    const isEdited = messageId !== undefined && messageId === shown?.messageId;
    if (isEdited && rules.hasNewState(incident))
      await bot.chat.reply(place, { text: toMarkdown(stateText(alert)) });
  }
  const lookup = { key: job.key, by: 'alert', alert: thread, place, arrivedAt, delivery, toPost } as const;
  const answered = alert.answers.filter(({ asked }) => given.has(asked));
  auditAnswers(lookup, answered, bot);
  if (room === undefined) return incident;
  if (place) bot.recent.note(place, alert.answers, bot.clock.now());
  return { ...incident, ...room, isPublished: true, shown: { messageId, state: head.state } };
}

/** `place`: the thread of the incident's messages; undefined: only the room gets them. */
async function toAlert(incident: Incident, job: Job<IncidentJob>, bot: AlertParts) {
  const { head, since, devices, shown, times } = incident;
  const { thread } = job.data;
  const { title = thread && `Alert from ${thread}` } = head;
  const answers = devices.flatMap(({ answer }) => (answer ? [limitTokens(answer, devices.length)] : []));
  const waiting = rules.unanswered(devices).map(({ address }) => address);
  return {
    ...incident,
    place: thread === undefined ? undefined : (await bot.threads.find(thread))?.place,
    number: reportNumber(job.key),
    answers: waiting.length > 0 ? answers : await explain(answers, askerOf(job), bot),
    waiting,
    head: { ...head, title, startsAt: shown || times > 1 ? since : head.startsAt },
  };
}

type PlacedAlert = Awaited<ReturnType<typeof toAlert>>;
const POSTED: Delivery = { outcome: { kind: 'posted' }, isQueued: false };
const WAITING: Delivery = { outcome: { kind: 'waiting' }, isQueued: true };

/**
 * Posts the changes that the room lacks. A post that still waits holds the incident's present state instead. Returns the answers
 * that the room did not have, and `room`: its present post; undefined if a worker posts the waiting post just now, so that the
 * next work must publish.
 */
async function postToRoom(key: string, alert: PlacedAlert, { room, formatterFor, jobs }: AlertParts) {
  const { devices, arrivedAt, lastPost, answers, waiting, place } = alert;
  const found = lastPost && (await jobs.post.find(lastPost.id));
  // The room has nothing of a post that waits, or that was given up.
  const before = found === undefined || found === 'done' ? lastPost?.devices : {};
  const posted = Object.fromEntries(answers.map((each) => [each.asked, fingerprintOf([roomBlock(each)])]));
  const toPost = answers.filter(({ asked }) => posted[asked] !== before?.[asked]);
  const isGone = (address: string) => !devices.some((each) => each.address === address);
  const gone = Object.keys(before ?? {}).filter(isGone);
  const isDue = waiting.length === 0 && toPost.length + gone.length > 0;
  if (before && found !== 'open' && !isDue && !rules.hasNewState(alert))
    return { delivery: POSTED, toPost, room: {} };
  const text = alertRoomText(alert, toPost, gone, formatterFor({}));
  if (lastPost && found === 'open') {
    const isReplaced = await jobs.post.change(lastPost.id, { text, place, attempt: 0 });
    const room = isReplaced ? { lastPost: { ...lastPost, devices: posted } } : undefined;
    return { delivery: WAITING, toPost, room };
  }
  const id = postKey(key, `${arrivedAt} ${waiting.length}`);
  const delivery = await room.post(id, text, { place, isRemembered: true });
  const isTaken = delivery.outcome.kind === 'posted' || delivery.isQueued;
  return { delivery, toPost, room: isTaken ? { lastPost: { id, devices: posted } } : {} };
}
