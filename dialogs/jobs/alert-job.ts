import { z } from 'zod';
import { findMacAddresses } from '../../src/mac-address.ts';
import type { Lookup } from '../../src/nac/lookup.ts';
import { type Audit, reportNumber } from '../../src/ops/audit.ts';
import type { HeldIncident, Incidents } from '../../src/store/incidents.ts';
import type { Threads } from '../../src/store/tables.ts';
import type { JobOutcome } from '../../src/store/workers.ts';
import { type Backoff, backoffMs } from '../../src/time/backoff.ts';
import { TIMING } from '../../src/time/timing.ts';
import type { AnsweredAlert } from '../answers/alert-answer.ts';
import { type AlertDetails, alertDetailsSchema } from '../answers/alert-details.ts';

import { ask, giveUp, isPassing } from '../answers/device-answer.ts';
import type { Explain } from '../answers/explain.ts';

import { formatFor } from '../format/locale.ts';
import type { Place } from '../format/message.ts';
import { auditAnswers } from './audit-answers.ts';
import {
  type Arrival,
  addressesOf,
  afterPosting,
  afterTelling,
  arrivalOf,
  historyOf,
  type Incident,
  incidentId,
  newsOf,
  type Step,
  stepOf,
} from './incident.ts';
import { ASK_FOR_MS, GIVE_UP_AFTER_MS } from './lookup-job.ts';
import { type TellOptions, tellRoom, tellThread } from './tell-alert.ts';

/** An alert that waits in the database. Times are milliseconds since 1970. */
export const alertJobSchema = z.object({
  /** Digest of the request, to tell a repeat from another alert with the same key. */
  digest: z.string(),
  addresses: z.array(z.string()),
  thread: z.string().optional(),
  leftOut: z.number().optional(),
  details: alertDetailsSchema.optional(),
  /** When the bot took the alert; undefined: `firstAt`, which begins anew if a job that was given up is tried again. */
  arrivedAt: z.number().optional(),
  firstAt: z.number(),
  attempt: z.number(),
});
export type AlertJob = z.infer<typeof alertJobSchema>;

export type AlertJobOptions = TellOptions & {
  lookUp: Lookup;
  explain: Explain;
  threads: Threads<Place>;
  incidents: Incidents<Incident>;
  audit: Audit;
  /** The pauses between tries. */
  backoff?: Backoff;
};

/**
 * Who asks the NAC for an alert: the name that it was posted to. No person's id begins so (a directory's id, or a channel's
 * name and a colon), so nobody has connected under it, and the service account is used.
 */
function askerOf({ thread = '' }: AlertJob): string {
  return `alerts/${thread}`;
}

/** How long an alert waits while another alert of its incident is told. */
const HELD_AGAIN_MS = 1000;

const DONE: JobOutcome<AlertJob> = { kind: 'done' };

/**
 * Looks up an alert's devices. Answers once for all of them: in the room, and in the alert's thread if it names one.
 * Alerts of one incident share one message, and are told one after another.
 */
export async function workOnAlert(
  job: AlertJob,
  key: string,
  options: AlertJobOptions,
): Promise<JobOutcome<AlertJob>> {
  const { threads, incidents, now } = options;
  if (now() - job.firstAt >= GIVE_UP_AFTER_MS) return { kind: 'dead', reason: 'it is 24 hours old' };
  const place = job.thread === undefined ? undefined : await threads.find(job.thread);
  const incidentKey = job.details?.incidentKey;
  if (incidentKey === undefined) return tell({ job, key, place, incident: undefined }, options);
  const outcome = await incidents.hold(incidentId(incidentKey, place, job.thread), (incident) =>
    tell({ job, key, place, incident }, options),
  );
  return outcome ?? { kind: 'again', data: job, afterMs: HELD_AGAIN_MS };
}

type Work = {
  job: AlertJob;
  key: string;
  place: Place | undefined;
  /** Undefined: the alert has no incident key, so it is told on its own. */
  incident: HeldIncident<Incident> | undefined;
};

async function tell(
  { job, key, place, incident }: Work,
  options: AlertJobOptions,
): Promise<JobOutcome<AlertJob>> {
  const { lookUp, explain, audit, now, backoff = TIMING.lookups } = options;
  const again = (): JobOutcome<AlertJob> => ({
    kind: 'again',
    data: { ...job, attempt: job.attempt + 1 },
    afterMs: backoffMs(job.attempt, backoff),
  });
  const last = incident?.told;
  const arrival = arrivalOf(key, job.details ?? { state: 'unknown' }, job.arrivedAt ?? job.firstAt);
  const step = stepOf(last, arrival);
  if (step === 'told') return DONE;
  const addresses = job.addresses.length === 0 && last && step !== 'new' ? addressesOf(last) : job.addresses;
  if (addresses.length === 0) return DONE; // Nothing was told of this incident, and it names no device.
  const asked = await ask(
    addresses.flatMap((stored) => findMacAddresses(stored)),
    askerOf(job),
    lookUp,
  ).all;
  if (asked.some(isPassing) && now() - job.firstAt < ASK_FOR_MS) return again();
  const answers = giveUp(asked);
  const number = reportNumber(key);
  const leftOut = job.leftOut ?? 0;
  const alert = { number, answers, leftOut, ...withHistory(job.details, last, step, arrival) };
  const news = newsOf(step, last?.posted ?? {}, answers);
  const telling = { key, alert, place, step, last, news };
  // Whoever reads the room alone reads nothing more than the post.
  const explaining = place === undefined || step === 'stale' ? answers : explain(answers, askerOf(job));
  const delivery = await tellRoom(telling, options);
  const isPosted = delivery.outcome.kind === 'posted' || delivery.kept;
  if (!isPosted && (place === undefined || step === 'stale')) return again(); // Nobody has heard of the alert.
  const before = step === 'new' ? undefined : last;
  const known = isPosted ? afterPosting(last, step, arrival, { answers, isKept: delivery.kept }) : before;
  if (known) await incident?.save(known); // So a crash while the thread is told makes no second post.
  const explained = { ...telling, alert: { ...alert, answers: await explaining } };
  const messageId = await tellThread(explained, delivery, options);
  const times = { askedAt: arrival.arrivedAt, answeredAt: now() };
  const told = {
    number,
    by: 'alert',
    alert: job.thread,
    place,
    ...times,
    delivery,
    news: news.changed,
  } as const;
  auditAnswers(audit, told, answers, formatFor({}, now));
  await incident?.save(afterTelling(known, step, arrival, { answers, messageId }));
  return DONE;
}

/** What an alert says of itself, with what is known of its incident. */
function withHistory(
  details: AlertDetails | undefined,
  last: Incident | undefined,
  step: Step,
  arrival: Arrival,
): Pick<AnsweredAlert, 'details' | 'times'> {
  if (details === undefined || last === undefined || step === 'new') return { details };
  const { since, times } = historyOf(last, step, arrival);
  const state = step === 'stale' ? last.state : details.state;
  return { details: { ...details, startsAt: since, state }, times };
}
