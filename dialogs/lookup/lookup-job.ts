import { z } from 'zod';
import { placeSchema } from '../format/message.ts';
import { shownBeforeSchema } from './shown-before.ts';

/** A lookup that waits in the database. Times are milliseconds since 1970. */
export const lookupJobSchema = z.object({
  place: placeSchema,
  person: z.string(),
  addresses: z.array(z.string()),
  /** The message that the answer replaces, if there is one. */
  messageId: z.string().optional(),
  /** What the pressed message said, if a press asked. */
  was: shownBeforeSchema.optional(),
  /** Undefined: a message asked. */
  by: z.literal('press').optional(),
  firstAt: z.number(),
  attempt: z.number(),
});
export type LookupJob = z.infer<typeof lookupJobSchema>;

/** The key of the job of the devices that were not answered because the NAC is down. */
export function laterKey(questionKey: string): string {
  return `${questionKey}${LATER}`;
}

/** The key of the question that became the job with this key. */
export function questionKey(jobKey: string): string {
  return jobKey.endsWith(LATER) ? jobKey.slice(0, -LATER.length) : jobKey;
}

const LATER = ' later';

/** How long the bot keeps asking a NAC that is down, counted from the question. */
export const ASK_FOR_MS = 10 * 60_000;

/** When a job that could not be done is given up, counted from the question. */
export const GIVE_UP_AFTER_MS = 24 * 3_600_000;
