import { z } from 'zod';
import { Secret } from '../domain/secret.ts';
import { parseJson } from '../domain/text.ts';
import type { Account, IssuedName } from './exchange-outcome.ts';
import type { Seal } from './seal.ts';

/** What one person connected with. Times are milliseconds since 1970. */
export type Connection = {
  account: Account;
  since: number;
  until: number;
  issued: Partial<Record<IssuedName, Issued>>;
};

/** A credential that an exchange issued. */
export type Issued = { credential: Secret; since: number; until: number };

/** People's connections, sealed one by one. */
export type People = {
  /** Undefined if the person has not connected, or if the connection has expired. `unknown` if the store does not answer. */
  read(person: string): Promise<Connection | 'unknown' | undefined>;
  write(person: string, connection: Connection): Promise<void>;
  forget(person: string): Promise<void>;
};

/** Keeps people's sealed credentials, one row for each owner. */
export type SealedStore = {
  read(owner: string): Promise<Uint8Array | undefined>;
  /** @param until when the row may be forgotten (milliseconds since 1970) */
  write(owner: string, sealed: Uint8Array, until: number): Promise<void>;
  /** Puts the same owner's row in another seal, unless the row has changed since it was read. */
  reseal(owner: string, from: Uint8Array, to: Uint8Array): Promise<void>;
  remove(owner: string): Promise<void>;
};

export type PeopleOptions = {
  seal: Seal;
  store: SealedStore;
  now: () => number;
  warn: (message: string) => void;
  /** Called if the store does not answer. */
  onError(error: unknown): void;
};

const time = z.number().int();
const issued = z.object({ credential: z.string(), since: time, until: time }).optional();
const entrySchema = z.object({
  username: z.string(),
  password: z.string(),
  since: time,
  until: time,
  issued: z.object({ 'API key': issued, ticket: issued }),
});

const UNREADABLE =
  'a kept sign-in cannot be opened: its owner counts as not connected here, and nothing is deleted. Do all replicas have the same SECRET_KEY, and does the old key stand behind a new one? Said once, however many there are';

/**
 * A row that cannot be read (another key, another release's form, tampered with, another owner's) is never used. It stays,
 * because another replica may have its key. A row that an older key sealed is sealed anew.
 */
export function createPeople({ seal, store, now, warn, onError }: PeopleOptions): People {
  let isTold = false;

  function tellUnreadable(): undefined {
    if (!isTold) warn(UNREADABLE);
    isTold = true;
  }

  return {
    async read(person) {
      let sealed: Uint8Array | undefined;
      try {
        sealed = await store.read(person);
      } catch (error) {
        onError(error);
        return 'unknown';
      }
      if (!sealed) return undefined;
      const opened = seal.open(sealed, person);
      const entry = opened && entrySchema.safeParse(parseJson(opened.text)).data;
      if (entry === undefined) return tellUnreadable();
      if (opened?.isOld) await store.reseal(person, sealed, seal.close(opened.text, person)).catch(onError);
      const connection = fromEntry(entry);
      if (connection.until > now()) return connection;
      await store.remove(person);
      return undefined;
    },
    async write(person, connection) {
      await store.write(person, seal.close(JSON.stringify(toEntry(connection)), person), connection.until);
    },
    forget: (person) => store.remove(person),
  };
}

function toEntry({ account, since, until, issued }: Connection): z.input<typeof entrySchema> {
  const reveal = (each: Issued | undefined) => each && { ...each, credential: each.credential.reveal() };
  return {
    username: account.username,
    password: account.password.reveal(),
    since,
    until,
    issued: { 'API key': reveal(issued['API key']), ticket: reveal(issued.ticket) },
  };
}

function fromEntry({ username, password, since, until, issued }: z.output<typeof entrySchema>): Connection {
  const hide = (name: IssuedName) => {
    const each = issued[name];
    return each && { [name]: { ...each, credential: new Secret(each.credential) } };
  };
  return {
    account: { username, password: new Secret(password) },
    since,
    until,
    issued: { ...hide('API key'), ...hide('ticket') },
  };
}
