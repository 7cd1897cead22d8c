import { v5 as uuidv5 } from 'uuid';
import { z } from 'zod';
import { storable } from '../text/storable.ts';
import type { Queryable } from './sql.ts';

/** A job's content: what it is about, what its work needs, and how often its work failed by a bug of ours. */
export type Job<Data> = { key: string; data: Data; faults?: number | undefined };

/** The jobs of one queue as rows of the database. Each call throws what {@link Queryable.ask} throws. */
export type JobRows<Data> = {
  /** The id of the job with this key. */
  idOf(key: string): string;
  /** The row of a job that is there or was done in the last 24 hours. */
  read(key: string): Promise<{ data: unknown; isDone: boolean } | undefined>;
  /** A row's content; `newer` if a newer release wrote it, undefined if it has another form. */
  parse(content: unknown): Job<Data> | 'newer' | undefined;
  /** Puts a job into the queue. @returns `known` if one with this key is there */
  send(job: Job<Data>, afterMs: number): Promise<'put' | 'known'>;
  /** Puts a job into the queue under the id of `idKey`, unless one with that id is there or was done in the last 24 hours. */
  sendOnce(idKey: string, job: Job<Data>, afterMs: number): Promise<void>;
};

/** Raised by a release whose jobs an older one cannot read. A job without a version is of version 1. */
const VERSION = 1;

const NAMESPACE = '6f1d9c1e-52b5-4b7c-9d0e-8f5b8d8d3f11';

const versionSchema = z.object({ version: z.number().int().default(VERSION) });

export function createJobRows<Data extends object>(
  store: Queryable,
  name: string,
  schema: z.ZodType<Data>,
): JobRows<Data> {
  const contentSchema = z.object({ key: z.string(), data: schema, faults: z.number().int().optional() });
  const idOf = (key: string) => uuidv5(`${name} ${key}`, NAMESPACE);

  /** One statement for both tables, because a done job moves from one to the other. */
  async function read(key: string): Promise<{ data: unknown; isDone: boolean } | undefined> {
    const rows = await store.query<{ data: unknown; isDone: boolean }>(
      `select data, state = 'completed' as "isDone" from pgboss.job where name = $1 and id = $2
       union all select data, true from bot.job_key where id = $2`,
      [name, idOf(key)],
    );
    return rows[0];
  }

  async function sendAs(id: string, job: Job<Data>, afterMs: number): Promise<'put' | 'known'> {
    const content = storable({ version: VERSION, ...job });
    const options = { id, startAfter: new Date(Date.now() + afterMs) };
    const sent = await store.ask((boss) => boss.send(name, content, options));
    return sent === null ? 'known' : 'put';
  }

  return {
    idOf,
    read,
    parse(content) {
      if ((versionSchema.safeParse(content).data?.version ?? VERSION) > VERSION) return 'newer';
      return contentSchema.safeParse(content).data;
    },
    send: (job, afterMs) => sendAs(idOf(job.key), job, afterMs),
    async sendOnce(idKey, job, afterMs) {
      if ((await read(idKey)) === undefined) await sendAs(idOf(idKey), job, afterMs);
    },
  };
}
