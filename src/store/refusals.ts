import { z } from 'zod';
import type { Join, Refusal } from '../domain/lockout.ts';
import { parseJson } from '../domain/text.ts';
import type { Queryable } from './dialect.ts';

/** One account here: who hears of it, and what is still to be said. */
type Member = { key: string; hear: Parameters<Join>[0]; untold?: Refusal | undefined; withdrawn: string[] };

/** After a refusal's rest: the next rest is twice as long, whichever process begins it. */
const STAYS_MS = 3_600_000;

/** A row's data: durations from when it was told, so that no clock of a process is compared with another's. */
const toldSchema = z.object({
  restMs: z.number(),
  leftMs: z.number(),
  wasAccepted: z.boolean(),
  fitAgoMs: z.number(),
  isAgain: z.boolean().default(false),
});
type Row = { key: string; id: string; data: string; ago: number };

/**
 * Refusals of the bot's own accounts, told to all processes on one database, now or after a restart: the latest of each account
 * is a row, which each process reads every second. What still holds is told when a database that was away is back. `now` is
 * never set back.
 */
export function createRefusals(
  { query, dialect: { kept, now: storeNow, texts } }: Queryable,
  { now, onError }: { now: () => number; onError(error: unknown): void },
) {
  const members: Member[] = [];
  let latest: Promise<void> = Promise.resolve();
  let isStopped = false;

  /** One look at a time, so that no older answer comes after a newer one. */
  function wake(): void {
    if (!isStopped) latest = latest.then(sayAndHear).catch(onError);
  }

  async function sayAndHear(): Promise<void> {
    for (const member of members) await say(member);
    const rows = await query<Row>(
      `select key, holder as id, data, ${storeNow} - at as ago from ${kept} where kind = 'refusal'`,
    );
    const at = now();
    const byKey = new Map(rows.map((row) => [row.key, readRefusal(row, at)]));
    for (const { key, hear } of members) hear(byKey.get(key));
  }

  async function say(member: Member): Promise<void> {
    const { key, withdrawn, untold } = member;
    if (withdrawn.length > 0) {
      const these = `kind = 'refusal' and key = $1 and holder in (${texts('$2')})`;
      await query(`delete from ${kept} where ${these}`, [key, JSON.stringify(withdrawn)]);
      member.withdrawn = member.withdrawn.slice(withdrawn.length);
    }
    if (untold !== undefined && now() < untold.until) await tell(key, untold);
    if (member.untold === untold) member.untold = undefined;
  }

  async function tell(key: string, { id, until, fitUntil, ...said }: Refusal): Promise<void> {
    const leftMs = until - now();
    const told: z.output<typeof toldSchema> = { ...said, leftMs, fitAgoMs: now() - fitUntil };
    await query(
      `insert into ${kept} (kind, key, holder, data, at, until)
       values ('refusal', $1, $2, $3, ${storeNow}, ${storeNow} + cast($4 as bigint))
       on conflict (kind, key) do update
       set holder = excluded.holder, data = excluded.data, at = excluded.at, until = excluded.until`,
      [key, id, JSON.stringify(told), Math.round(leftMs) + STAYS_MS],
    );
  }

  /** The way to the processes that share one account. @param system what judges it, by a name that all share */
  function of(system: string, username: string): Join {
    return (hear) => {
      const member: Member = { key: JSON.stringify([system, username]), hear, withdrawn: [] };
      members.push(member);
      return {
        tell(refusal) {
          member.untold = refusal;
          wake();
        },
        withdraw(ids) {
          member.withdrawn = [...member.withdrawn, ...ids];
          if (member.untold && ids.includes(member.untold.id)) member.untold = undefined;
          wake();
        },
      };
    };
  }

  async function stop(): Promise<void> {
    isStopped = true;
    await latest;
  }

  return { of, wake, stop };
}

/** Reads a row; nothing if the row has another form. @param at the present, by the clock of the refusal's times */
function readRefusal({ id, data, ago }: Row, at: number): Refusal | undefined {
  const told = toldSchema.safeParse(parseJson(data)).data;
  if (told === undefined) return undefined;
  const { leftMs, fitAgoMs, ...said } = told;
  return { id, ...said, until: at - ago + leftMs, fitUntil: at - ago - fitAgoMs };
}
