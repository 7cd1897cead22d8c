import { type Repeated, repeat } from '../time/every.ts';
import { REMEMBERED_FOR } from './incidents.ts';
import type { Query } from './sql.ts';

/**
 * How long a done job stays among the others. Longer than any database call; otherwise a slow put could repeat a job that
 * was done and moved meanwhile.
 */
const STAYS = '30 seconds';

/** How long a key is known after its job was done. */
const KNOWN_FOR = '24 hours';

const SWEEP_EVERY_MS = 30_000;
const NEXT_BATCH_MS = 1000;
const FORGET_EVERY_MS = 3_600_000;

/** The most rows that one statement moves: the embedded database answers nobody else meanwhile. */
const BATCH = 5000;

export type SweepingOptions = {
  query: Query;
  /** Whether the database itself reclaims the space of deleted rows; the embedded database does not. */
  hasAutovacuum: boolean;
  onError(error: unknown): void;
};

/**
 * Keeps the engine's job table small, because the engine reads the whole table again and again. Moves done jobs to
 * `bot.job_key`, and forgets them there after a day. Forgets old incidents too. A job is always in exactly one of the two tables, so that no crash
 * loses its key or leaves a key without its job. Several processes may sweep at once.
 */
export function startSweeping({ query, hasAutovacuum, onError }: SweepingOptions): Repeated {
  let forgetAt = 0;

  async function sweep(): Promise<number | undefined> {
    const moved = await moveDone(query);
    if (moved === BATCH) return NEXT_BATCH_MS;
    if (moved > 0 && !hasAutovacuum) await query('vacuum pgboss.job');
    if (performance.now() < forgetAt) return undefined;
    const forgotten = await forgetOld(query);
    if (forgotten === BATCH) return NEXT_BATCH_MS;
    if (forgotten > 0 && !hasAutovacuum) await query('vacuum bot.job_key');
    if ((await forgetIncidents(query)) === BATCH) return NEXT_BATCH_MS;
    if (!hasAutovacuum) await query('vacuum bot.incident'); // Each alert changes its row.
    forgetAt = performance.now() + FORGET_EVERY_MS;
    return undefined;
  }

  return repeat(SWEEP_EVERY_MS, sweep, onError);
}

/** Returns how many jobs it moved, BATCH at most. */
function moveDone(query: Query): Promise<number> {
  return count(
    query,
    `with done as (
       select name, id from pgboss.job where completed_on < now() - interval '${STAYS}'
       limit ${BATCH} for update skip locked
     ), gone as (
       -- Arrays, because a join would read the whole table if the database has no statistics of it.
       delete from pgboss.job
       where name = any(array(select distinct name from done)) and id = any(array(select id from done))
       returning id, data, completed_on
     ), kept as (
       insert into bot.job_key (id, data, at) select id, data, completed_on from gone on conflict do nothing
     )
     select count(*) from gone`,
  );
}

/** Returns how many jobs it forgot, BATCH at most. */
function forgetOld(query: Query): Promise<number> {
  return count(
    query,
    `with gone as (
       delete from bot.job_key where id = any(array(
         select id from bot.job_key where at < now() - interval '${KNOWN_FOR}' order by at limit ${BATCH}
       )) returning 1
     )
     select count(*) from gone`,
  );
}

const OLD = `at < now() - interval '${REMEMBERED_FOR}' and held_until < now()`;

/** Returns how many incidents it forgot, BATCH at most. An incident that someone works on stays. */
function forgetIncidents(query: Query): Promise<number> {
  return count(
    query,
    `with gone as (
       delete from bot.incident
       where ${OLD} and id = any(array(select id from bot.incident where ${OLD} limit ${BATCH})) returning 1
     )
     select count(*) from gone`,
  );
}

async function count(query: Query, sql: string): Promise<number> {
  const [row] = await query<{ count: string }>(sql);
  return Number(row?.count);
}
