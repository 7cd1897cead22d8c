import { z } from 'zod';
import type { AlertDetails } from '../../src/domain/alert.ts';

/** Reads what an alert said of itself from a row of the database. */
export const alertDetailsSchema: z.ZodType<AlertDetails> = z.object({
  title: z.string().optional(),
  source: z.string().optional(),
  severity: z.string().optional(),
  startsAt: z.number().optional(),
  incidentKey: z.string().optional(),
  state: z.enum(['firing', 'resolved']),
  link: z.string().optional(),
});
