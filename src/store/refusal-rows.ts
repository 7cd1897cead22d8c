import type { Db } from 'pg-boss';
import type { Refusal } from '../credentials/refusal.ts';
import type { Queryable } from './sql.ts';

/** A refusal with the account that was refused. */
type RefusalRow = Refusal & { system: string; username: string };

/**
 * The refusals in the database. A time stands there by the database's clock and leaves it as a duration, so that no clock
 * of a process is compared with another's. Throws what the store throws.
 */
export type RefusalRows = {
  /** Adds a refusal, once, and notifies. */
  add(refusal: RefusalRow): Promise<void>;
  /** Removes refusals and notifies. */
  remove(ids: readonly string[]): Promise<void>;
  /** @param onAsked is handed the database itself, when it is asked */
  read(onAsked: (database: Db) => void): Promise<RefusalRow[]>;
};

/** How long a refusal stays after its rest: the next rest is twice as long, whichever process begins it. */
const STAYS = '1 hour';

type Read = Pick<RefusalRow, 'id' | 'system' | 'username'> & {
  rest_ms: number;
  was_accepted: boolean;
  left_ms: number;
  fit_ago_ms: number;
};

export function createRefusalRows(
  { query, ask }: Queryable,
  { channel, now }: { channel: string; now: () => number },
): RefusalRows {
  return {
    async add({ id, system, username, restMs, until, wasAccepted, fitUntil }) {
      const at = now();
      await query(
        `with old as (delete from bot.refusal where until < now() - interval '${STAYS}'), added as (
           insert into bot.refusal (id, system, username, rest_ms, until, was_accepted, fit_until)
           values ($1, $2, $3, $4, now() + $5 * interval '1 ms', $6, now() - $7 * interval '1 ms')
           on conflict do nothing
         )
         select pg_notify('${channel}', '')`,
        [id, system, username, restMs, until - at, wasAccepted, at - fitUntil],
      );
    },
    async remove(ids) {
      await query(
        `with gone as (delete from bot.refusal where id = any($1::uuid[])) select pg_notify('${channel}', '')`,
        [ids],
      );
    },
    async read(onAsked) {
      const rows: Read[] = await ask(async (boss) => {
        const database = boss.getDb();
        onAsked(database);
        return (await database.executeSql(READ)).rows;
      });
      const at = now();
      return rows.map(({ id, system, username, rest_ms, was_accepted, left_ms, fit_ago_ms }) => ({
        id,
        system,
        username,
        restMs: rest_ms,
        until: at + left_ms,
        wasAccepted: was_accepted,
        fitUntil: at - fit_ago_ms,
      }));
    },
  };
}

const READ = `select id, system, username, rest_ms, was_accepted,
  (extract(epoch from until - now()) * 1000)::float8 as left_ms,
  (extract(epoch from now() - fit_until) * 1000)::float8 as fit_ago_ms
  from bot.refusal`;
