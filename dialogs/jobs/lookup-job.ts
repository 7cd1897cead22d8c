import { z } from 'zod';
import { placeSchema } from '../format/message.ts';

/** A lookup that waits in the database. Times are milliseconds since 1970. */
export const lookupJobSchema = z.object({
  place: placeSchema,
  person: z.string(),
  addresses: z.array(z.string()),
  /** The message that tells how far it is, if there is one: the answer takes its place. */
  messageId: z.string().optional(),
  firstAt: z.number(),
  attempt: z.number(),
});
export type LookupJob = z.infer<typeof lookupJobSchema>;
