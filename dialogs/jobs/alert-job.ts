import { z } from 'zod';
import type { MacAddress } from '../../src/mac-address.ts';
import { findMacAddresses } from '../../src/mac-address.ts';
import type { Lookup } from '../../src/nac/lookup.ts';
import type { Queue } from '../../src/store/queues.ts';
import type { Threads } from '../../src/store/threads.ts';
import type { JobOutcome } from '../../src/store/workers.ts';
import type { Deliver } from '../../src/webhook/delivery.ts';
import { alertMessage, alertRoomText } from '../answers/alert-answer.ts';
import { type AlertDetails, alertDetailsSchema } from '../answers/alert-details.ts';
import { ask, isPassing } from '../answers/device-answer.ts';
import { formatFor } from '../format/locale.ts';
import type { Message, Place } from '../format/message.ts';
import { ASK_FOR_MS, askAgainAfterMs, GIVE_UP_AFTER_MS } from './lookup-job.ts';

/** An incoming alert: the devices to look up, and where the answers go. */
export type Alert = {
  /** Same for a repeat with the same `Idempotency-Key`. */
  key: string;
  digest: string;
  /** The devices to look up; with none, nothing is stored. */
  addresses: readonly MacAddress[];
  /** How many more addresses the alert held. */
  leftOut: number;
  thread: string | undefined;
  details: AlertDetails;
};

/** `other alert`: the same key with another body. */
export type Accepted = 'accepted' | 'unknown thread' | 'other alert' | 'full';

/** An alert that waits in the database. Times are milliseconds since 1970. */
export const alertJobSchema = z.object({
  /** Digest of the request, to tell a repeat from another alert with the same key. */
  digest: z.string(),
  addresses: z.array(z.string()),
  thread: z.string().optional(),
  leftOut: z.number().optional(),
  details: alertDetailsSchema.optional(),
  firstAt: z.number(),
  attempt: z.number(),
});
export type AlertJob = z.infer<typeof alertJobSchema>;

export type AlertJobOptions = {
  lookUp: Lookup;
  deliver: Deliver;
  threads: Threads<Place>;
  sayLater(place: Place, message: Message): Promise<void>;
  now: () => number;
};

/** Stores an alert in the database, once for each key. */
export async function acceptAlert(
  { key, digest, addresses, leftOut, thread, details }: Alert,
  {
    queue,
    threads,
    now,
  }: { queue: Pick<Queue<AlertJob>, 'put' | 'find'>; threads: Threads<Place>; now: () => number },
): Promise<Accepted> {
  if (thread !== undefined && (await threads.find(thread)) === undefined) return 'unknown thread';
  if (addresses.length === 0) return 'accepted';
  const job = {
    digest,
    addresses: [...addresses],
    ...(thread !== undefined && { thread }),
    ...(leftOut > 0 && { leftOut }),
    details,
    firstAt: now(),
    attempt: 0,
  };
  const put = await queue.put(key, job);
  if (put === 'known' && (await queue.find(key))?.digest !== digest) return 'other alert';
  return put === 'full' ? 'full' : 'accepted';
}

/** The person id for alerts in the NAC's queue. Nobody has connected under it, so the service account is used. */
const PERSON = 'alerts';

/** Looks up an alert's devices. Answers once for all of them: in the room, and in the alert's thread if it names one. */
export async function workOnAlert(
  job: AlertJob,
  key: string,
  options: AlertJobOptions,
): Promise<JobOutcome<AlertJob>> {
  const { lookUp, deliver, threads, sayLater, now } = options;
  const again = (): JobOutcome<AlertJob> => ({
    kind: 'again',
    data: { ...job, attempt: job.attempt + 1 },
    afterMs: askAgainAfterMs(job.attempt),
  });
  if (now() - job.firstAt >= GIVE_UP_AFTER_MS) return { kind: 'dead', reason: 'it is 24 hours old' };
  const answers = await ask(job.addresses.flatMap(findMacAddresses), PERSON, lookUp).all;
  if (answers.some(isPassing) && now() - job.firstAt < ASK_FOR_MS) return again();
  const place = job.thread === undefined ? undefined : await threads.find(job.thread);
  const alert = { answers, details: job.details, leftOut: job.leftOut ?? 0 };
  const text = alertRoomText(alert, { format: formatFor({}, now), now: now() });
  const delivery = await deliver(key, text, () => place !== undefined);
  const isPosted = delivery.outcome.kind === 'posted' || delivery.kept;
  if (place === undefined && !isPosted) return again(); // Nobody has heard of the alert.
  if (place)
    await sayLater(place, alertMessage(alert, delivery, { format: formatFor(place, now), now: now() }));
  return { kind: 'done' };
}
