import { hash, randomUUID } from 'node:crypto';
import type { z } from 'zod';
import type { JobOutcome, Queue, Worker } from '../domain/jobs.ts';
import type { Queryable } from './dialect.ts';
import { StoreClosedError } from './faults.ts';
import { createContent, QueueWorkers, type Workers, type WorkersOptions } from './workers.ts';

export type QueueName = 'lookup' | 'post' | 'reply' | 'alert' | 'watch';
export type StartableQueue<Data> = Queue<Data> & { start(worker: Worker<Data>): Workers };

type QueueOptions<Data> = Pick<WorkersOptions<Data>, 'timing' | 'onError' | 'places'> & {
  name: QueueName;
  schema: z.ZodType<Data>;
};

export const MAX_OPEN = 10_000;

export function createQueue<Data extends object | null>(
  store: Queryable,
  { name, schema, ...options }: QueueOptions<Data>,
): StartableQueue<Data> {
  const { insert, wake, find, open, update, count, dead } = createJobRows(
    store,
    name,
    options.timing.leaseMs,
  );
  const { now } = store.dialect;
  const content = createContent(schema);
  let workers: QueueWorkers<Data> | undefined;

  /** Puts a job that this process has taken at once. */
  async function putTaken(key: string, data: string, ongoing: Promise<JobOutcome<Data>>) {
    if (workers === undefined) throw new StoreClosedError('the database is not open');
    ongoing.catch(() => {}); // A worker sees to it.
    const lease = randomUUID();
    const row = await insert(key, data, 0, lease);
    if (row) workers.adopt({ ...row, data, lease, deaths: 0, faults: 0, ageMs: 0 }, ongoing);
    return row;
  }

  return {
    start: (worker) => (workers = new QueueWorkers(store, { name, content, worker, ...options })),
    async put(key, data, when = 0) {
      const text = content.write(key, data);
      const putting = typeof when === 'number' ? insert(key, text, when) : putTaken(key, text, when);
      if ((await putting) === undefined) return (await find(key)) === undefined ? 'full' : 'known';
      if (when === 0) workers?.wake();
      return 'put';
    },
    async wake(key, data, added) {
      const isWoken = await wake(key, content.write(key, data), JSON.stringify(added));
      workers?.wake();
      return isWoken ? 'woken' : 'full';
    },
    async find(key) {
      const found = await find(key);
      const read = found && content.read(found.data);
      return found && { state: found.state, data: read?.row === 'readable' ? read.data : undefined };
    },
    open: async () =>
      (await open()).flatMap(({ data: text, at }) => {
        const job = content.read(text);
        return job.row === 'readable' ? { ...job, at } : [];
      }),
    change: async (key, data) =>
      (await update(key, `${IS_OPEN} and lease is null`, 'data = $3', content.write(key, data))) !==
      undefined,
    settle: async (key) => void (await update(key, "state <> 'done'", `${SETTLED}, at = ${now}`)),
    count,
    dead: async (limit) =>
      (await dead(limit)).map(({ id, data: text, reason, at }) => {
        const { row, key, data } = content.read(text);
        const letter = row === 'readable' ? { key, data } : { key: id, data: undefined };
        return { ...letter, reason, at: new Date(at) };
      }),
    async revive(key) {
      const revived = await update(key, "state = 'dead'", `${REVIVED}, due = ${now}, at = ${now}`);
      workers?.wake();
      return revived !== undefined;
    },
  };
}

const IS_OPEN = "state = 'open'";
/** With the index's own condition, without which SQLite does not use the index. */
const IS_DEAD = "state = 'dead' and state <> 'open'";
const SETTLED = "state = 'done', lease = null, lease_until = null";
const REVIVED = "state = 'open', deaths = 0, faults = 0, reason = null";

/** The jobs of one queue by their keys, each with its text. */
function createJobRows(
  { query, dialect: { job, now, texts } }: Queryable,
  queue: QueueName,
  leaseMs: number,
) {
  const waits = `queue = $1 and ${IS_OPEN} and lease is null`;
  // The index alone tells this, so it costs little among many jobs.
  const isFull = `exists (select 1 from ${job} where queue = $1 and ${IS_OPEN} limit 1 offset ${MAX_OPEN - 1})`;
  const idOf = (key: string) => hash('sha256', `${queue} ${key}`, 'base64url');
  return {
    /** Undefined if there is a job with this key, or no place for one more. @param lease undefined: the job waits for a worker */
    async insert(key: string, data: string, afterMs: number, lease: string | null = null) {
      const [row] = await query<{ seq: number; due: number; at: number; length: number }>(
        `insert into ${job} (queue, id, state, data, due, at, lease, lease_until)
         select cast($1 as text), cast($2 as text), 'open', cast($3 as text), ${now} + cast($4 as bigint), ${now},
           cast($5 as text), case when cast($5 as text) is null then null else ${now} + ${leaseMs} end
         where not ${isFull} on conflict (id) do nothing returning seq, due, at, length(data) as length`,
        [queue, idOf(key), data, Math.round(afterMs), lease],
      );
      return row;
    },
    /** Adds a line to a job, or makes the job with it. False: there is no place for one more. */
    async wake(key: string, data: string, added: string): Promise<boolean> {
      const line = `'{"at":' || ${now} || ',"data":' || cast($4 as text) || '}'`;
      const rows = await query(
        `insert into ${job} as known (queue, id, state, data, due, at)
         select cast($1 as text), cast($2 as text), 'open', cast($3 as text) || ${NEW_LINE} || ${line}, ${now}, ${now}
         where exists (select 1 from ${job} where id = $2) or not ${isFull}
         on conflict (id) do update set data = known.data || ${NEW_LINE} || ${line}, due = excluded.due,
           at = case when known.state = 'open' then known.at else excluded.at end,
           faults = case when known.state = 'open' then known.faults else 0 end, state = 'open', reason = null
         returning seq`,
        [queue, idOf(key), data, added],
      );
      return rows.length > 0;
    },
    async find(key: string) {
      type Found = { data: string; state: 'open' | 'done' | 'dead' };
      return (await query<Found>(`select data, state from ${job} where id = $1`, [idOf(key)]))[0];
    },
    open: () =>
      query<{ data: string; at: number }>(
        `select data, ${now} as at from ${job} where queue = $1 and ${IS_OPEN} order by seq`,
        [queue],
      ),
    /** Changes the job with this key, if it is one of these. A dead letter that nobody can read goes by its row's id. */
    async update(key: string, which: string, changes: string, ...values: string[]) {
      const here = `queue = $1 and id in (${texts('$2')}) and ${which}`;
      const sql = `update ${job} set ${changes} where ${here} returning seq, length(data) as length`;
      const ids = JSON.stringify([idOf(key), key]);
      return (await query<{ seq: number; length: number }>(sql, [queue, ids, ...values]))[0];
    },
    async count() {
      const [row] = await query<{ waiting: number; dead: number; overdue: number | null }>(
        `select (select count(*) from ${job} where ${waits}) as waiting,
           (select count(*) from ${job} where queue = $1 and ${IS_DEAD}) as dead,
           (select ${now} - min(due) from ${job} where ${waits} and due <= ${now}) as overdue`,
        [queue],
      );
      return { waiting: row?.waiting ?? 0, dead: row?.dead ?? 0, overdue: row?.overdue ?? 0 };
    },
    dead: (limit: number) =>
      query<{ id: string; data: string; reason: string; at: number }>(
        `select id, data, reason, at from ${job} where queue = $1 and ${IS_DEAD} order by at, seq limit $2`,
        [queue, limit],
      ),
  };
}

const NEW_LINE = "'\n'";
