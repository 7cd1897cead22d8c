import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { Secret } from '../domain/secret.ts';
import { parseJson } from '../domain/text.ts';

const secret = z.codec(z.string(), z.instanceof(Secret), {
  decode: (text) => new Secret(text),
  encode: (value) => value.reveal(),
});
const time = z.number().int();
const issued = z.object({ credential: secret, since: time, until: time });
const connectionSchema = z.object({
  username: z.string(),
  password: secret,
  since: time,
  until: time,
  issued: z.object({ 'API key': issued.optional(), ticket: issued.optional() }),
});

/** What one person connected with: an account, and what was issued to it. Times are milliseconds since 1970. */
export type Connection = z.output<typeof connectionSchema>;

/** A credential that an exchange issued. */
export type Issued = z.output<typeof issued>;

export type People = ReturnType<typeof createPeople>;

/** Keeps people's sealed credentials, one row for each owner. */
export type SealedStore = {
  read(owner: string): Promise<Uint8Array | undefined>;
  /** @param until when the row may be forgotten (milliseconds since 1970) */
  write(owner: string, sealed: Uint8Array, until: number): Promise<void>;
  /** Puts the same owner's row in another seal, unless the row has changed since it was read. */
  reseal(owner: string, from: Uint8Array, to: Uint8Array): Promise<void>;
  remove(owner: string): Promise<void>;
};

type Row = z.input<typeof connectionSchema>;

const UNREADABLE =
  'a kept sign-in cannot be opened: its owner counts as not connected here, and nothing is deleted. Do all replicas have the same SECRET_KEY, and does the old key stand behind a new one? Said once, however many there are';

type PeopleOptions = {
  keys: Keys;
  store: SealedStore;
  now: () => number;
  warn(message: string): void;
  /** Called if the store does not answer. */
  onError(error: unknown): void;
};

/**
 * People's connections, sealed one by one. A row that cannot be read (another key, another release's form, tampered with,
 * another owner's) is never used. It stays, because another replica may have its key. A row that an older key sealed is
 * sealed anew.
 */
export function createPeople({ keys, store, now, warn, onError }: PeopleOptions) {
  const [key, ...older] = keys;
  let isTold = false;

  return {
    /** Undefined if the person has not connected, or if the connection has expired. `unknown` if the store does not answer. */
    async read(person: string): Promise<Connection | 'unknown' | undefined> {
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
      const connection = connectionSchema.safeDecode(parseJson(text ?? '') as Row).data;
      if (text === undefined || connection === undefined) {
        if (!isTold) warn(UNREADABLE);
        isTold = true;
        return undefined;
      }
      if (opened === undefined) await store.reseal(person, sealed, seal(key, text, person)).catch(onError);
      if (connection.until > now()) return connection;
      await store.remove(person);
      return undefined;
    },
    async write(person: string, connection: Connection): Promise<void> {
      const text = JSON.stringify(connectionSchema.encode(connection));
      await store.write(person, seal(key, text, person), connection.until);
    },
    forget: (person: string) => store.remove(person),
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
