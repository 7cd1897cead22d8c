import { v5 as uuidv5 } from 'uuid';
import { z } from 'zod';
import type { Store } from './store.ts';

/** A job's content: what it is about, and what its work needs. */
type Job<Data> = { key: string; data: Data };

/** The jobs of one queue as rows of the database. Each call throws what {@link Store.ask} throws. */
export type JobRows<Data> = {
  /** The id of the job with this key. */
  idOf(key: string): string;
  /** The row of a job that is there or was done in the last 24 hours. */
  read(key: string): Promise<{ data: unknown } | undefined>;
  /** A row's content; undefined if it has another form. */
  parse(content: unknown): Job<Data> | undefined;
  /** Puts a job into the queue. @returns `known` if one with this key is there */
  send(key: string, data: Data, afterMs: number): Promise<'put' | 'known'>;
  /** Puts a job into the queue unless one with this key is there or was done in the last 24 hours. */
  sendOnce(key: string, data: Data, afterMs: number): Promise<void>;
};

const NAMESPACE = '6f1d9c1e-52b5-4b7c-9d0e-8f5b8d8d3f11';

export function createJobRows<Data extends object>(
  store: Pick<Store, 'query' | 'ask'>,
  name: string,
  schema: z.ZodType<Data>,
): JobRows<Data> {
  const contentSchema = z.object({ key: z.string(), data: schema });
  const idOf = (key: string) => uuidv5(`${name} ${key}`, NAMESPACE);

  /** One statement for both tables, because a done job moves from one to the other. */
  async function read(key: string): Promise<{ data: unknown } | undefined> {
    const rows = await store.query<{ data: unknown }>(
      `select data from pgboss.job where name = $1 and id = $2
       union all select data from bot.job_key where id = $2`,
      [name, idOf(key)],
    );
    return rows[0];
  }

  async function send(key: string, data: Data, afterMs: number): Promise<'put' | 'known'> {
    const options = { id: idOf(key), startAfter: new Date(Date.now() + afterMs) };
    const id = await store.ask((boss) => boss.send(name, { key, data }, options));
    return id === null ? 'known' : 'put';
  }

  return {
    idOf,
    read,
    parse: (content) => contentSchema.safeParse(content).data,
    send,
    async sendOnce(key, data, afterMs) {
      if ((await read(key)) === undefined) await send(key, data, afterMs);
    },
  };
}
