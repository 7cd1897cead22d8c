import { z } from 'zod';
import type { Refusal } from '../credentials/refusal.ts';
import type { Join } from '../credentials/told-refusals.ts';
import { parseJson } from '../text/json.ts';
import type { Queryable } from './connection.ts';
import type { Dialect } from './dialect.ts';
import type { Workers } from './workers.ts';

/**
 * Refusals of the bot's own accounts, told to all processes on one database: the latest refusal of each account is a row,
 * and each process reads the rows every second. While the database is away nothing is told; what still holds is told when
 * the database is back.
 */
export type Refusals = {
  /** The way to the other processes for one account. @param system what judges the account, by a name that all share */
  of(system: string, username: string): Join;
  /** Tells and reads. */
  workers: Workers;
};

export type RefusalsOptions = {
  /** A clock that is never set back: the refusals' times. */
  now: () => number;
  onError(error: unknown): void;
};

/** How long a refusal stays after its rest: the next rest is twice as long, whichever process begins it. */
const STAYS_MS = 3_600_000;

/** A row's data: durations from when it was told, so that no clock of a process is compared with another's. */
const toldSchema = z.object({
  restMs: z.number(),
  leftMs: z.number(),
  wasAccepted: z.boolean(),
  fitAgoMs: z.number(),
});

/** One account here: who hears of it, and what is still to be said. */
type Member = {
  key: string;
  hear: Parameters<Join>[0];
  untold: Refusal | undefined;
  withdrawn: ReadonlySet<string>;
};

export function createRefusals({ query, dialect }: Queryable, { now, onError }: RefusalsOptions): Refusals {
  const { kept, now: storeNow, texts } = dialect;
  const members: Member[] = [];
  let latest: Promise<void> = Promise.resolve();
  let isStopped = false;

  /** One look at a time, so that no older answer comes after a newer one. */
  function wake(): void {
    if (!isStopped) latest = latest.then(sayAndHear).catch(onError);
  }

  async function sayAndHear(): Promise<void> {
    for (const member of members) await say(member);
    const rows = await query<RefusalRow>(refusalsIn(dialect));
    const at = now();
    for (const { key, hear } of members)
      hear(rows.flatMap((row) => (row.key === key ? readRefusal(row, at) : [])));
  }

  async function say(member: Member): Promise<void> {
    const { key, withdrawn, untold } = member;
    if (withdrawn.size > 0) {
      await query(`delete from ${kept} where kind = 'refusal' and key = $1 and holder in (${texts('$2')})`, [
        key,
        JSON.stringify([...withdrawn]),
      ]);
      if (member.withdrawn === withdrawn) member.withdrawn = new Set();
    }
    const leftMs = untold === undefined ? 0 : untold.until - now();
    if (untold !== undefined && leftMs > 0) {
      const { id, restMs, wasAccepted, fitUntil } = untold;
      const told: z.output<typeof toldSchema> = { restMs, leftMs, wasAccepted, fitAgoMs: now() - fitUntil };
      await query(
        `insert into ${kept} (kind, key, holder, data, at, until)
         values ('refusal', $1, $2, $3, ${storeNow}, ${storeNow} + cast($4 as bigint))
         on conflict (kind, key) do update
         set holder = excluded.holder, data = excluded.data, at = excluded.at, until = excluded.until`,
        [key, id, JSON.stringify(told), Math.round(leftMs) + STAYS_MS],
      );
    }
    if (member.untold === untold) member.untold = undefined;
  }

  return {
    of: (system, username) => (hear) => {
      const key = JSON.stringify([system, username]);
      const member: Member = { key, hear, untold: undefined, withdrawn: new Set() };
      members.push(member);
      return {
        tell(refusal) {
          member.untold = refusal;
          wake();
        },
        withdraw(ids) {
          member.withdrawn = new Set([...member.withdrawn, ...ids]);
          if (member.untold && ids.includes(member.untold.id)) member.untold = undefined;
          wake();
        },
      };
    },
    workers: {
      wake,
      async stop() {
        isStopped = true;
        await latest;
      },
    },
  };
}

export type RefusalRow = { key: string; id: string; data: string; ago: number };

/** Selects the refusals, and how long ago each was told. */
export function refusalsIn({ kept, now }: Dialect): string {
  return `select key, holder as id, data, ${now} - at as ago from ${kept} where kind = 'refusal'`;
}

function readRefusal({ id, data, ago }: RefusalRow, at: number): Refusal[] {
  const told = toldSchema.safeParse(parseJson(data)).data;
  if (told === undefined) return [];
  const { restMs, leftMs, wasAccepted, fitAgoMs } = told;
  return [{ id, restMs, until: at - ago + leftMs, wasAccepted, fitUntil: at - ago - fitAgoMs }];
}

/** An account of the bot's own that rests, because a bot on this database was refused. */
export type AccountRest = { system: string; username: string; leftMs: number };

/** Returns the accounts that rest, as rows say. */
export function restsIn(rows: readonly RefusalRow[]): AccountRest[] {
  return rows.flatMap((row) => {
    const [system, username] = z.tuple([z.string(), z.string()]).safeParse(parseJson(row.key)).data ?? [];
    const [refusal] = readRefusal(row, 0);
    if (system === undefined || username === undefined || refusal === undefined) return [];
    return refusal.until > 0 ? [{ system, username, leftMs: refusal.until }] : [];
  });
}
