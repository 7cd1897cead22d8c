import { z } from 'zod';
import type { Job } from '../domain/jobs.ts';
import { parseJson } from '../domain/text.ts';

/** `data` are undefined if this release cannot read the job; `key` and `raw` are the rest that it can read. */
export type JobText<Data> = Pick<Job<Data>, 'added'> & {
  isNewer: boolean;
  key: string | undefined;
  data: Data | undefined;
  raw: unknown;
};

/** Raised by a release whose jobs an older one cannot read. */
const VERSION = 2;
const rowSchema = z.object({
  version: z.int().catch(0),
  key: z.string().optional().catch(undefined),
  data: z.unknown(),
});
const addedSchema = z.object({ at: z.number(), data: z.unknown() });

/** The text of a job's row: a line of JSON, and later a line for each thing that is added. */
export const writeJob = (key: string, data: unknown) => JSON.stringify({ version: VERSION, key, data });

export function readJob<Data>(text: string, schema: z.ZodType<Data>): JobText<Data> {
  const [first = '', ...lines] = text.split('\n');
  const { version = 0, key, data: raw } = rowSchema.safeParse(parseJson(first)).data ?? {};
  const isNewer = version > VERSION;
  const isReadable = version >= 1 && !isNewer && key !== undefined;
  const { data } = schema.safeParse(version === 1 ? withArrival(raw) : raw);
  const added = lines.flatMap((line) => addedSchema.safeParse(parseJson(line)).data ?? []);
  return { isNewer, key, data: isReadable ? data : undefined, raw, added };
}

/** Release 0.2.0 (version 1) called a question's arrival `firstAt`. */
const withArrival = (data: unknown) => ({ arrivedAt: Object(data).firstAt, ...Object(data) });
