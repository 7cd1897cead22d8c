import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { parseJson } from '../text/json.ts';
import type { Queryable } from './connection.ts';

/** What was told of incidents, by the incident's id. Remembered for 7 days after it was saved last. */
export type Incidents<Data> = {
  /**
   * Works on an incident while nobody else does, in any process. If this process dies, others wait 15 s.
   * @returns undefined, at once, if someone else works on the incident
   */
  hold<Result extends object>(
    id: string,
    work: (incident: HeldIncident<Data>) => Promise<Result>,
  ): Promise<Result | undefined>;
};

/** An incident that nobody else works on. */
export type HeldIncident<Data> = {
  /** What was saved last; undefined for an incident that is not remembered. */
  told: Data | undefined;
  /** Tries for a minute, because what is not saved is told once more. Throws what the database throws then. */
  save(data: Data): Promise<void>;
};

const REMEMBERED_MS = 7 * 24 * 3_600_000;

const HELD_MS = 15_000;
const HOLD_AGAIN_MS = 5000;

const SAVE_AGAIN_MS = 1000;
const MOST_SAVES = 60;

/** @param parse reads a row; undefined if the row no longer fits: the incident is then not remembered */
export function createIncidents<Data>(
  { query, dialect: { kept, now } }: Queryable,
  parse: (data: unknown) => Data | undefined,
  onError: (error: unknown) => void,
): Incidents<Data> {
  const held = `kind = 'incident' and key = $1 and holder = $2`;

  async function save(id: string, holder: string, data: Data): Promise<void> {
    const text = JSON.stringify(data);
    for (let tries = 1; ; tries++) {
      try {
        await query(
          `update ${kept} set data = $3, at = ${now}, until = ${now} + ${REMEMBERED_MS} where ${held}`,
          [id, holder, text],
        );
        return;
      } catch (error) {
        if (tries === MOST_SAVES) throw error;
        onError(error);
        await delay(SAVE_AGAIN_MS, undefined, { ref: false });
      }
    }
  }

  return {
    async hold(id, work) {
      const holder = randomUUID();
      const [row] = await query<{ data: string | null }>(
        `insert into ${kept} as known (kind, key, at, until, holder, held_until)
         values ('incident', $1, ${now}, ${now} + ${REMEMBERED_MS}, $2, ${now} + ${HELD_MS})
         on conflict (kind, key) do update set holder = excluded.holder, held_until = excluded.held_until
         where known.held_until is null or known.held_until <= ${now}
         returning case when until > ${now} then data end as data`,
        [id, holder],
      );
      if (row === undefined) return undefined;
      const holding = setInterval(
        () =>
          query(`update ${kept} set held_until = ${now} + ${HELD_MS} where ${held}`, [id, holder]).catch(
            onError,
          ),
        HOLD_AGAIN_MS,
      ).unref();
      try {
        return await work({
          told: parse(parseJson(row.data ?? '')),
          save: (data) => save(id, holder, data),
        });
      } finally {
        clearInterval(holding);
        await query(`update ${kept} set holder = null, held_until = null where ${held}`, [id, holder]).catch(
          onError,
        );
      }
    },
  };
}
