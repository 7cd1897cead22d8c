import { z } from 'zod';
import type { Arrival, Incident } from '../../src/domain/incident.ts';
import type { Queue } from '../../src/domain/jobs.ts';
import type { Rows } from '../../src/store/tables.ts';
import type { PostJob } from '../../src/webhook/posts.ts';
import type { LookupParts } from '../lookup/lookup-jobs.ts';
import { fingerprintOf } from '../lookup/report.ts';
import type { DeviceAnswer } from '../render/device.ts';
import type { Place } from '../render/message.ts';
import { code, paragraphs } from '../render/words.ts';

export type AlertIncident = Incident<DeviceAnswer>;

/** An incident's job: all that is known of the incident, and what was published. A new one has no data yet. */
export const incidentSchema = z
  .object({
    /** Rises whenever {@link DeviceAnswer} or {@link AlertIncident} changes its form. */
    form: z.literal(2),
    incident: z.custom<AlertIncident>((value) => typeof value === 'object'),
    /** The name that its alerts were sent to. */
    thread: z.string().optional(),
    /** For the report of a job that is given up. */
    addresses: z.array(z.string()),
    /** How often the NAC was asked in vain since the last alert. */
    attempt: z.number(),
  })
  .nullable();
export type IncidentData = z.infer<typeof incidentSchema>;

/** `confirmation`: the link with which Amazon SNS asks whether alerts may come. */
export type Alert = Omit<Arrival, 'at'> & { confirmation?: string | undefined };

/** `other alert`: the same key with another body. `too many`: addresses in one minute. */
export type Accepted = 'accepted' | 'unknown thread' | 'other alert' | 'too many' | 'full';

export type AlertParts = LookupParts & {
  /** The digests of requests, by their keys. */
  requests: Pick<Rows, 'find' | 'save'>;
  /** How many alerts held no address since the start, by the name that they were sent to; undefined: to no name. */
  alertsWithoutAddress: Map<string | undefined, number>;
  jobs: { alert: Queue<IncidentData>; post: Queue<PostJob> };
};

const REMEMBERED_MS = 24 * 3_600_000;

/**
 * Adds an alert to its incident's job, unless it names no device and ends no incident. Takes from the limit only what is to be
 * stored, a key too, so that no wrong or repeated alert keeps others out. Throws what the store throws.
 */
export async function acceptAlert({ confirmation, ...alert }: Alert, bot: AlertParts): Promise<Accepted> {
  const { request, digest, details, addresses } = alert;
  const { jobs, threads, limits, requests, alertsWithoutAddress: silent } = bot;
  const found = alert.thread === undefined ? undefined : await threads.find(alert.thread);
  if (alert.thread !== undefined && found === undefined) return 'unknown thread';
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
  if (isSilent) silent.set(thread, (silent.get(thread) ?? 0) + 1);
  else if (confirmation) await sendLink(confirmation, place, bot);
  else if ((await jobs.alert.wake(incident, null, { ...alert, thread })) === 'full') return 'full';
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

/**
 * The asker of an alert's lookups: the name that it was sent to. No person's id begins so (a directory's id, or a channel's
 * name and a colon), so nobody has connected under it, and the service account is used.
 */
export const askerOf = (thread = '') => `alerts/${thread}`;
