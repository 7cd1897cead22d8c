import type { AlertDetails } from '../../src/domain/alert.ts';
import type { Queue } from '../../src/domain/jobs.ts';
import type { MacAddress } from '../../src/domain/mac-address.ts';
import type { Threads } from '../../src/store/tables.ts';
import type { Place } from '../format/message.ts';
import type { AlertJob, Confirmation } from './alert-jobs.ts';

/** An incoming alert: the devices to look up, and where the answers go. */
export type Alert = {
  /** Same for a repeat with the same `Idempotency-Key`. */
  key: string;
  digest: string;
  /** The devices to look up. With none, an alert is stored only if it says that an incident is resolved. */
  addresses: readonly MacAddress[];
  /** How many more addresses the alert held. */
  leftOut: number;
  thread: string | undefined;
  details: AlertDetails;
  /** Amazon SNS asks somebody to open a link, before it sends alerts. */
  confirmation?: Confirmation | undefined;
};

/** `other alert`: the same key with another body. */
export type Accepted = 'accepted' | 'unknown thread' | 'other alert' | 'full';

/** Stores an alert in the database, once for each key. */
export async function acceptAlert(
  { key, digest, addresses, leftOut, thread, details, confirmation }: Alert,
  {
    queue,
    threads,
    now,
  }: { queue: Pick<Queue<AlertJob>, 'put' | 'find'>; threads: Threads<Place>; now: () => number },
): Promise<Accepted> {
  if (thread !== undefined && (await threads.find(thread)) === undefined) return 'unknown thread';
  const endsIncident = details.state === 'resolved' && details.incidentKey !== undefined;
  if (addresses.length === 0 && !endsIncident && confirmation === undefined) return 'accepted';
  const job = {
    ...(confirmation && { confirmation }),
    digest,
    addresses: [...addresses],
    ...(thread !== undefined && { thread }),
    ...(leftOut > 0 && { leftOut }),
    details,
    arrivedAt: now(),
    firstAt: now(),
    attempt: 0,
  };
  const put = await queue.put(confirmation ? `confirm ${confirmation.SubscribeURL}` : key, job);
  if (confirmation) return put === 'full' ? 'full' : 'accepted';
  if (put === 'known' && (await queue.find(key))?.digest !== digest) return 'other alert';
  return put === 'full' ? 'full' : 'accepted';
}
