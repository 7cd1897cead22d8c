import { z } from 'zod';

/** What an alert says of itself. The texts are foreign. Plain data that can be stored. */
export const alertDetailsSchema = z.object({
  title: z.string().optional(),
  /** The system that sent the alert, and what it says of its part. */
  source: z.string().optional(),
  severity: z.string().optional(),
  /** When the incident began (milliseconds since 1970). */
  startsAt: z.number().optional(),
  /** The same for all alerts of one incident of one sender. */
  incidentKey: z.string().optional(),
  state: z.enum(['firing', 'resolved']),
  /** An https address, where a person finds the alert. */
  link: z.string().optional(),
});
export type AlertDetails = z.infer<typeof alertDetailsSchema>;
