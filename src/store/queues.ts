import { hash } from 'node:crypto';
import type { z } from 'zod';
import type { DeadLetters, Queue, Worker } from '../domain/jobs.ts';
import type { Queryable } from './dialect.ts';
import { type Content, createContent, startWorkers, type Workers, type WorkersOptions } from './workers.ts';

export type QueueName = 'lookup' | 'post' | 'reply' | 'alert' | 'device' | 'incident';
export type StartableQueue<Data> = Queue<Data> & { start(worker: Worker<Data>): Workers };

type QueueOptions<Data> = Pick<WorkersOptions<Data>, 'timing' | 'onError'> & {
  name: QueueName;
  schema: z.ZodType<Data>;
};

export const MAX_OPEN = 10_000;
const MOST_REVIVED = 10_000;

export function createQueue<Data extends object>(
  store: Queryable,
  { name, schema, ...options }: QueueOptions<Data>,
): StartableQueue<Data> {
  const { job, now, texts } = store.dialect;
  const { query } = store;
  const waits = `queue = $1 and state = 'open' and lease is null`;
  // The index alone tells this, so it costs little among many jobs.
  const hasPlace = `not exists (select 1 from ${job} where queue = $1 and state = 'open' limit 1 offset ${MAX_OPEN - 1})`;
  const content = createContent(schema);
  const idOf = (key: string) => hash('sha256', `${name} ${key}`, 'base64url');
  let workers: Workers | undefined;

  const insert = (state: 'open' | 'done', key: string, data: Data, afterMs: number, rest: string) =>
    query(
      `insert into ${job} as known (queue, id, state, data, due, at)
       select cast($1 as text), cast($2 as text), '${state}', cast($3 as text), ${now} + cast($4 as bigint), ${now}
       ${rest} returning seq`,
      [name, idOf(key), content.write(key, data), Math.round(afterMs)],
    );

  type Found = { data: string; state: 'open' | 'done' | 'dead' };
  const find = async (key: string) =>
    (await query<Found>(`select data, state from ${job} where id = $1`, [idOf(key)]))[0];

  return {
    ...createDeadLetters(store, { name, content, wake: () => workers?.wake() }),
    start: (worker) => (workers = startWorkers(store, { name, content, worker, ...options })),
    async put(key, data, afterMs = 0) {
      const put = await insert('open', key, data, afterMs, `where ${hasPlace} on conflict (id) do nothing`);
      if (put.length === 0) return (await find(key)) === undefined ? 'full' : 'known';
      if (afterMs === 0) workers?.wake();
      return 'put';
    },
    async wake(key, data, afterMs = 0) {
      await insert('open', key, data, afterMs, WAKE_KNOWN);
      setTimeout(() => workers?.wake(), afterMs).unref();
    },
    async progress(key) {
      const state = (await find(key))?.state ?? 'none';
      return state === 'open' ? 'waiting' : state;
    },
    note: async (key, data) =>
      void (await insert('done', key, data, 0, 'where true on conflict (id) do nothing')),
    async find(key) {
      const found = await find(key);
      const read = found && content.read(found.data);
      return read?.row === 'readable' ? read.data : undefined;
    },
    async change(key, data) {
      const values = [name, idOf(key), content.write(key, data)];
      const rows = await query(
        `update ${job} set data = $3 where ${waits} and id = $2 returning seq`,
        values,
      );
      return rows.length > 0;
    },
    async defer(keys, afterMs) {
      const values = [name, JSON.stringify(keys.map(idOf)), Math.round(afterMs)];
      const due = `${now} + cast($3 as bigint)`;
      await query(`update ${job} set due = ${due} where ${waits} and id in (${texts('$2')})`, values);
    },
    async settle(key) {
      const done = `state = 'done', at = ${now}, lease = null, lease_until = null`;
      await query(`update ${job} set ${done} where id = $1 and state = 'open'`, [idOf(key)]);
    },
    async count() {
      const [row] = await query<{ waiting: number; dead: number; overdue: number | null }>(
        `select (select count(*) from ${job} where ${waits}) as waiting,
           (select count(*) from ${job} where queue = $1 and state = 'dead') as dead,
           (select ${now} - min(due) from ${job} where ${waits} and due <= ${now}) as overdue`,
        [name],
      );
      return { waiting: row?.waiting ?? 0, dead: row?.dead ?? 0, overdue: row?.overdue ?? 0 };
    },
  };
}

function createDeadLetters<Data>(
  { query, dialect: { job, now } }: Queryable,
  { name, content, wake }: { name: QueueName; content: Content<Data>; wake(): void },
): DeadLetters<Data> {
  const ofQueue = `queue = $1 and state = 'dead'`;
  async function readDead(limit: number) {
    const rows = await query<{ seq: number; data: string; at: number }>(
      `select seq, data, at from ${job} where ${ofQueue} order by at, seq limit $2`,
      [name, limit],
    );
    return rows.flatMap(({ seq, data, at }) => {
      const read = content.read(data);
      return read.row === 'readable' ? [{ ...read, seq, at: new Date(at) }] : [];
    });
  }
  return {
    listDead: async (limit) => (await readDead(limit)).map(({ data, at }) => ({ data, at })),
    async retryDead(renew) {
      const letters = await readDead(MOST_REVIVED);
      for (const { seq, key, data } of letters)
        await query(
          `update ${job} set state = 'open', data = $2, due = ${now}, at = ${now}, deaths = 0, faults = 0, reason = null
           where seq = $1 and state = 'dead'`,
          [seq, content.write(key, renew(data))],
        );
      wake();
      return letters.length;
    },
    dropDead: async () => (await query(`delete from ${job} where ${ofQueue} returning seq`, [name])).length,
  };
}

/** A job that a worker has must change its due time, so that the worker does not end the job. */
const WAKE_KNOWN = `where true on conflict (id) do update set state = 'open', reason = null,
  faults = case when known.state = 'open' then known.faults else 0 end,
  data = case when known.state = 'open' then known.data else excluded.data end,
  due = case when known.lease is not null and known.due >= excluded.due then known.due + 1
    when known.lease is null and known.state = 'open' and known.due < excluded.due then known.due
    else excluded.due end`;
