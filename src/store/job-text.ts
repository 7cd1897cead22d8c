import type { z } from 'zod';
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

/** The text of a job's row: a line of JSON, and later a line for each thing that is added. */
export const writeJob = (key: string, data: unknown) => JSON.stringify({ version: VERSION, key, data });

export function readJob<Data>(text: string, schema: z.ZodType<Data>): JobText<Data> {
  const [row, ...lines] = text.split('\n').map((line) => Object(parseJson(line)));
  const { version, data: raw } = row;
  const key = typeof row.key === 'string' ? row.key : undefined;
  // Release 0.2.0 (version 1) called a question's arrival `firstAt`.
  const { data } = schema.safeParse(version === 1 ? { arrivedAt: Object(raw).firstAt, ...Object(raw) } : raw);
  const isReadable = key !== undefined && [1, VERSION].includes(version);
  const added = lines.filter(({ at }) => typeof at === 'number');
  return { isNewer: version > VERSION, key, data: isReadable ? data : undefined, raw, added };
}
