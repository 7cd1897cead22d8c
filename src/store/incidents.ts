import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { storable } from '../text/storable.ts';
import type { Queryable } from './sql.ts';

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

/** How long an incident is remembered. */
export const REMEMBERED_FOR = '7 days';

const HELD_FOR = '15 seconds';
const HOLD_AGAIN_MS = 5000;

const SAVE_AGAIN_MS = 1000;
const MOST_SAVES = 60;

const HOLD = `insert into bot.incident as known (id, holder, held_until)
  values ($1, $2, now() + interval '${HELD_FOR}')
  on conflict (id) do update set holder = excluded.holder, held_until = excluded.held_until
  where known.held_until <= now()
  returning case when at > now() - interval '${REMEMBERED_FOR}' then data end as data`;

/** These change nothing if another process holds the incident now. */
const HOLD_AGAIN = `update bot.incident set held_until = now() + interval '${HELD_FOR}' where id = $1 and holder = $2`;
const SAVE = 'update bot.incident set data = $3, at = now() where id = $1 and holder = $2';
const RELEASE = 'update bot.incident set holder = null, held_until = now() where id = $1 and holder = $2';

/** @param parse reads a row; undefined if the row no longer fits: the incident is then not remembered */
export function createIncidents<Data>(
  store: Pick<Queryable, 'query'>,
  parse: (data: unknown) => Data | undefined,
  onError: (error: unknown) => void,
): Incidents<Data> {
  async function save(id: string, holder: string, data: Data): Promise<void> {
    const json = JSON.stringify(storable(data));
    for (let tries = 1; ; tries++) {
      try {
        await store.query(SAVE, [id, holder, json]);
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
      const [row] = await store.query<{ data: unknown }>(HOLD, [id, holder]);
      if (row === undefined) return undefined;
      const holding = setInterval(
        () => store.query(HOLD_AGAIN, [id, holder]).catch(onError),
        HOLD_AGAIN_MS,
      ).unref();
      try {
        return await work({ told: parse(row.data), save: (data) => save(id, holder, data) });
      } finally {
        clearInterval(holding);
        await store.query(RELEASE, [id, holder]).catch(onError);
      }
    },
  };
}
