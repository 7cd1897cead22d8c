import { z } from 'zod';
import type { AlertDetails } from '../../src/domain/alert.ts';
import { readDeviceAddress } from '../../src/domain/device-address.ts';
import * as rules from '../../src/domain/incident.ts';
import type { JobOutcome, Queue } from '../../src/domain/jobs.ts';
import type { SharedRows } from '../../src/store/tables.ts';
import type { Delivery, PostJob } from '../../src/webhook/posts.ts';
import { type Place, placeSchema } from '../format/message.ts';
import { bounded, type DeviceAnswer } from '../lookup/device-answer.ts';
import { again, type LookupParts } from '../lookup/lookup-jobs.ts';
import { auditAnswers } from '../lookup/report.ts';
import {
  type AnsweredAlert,
  alertMessage,
  alertRoomText,
  digestMessage,
  lineOf,
  stateLine,
} from './alert-answer.ts';

export const deviceJobSchema = z.object({
  incident: z.string(),
  address: z.string(),
  thread: z.string().optional(),
  /** The alert's number, as its answer names it. */
  number: z.number().optional(),
  attempt: z.number(),
});
export type DeviceJob = z.infer<typeof deviceJobSchema>;

export const tellJobSchema = z.object({
  kind: z.enum(['incident', 'digest']),
  /** The incident, or the digest's conversation. */
  about: z.string(),
  thread: z.string().optional(),
  /** Where a digest stands. */
  place: placeSchema.optional(),
  addresses: z.array(z.string()),
  number: z.number().optional(),
  attempt: z.number(),
});
export type TellJob = z.infer<typeof tellJobSchema>;
export type AlertIncident = rules.Incident<AlertDetails, DeviceAnswer>;

/** Rises whenever {@link DeviceAnswer}, {@link rules.Incident} or {@link rules.Storm} changes its form. */
export const FORM = 1;

export type TellParts = LookupParts & {
  incidents: SharedRows<AlertIncident>;
  storms: SharedRows<rules.Storm>;
  jobs: {
    device: Pick<Queue<DeviceJob>, 'wake'>;
    incident: Pick<Queue<TellJob>, 'wake'>;
    post: Pick<Queue<PostJob>, 'find'>;
  };
};

const DONE = { kind: 'done' } as const;

type Telling = {
  id: string;
  incident: AlertIncident;
  alert: AnsweredAlert;
  news: rules.Difference;
  /** The name that the alert was posted to, and its place. */
  thread: string | undefined;
  place: Place | undefined;
};

/**
 * Tells what is new of an incident, or a digest. The room is told of an incident first, and that is remembered at once, so that
 * a crash makes no second post.
 */
export async function tell(job: TellJob, bot: TellParts): Promise<JobOutcome<TellJob>> {
  if (job.kind === 'digest') return tellDigest(job, bot);
  const { incidents, threads, explanations, recent, clock, timing } = bot;
  const { about: id, thread } = job;
  const asker = askerOf(thread);
  const incident = await incidents.find(id);
  const news = incident === undefined ? 'nothing' : rules.differenceOf(incident);
  if (incident === undefined || news === 'nothing') return DONE;
  const place = thread === undefined ? undefined : await threads.find(thread);
  const told = alertOf(incident, news);
  if (told.waiting.length === 0)
    told.answers = await explanations.explain(explanations.note(told.answers, asker, id), asker);
  const telling = { id, incident, alert: told, news, thread, place };
  const delivery = await tellRoom(telling, bot);
  if (delivery === undefined) return again(job, timing);
  const shown = await tellThread(telling, delivery, bot);
  const before = incident.thread?.answeredAt ?? {};
  const isHeard = news !== 'again' || told.answers.some(({ asked }) => !(asked in before)); // Else nobody was notified.
  if (place && isHeard && !shown.isInDigest) recent.note(place, told.answers, clock.now());
  auditNew(telling, delivery, bot);
  await incidents.change(id, (known) => known && rules.afterTelling(known, incident, shown));
  return DONE;
}

function alertOf(incident: AlertIncident, news: rules.Difference): AnsweredAlert {
  const { head, state, since, times, number, leftOut, devices } = incident;
  const isFirst = news === 'new' && times < 2;
  return {
    number,
    answers: bounded(devices.flatMap(({ answer }) => (answer ? [answer.said] : []))),
    waiting: rules.waitingOf(incident).flatMap(readDeviceAddress),
    leftOut,
    details: { ...head, state, ...(!isFirst && { startsAt: since }) },
    ...(!isFirst && { times }),
  };
}

const POSTED: Delivery = { outcome: { kind: 'posted' }, partly: false, kept: false };
const WAITING: Delivery = { outcome: { kind: 'waiting' }, partly: false, kept: true };

/** Posts what the room has not heard. Returns what became of the last post; undefined if it must be tried again. */
async function tellRoom(telling: Telling, bot: TellParts): Promise<Delivery | undefined> {
  const { id, incident, alert, news, place } = telling;
  const { incidents, room, readerOf, jobs } = bot;
  const before = incident.posted?.waiting;
  const state = before === undefined ? 'done' : (await jobs.post.find(before))?.state;
  const posted = state === 'dead' ? undefined : incident.posted; // The room never heard it.
  const { changed, gone } = rules.unheard({ ...incident, posted });
  const isDue = alert.waiting.length === 0 && changed.length + gone.length > 0;
  const isNewState = news === 'resolved' || news === 'reopened';
  const isSaid = posted !== undefined && !isNewState && !isDue;
  if (isSaid) return state === 'open' ? WAITING : POSTED;
  const isNews = new Set(changed.map(({ asked }) => asked));
  const told = alert.answers.filter(({ asked }) => isNews.has(asked));
  const text = alertRoomText(alert, { changed: told, gone }, readerOf({}));
  const key = `${id} ${incident.firstSeq} ${incident.version}`;
  const isTold = place !== undefined;
  const about = { place, number: incident.number, isTold, isForJob: true, afterPostId: before };
  const delivery = await room.post(key, text, about);
  const isTaken = delivery.outcome.kind === 'posted' || delivery.kept;
  const waiting = delivery.kept ? (delivery.post ?? key) : undefined;
  if (isTaken) await incidents.change(id, (known) => known && rules.afterPost(known, incident, waiting));
  // A worker posts the one before now.
  return isTaken || (isTold && delivery.post === undefined) ? delivery : undefined;
}

/** Edits the incident's message, and says a line if it is resolved or fires again, because nobody is notified of an edit. */
async function tellThread(telling: Telling, delivery: Delivery, bot: TellParts): Promise<rules.Shown> {
  const { incident, alert, news, place } = telling;
  const { chat, readerOf } = bot;
  const { messageId, isInDigest = false } = incident.thread ?? {};
  if (place === undefined) return { messageId, isInDigest };
  if (isInDigest || (news === 'new' && (await isStorm(place, bot)))) {
    await tellLine(telling, place, bot);
    return { isInDigest: true };
  }
  const reader = readerOf(place);
  const shownId = await chat.reply(place, alertMessage(alert, delivery, reader), messageId);
  const isEdited = shownId !== undefined && shownId === messageId;
  if (isEdited && (news === 'resolved' || news === 'reopened'))
    await chat.reply(place, stateLine(news, alert, reader));
  return { messageId: shownId, isInDigest };
}

async function isStorm({ reference }: Place, { storms, clock }: TellParts): Promise<boolean> {
  let isInDigest = false;
  await storms.change(reference.conversation.id, (known) => {
    const admitted = rules.admitNew(known, clock.now());
    isInDigest = admitted.isInDigest;
    return admitted.storm;
  });
  return isInDigest;
}

async function tellLine({ id, alert }: Telling, place: Place, bot: TellParts): Promise<void> {
  const { storms, jobs, readerOf, clock, timing } = bot;
  const about = place.reference.conversation.id;
  const line = { incident: id, words: lineOf(alert, readerOf(place)) };
  await storms.change(about, (known) => rules.writeLine(known, line, clock.now()));
  const job: TellJob = { kind: 'digest', about, place, addresses: [], attempt: 0 };
  await jobs.incident.wake(`digest ${about}`, job, timing.alertFirstMs);
}

async function tellDigest({ about, place }: TellJob, { storms, chat }: TellParts) {
  const digest = (await storms.find(about))?.digest;
  if (digest === undefined || place === undefined) return DONE;
  const messageId = await chat.reply(place, digestMessage(digest), digest.messageId);
  if (messageId !== undefined && messageId === digest.messageId) return DONE;
  await storms.change(about, (known) => {
    const isSame = known?.digest?.lines[0]?.incident === digest.lines[0]?.incident;
    return known?.digest && isSame ? { ...known, digest: { ...known.digest, messageId } } : known;
  });
  return DONE;
}

function auditNew({ incident, alert, thread, place }: Telling, delivery: Delivery, bot: TellParts) {
  const { audit, clock } = bot;
  const before = incident.thread?.answeredAt ?? {};
  const told = incident.devices.filter(({ address, answer }) => answer?.at !== before[address]);
  const isNew = new Set(told.map(({ answer }) => answer?.said.asked));
  const isUnheard = new Set(rules.unheard(incident).changed.map(({ asked }) => asked));
  const answers = alert.answers.filter(({ asked }) => isNew.has(asked));
  const news = answers.filter(({ asked }) => isUnheard.has(asked));
  const { number, arrivedAt: askedAt } = incident;
  const lookup = { number, by: 'alert', alert: thread, place, askedAt, answeredAt: clock.now() } as const;
  auditAnswers(audit, { ...lookup, delivery, news }, answers);
}

/**
 * Who asks the NAC for an alert: the name that it was posted to. No person's id begins so (a directory's id, or a channel's
 * name and a colon), so nobody has connected under it, and the service account is used.
 */
export function askerOf(thread = ''): string {
  return `alerts/${thread}`;
}
