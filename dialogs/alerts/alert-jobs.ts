import { z } from 'zod';
import type { AlertDetails } from '../../src/domain/alert.ts';
import type { Incident } from '../../src/domain/incident.ts';
import type { Storm } from '../../src/domain/storm.ts';
import { alertDetailsSchema } from '../answers/alert-details.ts';
import type { DeviceAnswer } from '../answers/device-answer.ts';
import { placeSchema } from '../format/message.ts';

/** An alert that was taken, and is still to be added to its incident. Times are milliseconds since 1970. */
export const alertJobSchema = z.object({
  /** Digest of the request, to tell a repeat from another alert with the same key. */
  digest: z.string(),
  addresses: z.array(z.string()),
  /** The name that it was posted to. */
  thread: z.string().optional(),
  leftOut: z.number().optional(),
  details: alertDetailsSchema,
  confirmation: z.object({ TopicArn: z.string(), SubscribeURL: z.string() }).optional(),
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

/** Rises whenever {@link DeviceAnswer} or {@link Incident} changes its form: rows in another form are not read. */
const FORM = 1;

/** A row of an incident. Only the bot writes it, so its form says what is in it. */
export type IncidentRow = { form: typeof FORM; incident: AlertIncident };

export function readIncidentRow(data: unknown): IncidentRow | undefined {
  return hasForm<IncidentRow>(data) ? data : undefined;
}

export type StormRow = { form: typeof FORM; storm: Storm };

export function readStormRow(data: unknown): StormRow | undefined {
  return hasForm<StormRow>(data) ? data : undefined;
}

function hasForm<Row extends { form: number }>(data: unknown): data is Row {
  return z.object({ form: z.literal(FORM) }).safeParse(data).success;
}

export function rowOf<Held extends object>(held: Held): { form: typeof FORM } & Held {
  return { form: FORM, ...held };
}
