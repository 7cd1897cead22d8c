import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { Secret } from '../domain/secret.ts';
import { parseJson } from '../domain/text.ts';
import type { Account, IssuedName } from './exchanges.ts';

/** What one person connected with. Times are milliseconds since 1970. */
export type Connection = {
  account: Account;
  since: number;
  until: number;
  issued: Partial<Record<IssuedName, Issued | undefined>>;
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
  keys: Keys;
  store: SealedStore;
  now: () => number;
  warn: (message: string) => void;
  /** Called if the store does not answer. */
  onError(error: unknown): void;
};

const secret = z.codec(z.string(), z.instanceof(Secret), {
  decode: (text) => new Secret(text),
  encode: (value) => value.reveal(),
});
const time = z.number().int();
const issued = z.object({ credential: secret, since: time, until: time }).optional();
const entrySchema = z.object({
  username: z.string(),
  password: secret,
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
export function createPeople({ keys, store, now, warn, onError }: PeopleOptions): People {
  const [key, ...older] = keys;
  let isTold = false;

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
      const opened = openSealed(key, sealed, person);
      const text = opened ?? older.map((each) => openSealed(each, sealed, person)).find((each) => each);
      const entry = entrySchema.safeDecode(parseJson(text ?? '') as z.input<typeof entrySchema>).data;
      if (text === undefined || entry === undefined) {
        if (!isTold) warn(UNREADABLE);
        isTold = true;
        return undefined;
      }
      if (opened === undefined) await store.reseal(person, sealed, seal(key, text, person)).catch(onError);
      const { username, password, since, until, issued } = entry;
      if (until > now()) return { account: { username, password }, since, until, issued };
      await store.remove(person);
      return undefined;
    },
    async write(person, { account, since, until, issued }) {
      const { 'API key': apiKey, ticket } = issued;
      const entry = { ...account, since, until, issued: { 'API key': apiKey, ticket } };
      const text = JSON.stringify(entrySchema.encode(entry));
      await store.write(person, seal(key, text, person), until);
    },
    forget: (person) => store.remove(person),
  };
}

/** 32 bytes in base64 each: the key that seals, then one that only opens. */
export type Keys = readonly [key: Secret, ...older: Secret[]];

const VERSION = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEADER_BYTES = 1 + NONCE_BYTES + TAG_BYTES;

/**
 * Seals a text for one owner: AES-256-GCM with a fresh random nonce each time and the owner bound in as associated data (NIST
 * SP 800-38D). Layout: version (1 byte), nonce (12), tag (16), ciphertext.
 */
export function seal(key: Secret, text: string, owner: string): Uint8Array {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', bytesOf(key), nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(Buffer.from(owner));
  const ciphertext = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([Buffer.of(VERSION), nonce, cipher.getAuthTag(), ciphertext]);
}

/** Returns the text; undefined if it was sealed with another key or for another owner, or was tampered with. */
export function openSealed(key: Secret, sealed: Uint8Array, owner: string): string | undefined {
  if (sealed.length < HEADER_BYTES || sealed[0] !== VERSION) return undefined;
  const nonce = sealed.subarray(1, 1 + NONCE_BYTES);
  const decipher = createDecipheriv('aes-256-gcm', bytesOf(key), nonce, { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(owner))
    .setAuthTag(sealed.subarray(1 + NONCE_BYTES, HEADER_BYTES));
  try {
    return Buffer.concat([decipher.update(sealed.subarray(HEADER_BYTES)), decipher.final()]).toString('utf8');
  } catch {
    return undefined; // final() throws only if the tag does not match.
  }
}

const bytesOf = (key: Secret) => Buffer.from(key.reveal(), 'base64');
