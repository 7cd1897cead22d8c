import { hash, randomUUID } from 'node:crypto';
import type { z } from 'zod';
import type { Job, JobOutcome, JobState, Queue } from '../domain/jobs.ts';
import { parseJson } from '../domain/text.ts';
import type { Queryable, Value } from './dialect.ts';
import { StoreClosedError } from './faults.ts';

const QUEUES = ['lookup', 'post', 'reply', 'alert', 'watch'] as const;
export type QueueName = (typeof QUEUES)[number];

type TakenRow = Record<'lease' | 'text', string> &
  Record<'seq' | 'length' | 'deaths' | 'faults' | 'now' | 'ageMs', number>;
/**
 * A job that a worker has taken, with the text of its row and its length by the database. The worker may change it until the
 * lease ends: then no call that names the lease changes anything. A job to which something was added since then stays open.
 */
export type TakenJob<Data> = ReturnType<typeof readJob<Data>> & TakenRow;
const TAKEN =
  'seq, data as text, length(data) as length, lease, deaths, faults, now_ms() as now, now_ms() - at as "ageMs"';

/** The end of a try. After a failure, a job keeps its data. `faults`: its exceptions so far. */
export type JobEnd<Data> = JobOutcome<Data> | { kind: 'again'; afterMs: number; faults: number };
type Ends<Data> = { data: Data; afterMs: number; keepMs: number; faults: number; reason: string | null };

type LocalWorkers<Data> = {
  wake(): void;
  /** Sees to a job that this process has taken until its outcome is settled. @param ongoing the work on it that has begun already */
  begin(job: TakenJob<Data>, ongoing?: Promise<JobOutcome<Data>>): void;
};

type QueueOptions<Data> = { name: QueueName; schema: z.ZodType<Data>; leaseMs: number };

export const MAX_OPEN = 10_000;
/** How long a done job is known. Its `at` lies later if it is kept for longer. */
export const DONE_FOR_MS = 24 * 3_600_000;

const IS_OPEN = "state = 'open'";
const LISTS = {
  open: IS_OPEN,
  waiting: `${IS_OPEN} and lease is null`,
  /** With the index's own condition, without which SQLite does not use the index. */
  dead: "state = 'dead' and state <> 'open'",
};
const FREE = 'lease = null, lease_until = null';
const IS_DUE = `${IS_OPEN} and due <= now_ms() and (lease_until is null or lease_until <= now_ms())`;
const NEW_LINE = "'\n'";

/** The index alone answers these, by a walk over its open jobs. */
const IS_FULL = `exists (select 1 from job where queue = $1 and ${IS_OPEN} limit 1 offset ${MAX_OPEN - 1})`;
const OPEN_BEFORE = `(select count(*) from job as other where queue = $1 and ${IS_OPEN} and other.seq < job.seq)`;
/** The places that a process claims at one count; so the queue may hold so many more for each process. */
const MAX_CLAIMED = 100;

const hasJob = (name: QueueName) =>
  `select '${name}' as queue where exists (select 1 from job where queue = '${name}' and ${IS_DUE})`;

/** Finds the queues that have a job to take, and whether there are rests. Indexes alone answer it, so it costs little. */
export const WORK = `${QUEUES.map(hasJob).join(' union all ')}
  union all select 'rest' where exists (select 1 from kept where kind in ('pause', 'refusal'))`;

/** The jobs of one queue: by their keys, and by their leases for its workers. */
export class JobQueue<Data extends object | null> implements Queue<Data> {
  readonly name: QueueName;
  readonly #store: Queryable;
  readonly #options: QueueOptions<Data>;
  workers: LocalWorkers<Data> | undefined;
  /** The places for open jobs that this process may take before it counts again. */
  #places = 0;

  /** @param options.leaseMs how long a worker has a job without a sign of life */
  constructor(store: Queryable, options: QueueOptions<Data>) {
    this.#store = store;
    this.name = options.name;
    this.#options = options;
  }

  async put(key: string, data: Data, when: number | 'done' | Promise<JobOutcome<Data>> = 0) {
    const ongoing = typeof when === 'object' ? when : undefined;
    if (ongoing && !this.workers) throw new StoreClosedError('the database is not open');
    ongoing?.catch(() => {}); // A worker sees to it.
    const afterMs = typeof when === 'number' ? Math.round(when) : 0;
    const lease = ongoing ? randomUUID() : null;
    const until = ongoing ? `now_ms() + ${this.#options.leaseMs}` : 'cast(null as bigint)';
    const isClaimed = this.#places > 0;
    if (isClaimed) this.#places -= 1;
    const [row] = await this.#query<TakenRow & { before: number }>(
      `insert into job (queue, id, state, data, due, at, lease, lease_until)
       select cast($1 as text), cast($2 as text), '${when === 'done' ? when : 'open'}', cast($3 as text), now_ms() + cast($4 as bigint), now_ms(),
         cast($5 as text), ${until}
       where ${isClaimed || `not ${IS_FULL}`} on conflict (id) do nothing
       returning ${TAKEN}, ${isClaimed ? 0 : OPEN_BEFORE} as before`,
      [this.#idOf(key), writeJob(key, data), afterMs, lease],
    );
    if (row === undefined) return (await this.find(key)) === undefined ? 'full' : 'known';
    if (!isClaimed) this.#places = Math.min(MAX_CLAIMED, MAX_OPEN - row.before - 1);
    if (ongoing) this.workers?.begin(this.#read(row), ongoing);
    if (when === 0) this.workers?.wake();
    return 'put';
  }

  async wake(key: string, data: Data, added: object) {
    const line = `'{"at":' || now_ms() || ',"data":' || cast($4 as text) || '}'`;
    const rows = await this.#query(
      `insert into job as known (queue, id, state, data, due, at)
       select cast($1 as text), cast($2 as text), 'open', cast($3 as text) || ${NEW_LINE} || ${line}, now_ms(), now_ms()
       where exists (select 1 from job where id = $2) or not ${IS_FULL}
       on conflict (id) do update set data = known.data || ${NEW_LINE} || ${line}, due = excluded.due,
         at = case when known.state = 'open' then known.at else excluded.at end,
         faults = case when known.state = 'open' then known.faults else 0 end, state = 'open', reason = null
       returning seq`,
      [this.#idOf(key), writeJob(key, data), JSON.stringify(added)],
    );
    this.workers?.wake();
    return rows.length > 0 ? 'woken' : 'full';
  }

  async find(key: string) {
    const sql = 'select state from job where queue = $1 and id = $2';
    return (await this.#query<{ state: JobState }>(sql, [this.#idOf(key)]))[0]?.state;
  }

  change(key: string, data: Data): Promise<boolean> {
    return this.#update(key, LISTS.waiting, 'data = $4', writeJob(key, data));
  }

  async settle(key: string): Promise<void> {
    await this.#update(key, "state <> 'done'", `state = 'done', ${FREE}, at = now_ms()`);
  }

  async count() {
    const [row] = await this.#query<{ waiting: number; dead: number; overdue: number | null }>(
      `select (select count(*) from job where queue = $1 and ${LISTS.waiting}) as waiting,
         (select count(*) from job where queue = $1 and ${LISTS.dead}) as dead,
         (select now_ms() - min(due) from job where queue = $1 and ${LISTS.waiting} and due <= now_ms()) as overdue`,
    );
    return { waiting: row?.waiting ?? 0, dead: row?.dead ?? 0, overdue: row?.overdue ?? 0 };
  }

  async list(which: keyof typeof LISTS, limit = MAX_OPEN) {
    type Row = { id: string; text: string; reason: string | null; at: number; now: number };
    const rows = await this.#query<Row>(
      `select id, data as text, reason, at, now_ms() as now from job
       where queue = $1 and ${LISTS[which]} order by at, seq limit $2`,
      [limit],
    );
    return rows.map(({ id, text, ...times }) => {
      const { key = id, data, added } = readJob(text, this.#options.schema);
      return { key: data === undefined ? id : key, data, added, ...times };
    });
  }

  async revive(key: string): Promise<boolean> {
    const changes = `state = 'open', deaths = 0, faults = 0, reason = null, due = now_ms(), at = now_ms()`;
    const isRevived = await this.#update(key, `(state = 'dead' or ${LISTS.waiting})`, changes);
    this.workers?.wake();
    return isRevived;
  }

  /**
   * Takes the jobs that have been due for longest, in the order in which they were put. The posts that a pause held are due
   * within moments, so of posts the first put comes first. A lease that ran out was a dead process's.
   */
  async take(lease: string, limit: number): Promise<Array<TakenJob<Data>>> {
    const taken = await this.#query<TakenRow>(
      `with next as materialized (
         select seq from job
         where queue = $1 and ${IS_DUE}
         order by ${this.name === 'post' ? 'seq' : 'due, seq'} limit $3 for update skip locked
       )
       update job set lease = $2, lease_until = now_ms() + ${this.#options.leaseMs},
         deaths = deaths + case when lease is null then 0 else 1 end
       where seq in (select seq from next)
       returning ${TAKEN}`,
      [lease, limit],
    );
    return taken.map((row) => this.#read(row)).sort((one, other) => one.seq - other.seq);
  }

  renew(leases: readonly string[]): Promise<void> {
    return this.#changeLeases(`lease_until = now_ms() + ${this.#options.leaseMs}`, leases);
  }

  giveBack(leases: readonly string[]): Promise<void> {
    return this.#changeLeases(FREE, leases);
  }

  async #changeLeases(changes: string, leases: readonly string[]): Promise<void> {
    const sql = `update job set ${changes} where queue = $1 and ${IS_OPEN} and lease is not null and $2 like '%' || lease || '%'`;
    await this.#query(sql, [leases.join()]);
  }

  /**
   * Ends a try. Without other data, a done job keeps its data, and any other job its additions, too. A job to which something was
   * added meanwhile stays open and due.
   */
  async finish({ seq, lease, length, text, key }: TakenJob<Data>, end: JobEnd<Data>) {
    const state = end.kind === 'again' ? 'open' : end.kind;
    const { data, afterMs = 0, keepMs = DONE_FOR_MS, faults = 0, reason = null }: Partial<Ends<Data>> = end;
    const kept = end.kind === 'done' ? text.split('\n', 1)[0] : undefined;
    const row = data === undefined ? kept : writeJob(String(key), data);
    const later = 'now_ms() + cast($6 as bigint)';
    const due = `due = case when length(data) > $4 then due else ${later} end`;
    await this.#query(
      `update job set state = case when length(data) > $4 then 'open' else '${state}' end,
         data = case when cast($5 as text) is null then data else $5 || substr(data, $4 + 1) end,
         ${state === 'open' ? due : `at = ${later}`}, faults = $7, reason = $8, deaths = 0, ${FREE}
       where queue = $1 and seq = $2 and lease = $3 and ${IS_OPEN}`,
      [seq, lease, length, row ?? null, Math.round(afterMs + keepMs - DONE_FOR_MS), faults, reason],
    );
    if (state !== 'open') this.#places = Math.min(MAX_CLAIMED, this.#places + 1);
  }

  /** Changes the job with this key, if it is one of these. A dead letter that nobody can read goes by its row's id. */
  async #update(key: string, which: string, changes: string, ...values: string[]): Promise<boolean> {
    const sql = `update job set ${changes} where queue = $1 and id in ($2, $3) and ${which} returning seq`;
    return (await this.#query(sql, [this.#idOf(key), key, ...values])).length > 0;
  }

  #read(row: TakenRow): TakenJob<Data> {
    return { ...row, ...readJob(row.text, this.#options.schema) };
  }

  /** `$1` is the queue's name. */
  #query<Row>(sql: string, values: Value[] = []): Promise<Row[]> {
    return this.#store.query<Row>(sql, [this.name, ...values]);
  }

  #idOf(key: string): string {
    return hash('sha256', `${this.name} ${key}`, 'base64url');
  }
}

/** Raised by a release whose jobs an older one cannot read. */
const VERSION = 2;

/** The text of a job's row: a line of JSON, and later a line for each thing that is added. */
const writeJob = (key: string, data: unknown) => JSON.stringify({ version: VERSION, key, data });

/** Reads the text of a row. `data`: undefined if this release cannot read it; `key` and `raw` are the rest that it can read. */
export function readJob<Data>(text: string, schema: z.ZodType<Data>) {
  const [{ version, key: stored, data }, ...lines] = text.split('\n').map((line) => Object(parseJson(line)));
  const raw: unknown = data;
  const key: string | undefined = typeof stored === 'string' ? stored : undefined;
  // Release 0.2.0 (version 1) called a question's arrival `firstAt`.
  const read = schema.safeParse(version === 1 ? { arrivedAt: Object(raw).firstAt, ...Object(raw) } : raw);
  const isReadable = key !== undefined && [1, VERSION].includes(version);
  const added: Job<Data>['added'] = lines.filter(({ at }) => typeof at === 'number');
  return { isNewer: version > VERSION, key, data: isReadable ? read.data : undefined, raw, added };
}
