import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { parseJson, storable } from '../domain/text.ts';
import type { Queryable } from './dialect.ts';

/** Rows of one kind that outlive a process, by key. Postgres takes no NUL in a key. */
function createRows({ query, dialect: { kept, now } }: Queryable, kind: string) {
  const here = 'kind = $1 and key = $2';
  const insert = `insert into ${kept} as known (kind, key, data, at, until)
    values ($1, $2, $3, ${now}, ${now} + cast($4 as bigint)) on conflict (kind, key)`;
  const update = 'do update set data = excluded.data, at = excluded.at, until = excluded.until';
  const valuesOf = (key: string, ...others: Array<string | number | null>) => [
    kind,
    storable(key),
    ...others,
  ];
  return {
    async find(key: string): Promise<string | null | undefined> {
      const [row] = await query<{ data: string | null }>(
        `select data from ${kept} where ${here} and (until is null or until > ${now})`,
        valuesOf(key),
      );
      return row?.data;
    },
    /** @param forMs how long the row is kept; null: until it is removed */
    async save(key: string, data: string, forMs: number | null = null): Promise<void> {
      await query(`${insert} ${update}`, valuesOf(key, data, forMs));
    },
    /** Returns false if there is a row already. */
    async add(key: string, data: string | null = null, forMs: number | null = null): Promise<boolean> {
      const ended = `known.until <= ${now}`;
      return (
        (await query(`${insert} ${update} where ${ended} returning key`, valuesOf(key, data, forMs))).length >
        0
      );
    },
    /** Returns false if the row is no longer as it was. @param forMs null: the row's end stays */
    async replace(key: string, from: string, to: string, forMs: number | null = null): Promise<boolean> {
      const changed = `data = $4, at = ${now}, until = coalesce(${now} + cast($5 as bigint), until)`;
      const sql = `update ${kept} set ${changed} where ${here} and data = $3 returning key`;
      return (await query(sql, valuesOf(key, from, to, forMs))).length > 0;
    },
    /** Returns false if there was no row. */
    async remove(key: string): Promise<boolean> {
      return (await query(`delete from ${kept} where ${here} returning key`, valuesOf(key))).length > 0;
    },
    async keys(): Promise<string[]> {
      const rows = await query<{ key: string }>(`select key from ${kept} where kind = $1`, [kind]);
      return rows.map(({ key }) => key).sort();
    },
  };
}

/** Where alerts go, by name. `Place` is what the front end needs to find the conversation again, as plain data. */
export type Threads<Place> = {
  /** Gives a name to a place; a name that is in use moves to the new place. */
  save(name: string, place: Place): Promise<void>;
  /** A row that no longer fits the schema counts as not there. */
  find(name: string): Promise<Place | undefined>;
  /** All names, in order. */
  names(): Promise<string[]>;
  /** Returns false if no place had this name. */
  remove(name: string): Promise<boolean>;
};

export function createThreads<Place>(store: Queryable, schema: z.ZodType<Place>): Threads<Place> {
  const rows = createRows(store, 'thread');
  return {
    save: (name, place) => rows.save(name, JSON.stringify(place)),
    find: async (name) => schema.safeParse(parseJson((await rows.find(name)) ?? '')).data,
    names: rows.keys,
    remove: rows.remove,
  };
}

/** Conversations in which the bot answers without being mentioned. A conversation is known by its id without the thread's part. */
export type Autoreplies = {
  turnOn(conversation: string): Promise<void>;
  turnOff(conversation: string): Promise<void>;
  isOn(conversation: string): Promise<boolean>;
};

export function createAutoreplies(store: Queryable): Autoreplies {
  const rows = createRows(store, 'autoreply');
  return {
    turnOn: async (conversation) => void (await rows.add(conversation)),
    turnOff: async (conversation) => void (await rows.remove(conversation)),
    isOn: async (conversation) => (await rows.find(conversation)) !== undefined,
  };
}

/** Conversations in which the bot has introduced itself. A conversation is known by its id without the thread's part. */
export type Welcomes = {
  /** Returns true the first time for a conversation, over all processes, until the conversation is forgotten. */
  claim(conversation: string): Promise<boolean>;
  forget(conversation: string): Promise<void>;
};

export function createWelcomes(store: Queryable): Welcomes {
  const rows = createRows(store, 'welcome');
  return {
    claim: (conversation) => rows.add(conversation),
    forget: async (conversation) => void (await rows.remove(conversation)),
  };
}

/**
 * People's sealed credentials, so that a restart or another replica need not ask again.
 * @param now the wall clock, by which a row's end is told
 */
export function createSealedCredentials(store: Queryable, now: () => number) {
  const rows = createRows(store, 'sealed credential');
  const textOf = (sealed: Uint8Array) => Buffer.from(sealed).toString('base64');
  return {
    async read(owner: string): Promise<Uint8Array | undefined> {
      const text = await rows.find(owner);
      return typeof text === 'string' ? Buffer.from(text, 'base64') : undefined;
    },
    /** @param until when the row may be forgotten (milliseconds since 1970) */
    write: (owner: string, sealed: Uint8Array, until: number) =>
      rows.save(owner, textOf(sealed), until - now()),
    /** Puts the same owner's row in another seal, unless the row has changed since it was read. */
    async reseal(owner: string, from: Uint8Array, to: Uint8Array): Promise<void> {
      await rows.replace(owner, textOf(from), textOf(to));
    },
    async remove(owner: string): Promise<void> {
      await rows.remove(owner);
    },
  };
}

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
  store: Queryable,
  kind: 'incident' | 'storm',
  form: number,
): SharedRows<Data> {
  const { find, add, replace } = createRows(store, kind);
  const rowSchema = z.object({ form: z.literal(form), data: z.unknown() });

  /** Only `change` makes these texts, so their form says what is in them. */
  const parse = (text: string | null | undefined) =>
    rowSchema.safeParse(parseJson(text ?? '')).data?.data as Data | undefined;

  return {
    find: async (key) => parse(await find(key)),
    async change(key, change) {
      while (true) {
        const from = (await find(key)) ?? undefined;
        const changed = change(parse(from));
        const to = changed === undefined ? from : JSON.stringify({ form, data: changed });
        if (to === from || to === undefined) return changed;
        const isWritten =
          from === undefined
            ? await add(key, to, REMEMBERED_MS)
            : await replace(key, from, to, REMEMBERED_MS);
        if (isWritten) return changed;
        await delay(Math.random() * AGAIN_WITHIN_MS);
      }
    },
  };
}
