import type { SealedStore } from '../credentials/people.ts';
import { parseJson } from '../domain/json.ts';
import { storable } from '../domain/storable.ts';
import type { Queryable } from './connection.ts';

/** Rows of one kind that outlive a process, by key. Postgres takes no NUL in a key. */
function createRows({ query, dialect: { kept, now } }: Queryable, kind: string) {
  return {
    async find(key: string): Promise<string | null | undefined> {
      const [row] = await query<{ data: string | null }>(
        `select data from ${kept} where kind = $1 and key = $2 and (until is null or until > ${now})`,
        [kind, storable(key)],
      );
      return row?.data;
    },
    /** @param forMs how long the row is kept; null: until it is removed */
    async save(key: string, data: string | null, forMs: number | null = null): Promise<void> {
      await query(
        `insert into ${kept} (kind, key, data, at, until) values ($1, $2, $3, ${now}, ${now} + cast($4 as bigint))
         on conflict (kind, key) do update set data = excluded.data, at = excluded.at, until = excluded.until`,
        [kind, storable(key), data, forMs],
      );
    },
    /** Returns false if there is a row already. */
    async add(key: string): Promise<boolean> {
      const added = await query(
        `insert into ${kept} (kind, key, at) values ($1, $2, ${now}) on conflict (kind, key) do nothing returning key`,
        [kind, storable(key)],
      );
      return added.length > 0;
    },
    async replace(key: string, from: string, to: string): Promise<void> {
      await query(`update ${kept} set data = $4 where kind = $1 and key = $2 and data = $3`, [
        kind,
        storable(key),
        from,
        to,
      ]);
    },
    /** Returns false if there was no row. */
    async remove(key: string): Promise<boolean> {
      const removed = await query(`delete from ${kept} where kind = $1 and key = $2 returning key`, [
        kind,
        storable(key),
      ]);
      return removed.length > 0;
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
  find(name: string): Promise<Place | undefined>;
  /** All names, in order. */
  names(): Promise<string[]>;
  /** Returns false if no place had this name. */
  remove(name: string): Promise<boolean>;
};

/** Reads a row; undefined if the row no longer fits: it then counts as not there. */
type Parse<Place> = (data: unknown) => Place | undefined;

export function createThreads<Place>(store: Queryable, parse: Parse<Place>, kind = 'thread'): Threads<Place> {
  const rows = createRows(store, kind);
  return {
    save: (name, place) => rows.save(name, JSON.stringify(place)),
    find: async (name) => parse(parseJson((await rows.find(name)) ?? '')),
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
  return { claim: rows.add, forget: async (conversation) => void (await rows.remove(conversation)) };
}

/** People's sealed credentials, so that a restart or another replica need not ask again. */
/** @param now the wall clock, by which a row's end is told */
export function createSealedCredentials(store: Queryable, now: () => number): SealedStore {
  const rows = createRows(store, 'sealed credential');
  const textOf = (sealed: Uint8Array) => Buffer.from(sealed).toString('base64');
  return {
    async read(owner) {
      const text = await rows.find(owner);
      return typeof text === 'string' ? Buffer.from(text, 'base64') : undefined;
    },
    write: (owner, sealed, until) => rows.save(owner, textOf(sealed), until - now()),
    reseal: (owner, from, to) => rows.replace(owner, textOf(from), textOf(to)),
    remove: async (owner) => void (await rows.remove(owner)),
  };
}
