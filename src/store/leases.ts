import type { JobCounts, Settlement } from '../domain/jobs.ts';
import type { Queryable, Value } from './dialect.ts';

/**
 * A job that a worker has taken, with the text of its row and its length by the database. The worker may change it until the
 * lease ends: then no call that names the lease changes anything. A job to which something was added since then stays open.
 */
export type TakenJob = JobCounts & Taken & { due: number; at: number };
type Taken = { seq: number; lease: string; data: string; length: number };

/** How long a done job is known. Its `at` lies later if it is kept for longer. */
export const DONE_FOR_MS = 24 * 3_600_000;

const FREE = 'lease = null, lease_until = null';

/** A worker's way to the jobs of one queue. */
export class Leases {
  readonly #store: Queryable;
  readonly #queue: string;
  readonly #leaseMs: number;

  /** @param leaseMs how long a worker has a job without a sign of life */
  constructor(store: Queryable, queue: string, leaseMs: number) {
    this.#store = store;
    this.#queue = queue;
    this.#leaseMs = leaseMs;
  }

  /** Takes jobs that are due, first those that are due first, then those put first. A lease that ran out was a dead process's. */
  async take(lease: string, limit: number): Promise<TakenJob[]> {
    const { job, now, skipLocked } = this.#store.dialect;
    const taken = await this.#store.query<TakenJob>(
      `with next as materialized (
         select seq from ${job}
         where queue = $1 and state = 'open' and due <= ${now} and (lease_until is null or lease_until <= ${now})
         order by due, seq limit $3 ${skipLocked}
       )
       update ${job} set lease = $2, lease_until = ${now} + ${this.#leaseMs},
         deaths = deaths + case when lease is null then 0 else 1 end
       where seq in (select seq from next)
       returning seq, data, length(data) as length, due, lease, deaths, faults, ${now} as at, ${now} - at as "ageMs"`,
      [this.#queue, lease, limit],
    );
    return taken.sort((one, other) => one.due - other.due || one.seq - other.seq);
  }

  renew(leases: readonly string[]): Promise<void> {
    return this.#change(`lease_until = ${this.#store.dialect.now} + ${this.#leaseMs}`, leases);
  }

  giveBack(leases: readonly string[]): Promise<void> {
    return this.#change(FREE, leases);
  }

  async settle(taken: Taken, settlement: Settlement<string>): Promise<void> {
    const { now } = this.#store.dialect;
    switch (settlement.kind) {
      case 'done': {
        const { data = taken.data.split('\n', 1)[0], keepMs = DONE_FOR_MS } = settlement;
        const at = `at = ${now} + cast($5 as bigint)`;
        return this.#set(taken, 'done', data, `faults = 0, ${at}`, keepMs - DONE_FOR_MS);
      }
      case 'dead':
        return this.#set(taken, 'dead', undefined, `reason = $5, at = ${now}`, settlement.reason);
      case 'again': {
        const { data, faults, afterMs } = settlement;
        const due = `due = case when length(data) > $3 then due else ${now} + cast($5 as bigint) end`;
        return this.#set(taken, 'open', data, `faults = $6, ${due}`, Math.round(afterMs), faults);
      }
    }
  }

  /** @param state once nothing more was added. @param data takes the place of the worker's; undefined: none does */
  async #set(
    { seq, lease, length }: Taken,
    state: string,
    data: string | undefined,
    changes: string,
    ...values: Value[]
  ): Promise<void> {
    await this.#store.query(
      `update ${this.#store.dialect.job} set state = case when length(data) > $3 then 'open' else '${state}' end,
         data = case when cast($4 as text) is null then data else $4 || substr(data, $3 + 1) end,
         ${changes}, deaths = 0, ${FREE} where seq = $1 and lease = $2 and state = 'open'`,
      [seq, lease, length, data ?? null, ...values],
    );
  }

  async #change(changes: string, leases: readonly string[]): Promise<void> {
    const { job, texts } = this.#store.dialect;
    const sql = `update ${job} set ${changes} where state = 'open' and lease in (${texts('$1')})`;
    await this.#store.query(sql, [JSON.stringify(leases)]);
  }
}
