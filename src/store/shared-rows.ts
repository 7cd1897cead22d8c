import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { parseJson } from '../domain/json.ts';
import type { Queryable } from './connection.ts';

/** Plain data that all processes change, by key. Remembered for 7 days after the last change. */
export type SharedRows<Data> = {
  find(key: string): Promise<Data | undefined>;
  /**
   * Changes a row. `change` is called again with the newer data if somebody else was faster, so it must only compute.
   * Returns the data after the change; data that equals what was there is not written.
   */
  change<Changed extends Data | undefined>(
    key: string,
    change: (before: Data | undefined) => Changed,
  ): Promise<Changed>;
};

const REMEMBERED_MS = 7 * 24 * 3_600_000;

/** The longest wait of one who was slower; a change takes some milliseconds. */
const AGAIN_WITHIN_MS = 20;

/** @param form rises whenever the data changes its form: data of another form counts as not there */
export function createSharedRows<Data>(
  { query, dialect: { kept, now } }: Queryable,
  kind: 'incident' | 'storm',
  form: number,
): SharedRows<Data> {
  const until = `${now} + ${REMEMBERED_MS}`;

  async function read(key: string): Promise<string | undefined> {
    const [row] = await query<{ data: string }>(
      `select data from ${kept} where kind = '${kind}' and key = $1 and until > ${now}`,
      [key],
    );
    return row?.data;
  }

  /** Returns false if the row is no longer as it was read. */
  async function write(key: string, from: string | undefined, to: string): Promise<boolean> {
    const written = await query(
      `insert into ${kept} as known (kind, key, data, at, until) values ('${kind}', $1, $2, ${now}, ${until})
       on conflict (kind, key) do update set data = excluded.data, at = excluded.at, until = excluded.until
       where ${from === undefined ? `known.until <= ${now}` : 'known.data = $3'} returning key`,
      from === undefined ? [key, to] : [key, to, from],
    );
    return written.length > 0;
  }

  /** Only {@link write} makes these texts, so their form says what is in them. */
  function parse(text = ''): Data | undefined {
    const row = z.object({ form: z.literal(form), data: z.unknown() }).safeParse(parseJson(text)).data;
    return row?.data as Data | undefined;
  }

  return {
    find: async (key) => parse(await read(key)),
    async change(key, change) {
      while (true) {
        const from = await read(key);
        const changed = change(parse(from));
        const to = changed === undefined ? from : JSON.stringify({ form, data: changed });
        if (to === from || to === undefined || (await write(key, from, to))) return changed;
        await delay(Math.random() * AGAIN_WITHIN_MS);
      }
    },
  };
}
