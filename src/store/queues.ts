import { hash, randomUUID } from 'node:crypto';
import type { z } from 'zod';
import type { JobOutcome, Queue, Worker } from '../domain/jobs.ts';
import type { Queryable, Value } from './dialect.ts';
import { StoreClosedError } from './faults.ts';
import { createContent, QueueWorkers, type Workers, type WorkersOptions } from './workers.ts';

export type QueueName = 'lookup' | 'post' | 'reply' | 'alert' | 'watch';

type QueueOptions<Data> = Pick<WorkersOptions<Data>, 'timing' | 'onError' | 'places'> & {
  name: QueueName;
  schema: z.ZodType<Data>;
};

export const MAX_OPEN = 10_000;

const IS_OPEN = "state = 'open'";
/** With the index's own condition, without which SQLite does not use the index. */
const IS_DEAD = "state = 'dead' and state <> 'open'";
const WAITS = `queue = $1 and ${IS_OPEN} and lease is null`;
const SETTLED = "state = 'done', lease = null, lease_until = null";
const REVIVED = "state = 'open', deaths = 0, faults = 0, reason = null";
const NEW_LINE = "'\n'";

/** The index alone tells this, so it costs little among many jobs. */
const isFull = (job: string) =>
  `exists (select 1 from ${job} where queue = $1 and ${IS_OPEN} limit 1 offset ${MAX_OPEN - 1})`;

/** The jobs of one queue by their keys. */
export class JobQueue<Data extends object | null> implements Queue<Data> {
  readonly #store: Queryable;
  readonly #options: QueueOptions<Data>;
  readonly #content: ReturnType<typeof createContent<Data>>;
  #workers: QueueWorkers<Data> | undefined;

  constructor(store: Queryable, options: QueueOptions<Data>) {
    this.#store = store;
    this.#options = options;
    this.#content = createContent(options.schema);
  }

  start(worker: Worker<Data>): Workers {
    const options = { ...this.#options, content: this.#content, worker };
    this.#workers = new QueueWorkers(this.#store, options);
    return this.#workers;
  }

  async put(key: string, data: Data, when: number | Promise<JobOutcome<Data>> = 0) {
    const text = this.#content.write(key, data);
    const putting =
      typeof when === 'number' ? this.#insert(key, text, when, null) : this.#putTaken(key, text, when);
    if ((await putting) === undefined) return (await this.find(key)) === undefined ? 'full' : 'known';
    if (when === 0) this.#workers?.wake();
    return 'put';
  }

  async wake(key: string, data: Data, added: object) {
    const { job, now } = this.#store.dialect;
    const line = `'{"at":' || ${now} || ',"data":' || cast($4 as text) || '}'`;
    const rows = await this.#query(
      `insert into ${job} as known (queue, id, state, data, due, at)
       select cast($1 as text), cast($2 as text), 'open', cast($3 as text) || ${NEW_LINE} || ${line}, ${now}, ${now}
       where exists (select 1 from ${job} where id = $2) or not ${isFull(job)}
       on conflict (id) do update set data = known.data || ${NEW_LINE} || ${line}, due = excluded.due,
         at = case when known.state = 'open' then known.at else excluded.at end,
         faults = case when known.state = 'open' then known.faults else 0 end, state = 'open', reason = null
       returning seq`,
      [this.#idOf(key), this.#content.write(key, data), JSON.stringify(added)],
    );
    this.#workers?.wake();
    return rows.length > 0 ? 'woken' : 'full';
  }

  async find(key: string) {
    type Found = { data: string; state: 'open' | 'done' | 'dead' };
    const sql = `select data, state from ${this.#store.dialect.job} where queue = $1 and id = $2`;
    const [found] = await this.#query<Found>(sql, [this.#idOf(key)]);
    const read = found && this.#content.read(found.data);
    return found && { state: found.state, data: read?.row === 'readable' ? read.data : undefined };
  }

  async open() {
    const { job, now } = this.#store.dialect;
    const rows = await this.#query<{ data: string; at: number }>(
      `select data, ${now} as at from ${job} where queue = $1 and ${IS_OPEN} order by seq`,
    );
    return rows.flatMap(({ data, at }) => {
      const read = this.#content.read(data);
      return read.row === 'readable' ? { ...read, at } : [];
    });
  }

  change(key: string, data: Data): Promise<boolean> {
    return this.#update(key, `${IS_OPEN} and lease is null`, 'data = $3', this.#content.write(key, data));
  }

  async settle(key: string): Promise<void> {
    await this.#update(key, "state <> 'done'", `${SETTLED}, at = ${this.#store.dialect.now}`);
  }

  async count() {
    const { job, now } = this.#store.dialect;
    const [row] = await this.#query<{ waiting: number; dead: number; overdue: number | null }>(
      `select (select count(*) from ${job} where ${WAITS}) as waiting,
         (select count(*) from ${job} where queue = $1 and ${IS_DEAD}) as dead,
         (select ${now} - min(due) from ${job} where ${WAITS} and due <= ${now}) as overdue`,
    );
    return { waiting: row?.waiting ?? 0, dead: row?.dead ?? 0, overdue: row?.overdue ?? 0 };
  }

  async dead(limit: number) {
    const rows = await this.#query<{ id: string; data: string; reason: string; at: number }>(
      `select id, data, reason, at from ${this.#store.dialect.job} where queue = $1 and ${IS_DEAD} order by at, seq limit $2`,
      [limit],
    );
    return rows.map(({ id, data: text, reason, at }) => {
      const { row, key, data } = this.#content.read(text);
      const letter = row === 'readable' ? { key, data } : { key: id, data: undefined };
      return { ...letter, reason, at: new Date(at) };
    });
  }

  async revive(key: string): Promise<boolean> {
    const { now } = this.#store.dialect;
    const isRevived = await this.#update(key, "state = 'dead'", `${REVIVED}, due = ${now}, at = ${now}`);
    this.#workers?.wake();
    return isRevived;
  }

  /** Puts a job that this process has taken at once. */
  async #putTaken(key: string, data: string, ongoing: Promise<JobOutcome<Data>>) {
    if (this.#workers === undefined) throw new StoreClosedError('the database is not open');
    ongoing.catch(() => {}); // A worker sees to it.
    const lease = randomUUID();
    const row = await this.#insert(key, data, 0, lease);
    if (row) this.#workers.adopt({ ...row, data, lease, deaths: 0, faults: 0, ageMs: 0 }, ongoing);
    return row;
  }

  /** Undefined if there is a job with this key, or no place for one more. @param lease null: the job waits for a worker */
  async #insert(key: string, data: string, afterMs: number, lease: string | null) {
    const { job, now } = this.#store.dialect;
    const { leaseMs } = this.#options.timing;
    const [row] = await this.#query<{ seq: number; due: number; at: number; length: number }>(
      `insert into ${job} (queue, id, state, data, due, at, lease, lease_until)
       select cast($1 as text), cast($2 as text), 'open', cast($3 as text), ${now} + cast($4 as bigint), ${now},
         cast($5 as text), case when cast($5 as text) is null then null else ${now} + ${leaseMs} end
       where not ${isFull(job)} on conflict (id) do nothing returning seq, due, at, length(data) as length`,
      [this.#idOf(key), data, Math.round(afterMs), lease],
    );
    return row;
  }

  /** Changes the job with this key, if it is one of these. A dead letter that nobody can read goes by its row's id. */
  async #update(key: string, which: string, changes: string, ...values: string[]): Promise<boolean> {
    const { job, texts } = this.#store.dialect;
    const sql = `update ${job} set ${changes} where queue = $1 and id in (${texts('$2')}) and ${which} returning seq`;
    return (await this.#query(sql, [JSON.stringify([this.#idOf(key), key]), ...values])).length > 0;
  }

  /** `$1` is the queue's name. */
  #query<Row>(sql: string, values: Value[] = []): Promise<Row[]> {
    return this.#store.query<Row>(sql, [this.#options.name, ...values]);
  }

  #idOf(key: string): string {
    return hash('sha256', `${this.#options.name} ${key}`, 'base64url');
  }
}
