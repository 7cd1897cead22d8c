import { z } from 'zod';
import type { AlertDetails } from '../../src/domain/alert.ts';
import type { Incident, Storm } from '../../src/domain/incident.ts';
import type { MacAddress } from '../../src/domain/mac-address.ts';
import { placeSchema } from '../format/message.ts';
import type { DeviceAnswer } from '../lookup/device-answer.ts';

const alertDetailsSchema: z.ZodType<AlertDetails> = z.object({
  title: z.string().optional(),
  source: z.string().optional(),
  severity: z.string().optional(),
  startsAt: z.number().optional(),
  incidentKey: z.string().optional(),
  state: z.enum(['firing', 'resolved']),
  link: z.string().optional(),
});

/** What Amazon SNS sends before its first alert. Somebody must open the link. */
export const confirmationSchema = z.object({
  Type: z.literal('SubscriptionConfirmation'),
  TopicArn: z.string().max(300),
  SubscribeURL: z.string().startsWith('https://').max(2000),
});
export type Confirmation = z.infer<typeof confirmationSchema>;

/** An alert that was taken, and is still to be added to its incident. Times are milliseconds since 1970. */
export const alertJobSchema = z.object({
  /** Of the request, to tell a repeat from another alert with the same key. */
  digest: z.string(),
  addresses: z.array(z.string()),
  /** The name that it was posted to. */
  thread: z.string().optional(),
  leftOut: z.number().optional(),
  details: alertDetailsSchema,
  confirmation: confirmationSchema.optional(),
  arrivedAt: z.number(),
  /** Begins anew if a job that was given up is tried again. */
  firstAt: z.number(),
  attempt: z.number(),
});
export type AlertJob = z.infer<typeof alertJobSchema>;

/** A device of an incident that the NAC is asked about. */
export const deviceJobSchema = z.object({
  incident: z.string(),
  address: z.string(),
  thread: z.string().optional(),
  firstAt: z.number(),
  attempt: z.number(),
});
export type DeviceJob = z.infer<typeof deviceJobSchema>;

/** An incident, or the digest of a storm, that is to be told. */
export const tellJobSchema = z.object({
  kind: z.enum(['incident', 'digest']),
  /** The incident, or the digest's conversation. */
  about: z.string(),
  thread: z.string().optional(),
  /** Where a digest stands. */
  place: placeSchema.optional(),
  addresses: z.array(z.string()),
  attempt: z.number(),
});
export type TellJob = z.infer<typeof tellJobSchema>;

export type AlertIncident = Incident<AlertDetails, DeviceAnswer>;

/** Rises whenever {@link DeviceAnswer}, {@link Incident} or {@link Storm} changes its form. */
export const FORM = 1;

/**
 * Who asks the NAC for an alert: the name that it was posted to. No person's id begins so (a directory's id, or a channel's
 * name and a colon), so nobody has connected under it, and the service account is used.
 */
export function askerOf(thread = ''): string {
  return `alerts/${thread}`;
}

/** An incoming alert. */
export type Alert = Pick<AlertJob, 'digest' | 'thread' | 'details' | 'confirmation'> & {
  /** Same for a repeat with the same `Idempotency-Key`. */
  key: string;
  /** The devices to look up. With none, an alert is stored only if it says that an incident is resolved. */
  addresses: readonly MacAddress[];
  /** How many more addresses the alert held. */
  leftOut: number;
};

/** `other alert`: the same key with another body. */
export type Accepted = 'accepted' | 'unknown thread' | 'other alert' | 'full';
