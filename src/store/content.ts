import { z } from 'zod';
import { parseJson } from '../domain/json.ts';

/** Raised by a release whose jobs an older one cannot read. */
const VERSION = 1;

const versionSchema = z.object({ version: z.number().int() });
const damagedSchema = z.object({ key: z.string().optional().catch(undefined), data: z.unknown() });

/** What a row's text says. `key` and `data` of a damaged row are what can be read of it. */
type ReadJob<Data> =
  | { kind: 'job'; key: string; data: Data }
  | { kind: 'newer'; key: string | undefined; data: unknown }
  | { kind: 'damaged'; key: string | undefined; data: unknown };

/** Writes and reads the text of a job's row. */
export type Content<Data> = { write(key: string, data: Data): string; read(text: string): ReadJob<Data> };

export function createContent<Data>(schema: z.ZodType<Data>): Content<Data> {
  const jobSchema = z.object({ version: z.literal(VERSION), key: z.string(), data: schema });
  return {
    write: (key, data) => JSON.stringify({ version: VERSION, key, data }),
    read(text) {
      const value = parseJson(text);
      const job = jobSchema.safeParse(value).data;
      if (job !== undefined) return { kind: 'job', key: job.key, data: job.data as Data };
      const { key, data } = damagedSchema.safeParse(value).data ?? { key: undefined, data: undefined };
      const isNewer = (versionSchema.safeParse(value).data?.version ?? 0) > VERSION;
      return { kind: isNewer ? 'newer' : 'damaged', key, data };
    },
  };
}
