import * as crypto from 'node:crypto';
import type { Logger } from 'pino';
import { z } from 'zod';
import type { CredentialOutcome, Exchange, Exchanges, IssuedName } from './credentials/exchanges.ts';
import { type AskNac, SignIns, tryAccount } from './credentials/sign-ins.ts';
import type { LockoutGuard } from './domain/lockout.ts';
import * as secrets from './domain/secret.ts';
import { parseJson } from './domain/text.ts';
import type { Clock } from './domain/timing.ts';

type Account = secrets.Account;

export type ConnectReport = Awaited<ReturnType<Vault['connect']>>;

/** 32 bytes in base64 each: the key that seals, then one that only opens. */
export type Keys = readonly [key: secrets.Secret, ...older: secrets.Secret[]];

/** Rows that the store forgets by its own clock. */
export type SealedStore = {
  find(owner: string): Promise<string | null | undefined>;
  save(owner: string, sealed: string, forMs: number): Promise<void>;
  remove(owner: string): Promise<unknown>;
};

export type VaultParts = {
  settings: { [System in 'authorize' | 'ticket' | 'endpoints']?: Account | undefined } & {
    nac: Account;
    /** Without `signIn` or keys, people cannot connect. */
    personal: { signIn: boolean; ttlHours: number; keys: Keys | undefined };
  };
  exchanges: Exchanges;
  sealed: SealedStore;
  guardOf(system: IssuedName, account: Account): LockoutGuard;
  clock: Clock;
  log: Pick<Logger, 'warn'>;
  onError(error: unknown): void;
};

/** A person's account. Times are milliseconds since 1970. */
const connectionSchema = z
  .object({ username: z.string(), password: z.string(), since: z.number().int(), until: z.number().int() })
  .transform(({ username, password, ...times }) => {
    const credential = secrets.basicAuthorization({ username, password: new secrets.Secret(password) });
    return { kind: 'held' as const, username, credential, ...times };
  });

type Issuer = { exchange: Exchange; account: Account; guard: LockoutGuard } & {
  last?: secrets.Held;
  renewal?: Promise<CredentialOutcome>;
};

const UNREADABLE =
  'a kept sign-in cannot be opened: its owner counts as not connected here, and nothing is deleted. Do all replicas have the same SECRET_KEY, and does the old key stand behind a new one? Said once, however many there are';

/**
 * Issues, caches, renews and hands out the bot's three kinds of credentials, and keeps the accounts that people connected
 * with. The latter are sealed one by one. A row that cannot be read (another key, another release's form, tampered
 * with, another owner's) is never used. It stays, because another replica may have its key.
 */
export class Vault {
  readonly #parts: VaultParts;
  readonly #keys: Keys | undefined;
  readonly #signIns: SignIns;
  readonly #issuers: Record<IssuedName, Issuer | undefined>;
  /** Each person's sign-in in progress; a disconnect, or another sign-in, replaces it. */
  readonly #connecting = new Map<string, Account>();
  #isWarned = false;

  constructor(parts: VaultParts) {
    const { nac, authorize, ticket, endpoints, personal } = parts.settings;
    const ownNames = [nac, authorize, ticket, endpoints].flatMap((account) => account?.username ?? []);
    this.#parts = parts;
    this.#keys = personal.signIn ? personal.keys : undefined;
    this.#signIns = new SignIns(ownNames, parts.clock.steady);
    const issuerOf = (name: IssuedName, account: Account | undefined) => {
      const exchange = parts.exchanges[name];
      return exchange && account && { exchange, account, guard: parts.guardOf(name, account) };
    };
    this.#issuers = { 'API key': issuerOf('API key', authorize), ticket: issuerOf('ticket', ticket) };
  }

  /** Returns the bot's API key or ticket. A valid one costs no call; an expired one is renewed once, however many ask. */
  async issued(name: IssuedName): Promise<CredentialOutcome> {
    const issuer = this.#issuers[name];
    if (issuer === undefined) return { kind: 'not configured' };
    const now = this.#parts.clock.now(); // May have been set back since.
    if (issuer.last && issuer.last.since <= now && now < issuer.last.until) return issuer.last;
    issuer.renewal ??= issuer.guard
      .run(issuer.exchange, () => issuer.account)
      .finally(() => delete issuer.renewal);
    const outcome = await issuer.renewal;
    if (outcome.kind === 'held') issuer.last = outcome;
    return outcome;
  }

  /**
   * Returns the `Authorization` header's value of a person's account. Reads no database where nobody can connect, or for the
   * askers of alerts and watches (`alerts/...`, `watch/`), whose names no person has.
   */
  async basic(person: string): Promise<z.output<typeof connectionSchema> | secrets.NotConnected> {
    if (this.#keys === undefined || /^(?:alerts|watch)\//.test(person)) return secrets.NOT_CONNECTED;
    const { sealed: store, log, onError } = this.#parts;
    const sealed = await store.find(person).catch((error: unknown) => {
      onError(error);
      return false as const;
    });
    if (sealed === false) return { ...secrets.NOT_CONNECTED, unknown: true };
    if (!sealed) return secrets.NOT_CONNECTED;
    const text = this.#keys.map((key) => openSealed(key, sealed, person)).find((each) => each);
    const connection = connectionSchema.safeParse(parseJson(text ?? '')).data;
    if (connection) return connection;
    if (!this.#isWarned) log.warn(UNREADABLE);
    this.#isWarned = true;
    return secrets.NOT_CONNECTED;
  }

  /** Returns the `Authorization` header's value of the bot's account. */
  service(): secrets.Secret {
    return secrets.basicAuthorization(this.#parts.settings.nac);
  }

  /**
   * Tries a person's account once at each exchange, or else at the NAC. Stores the account unless all of them refused it.
   * @returns `nac`: the NAC's verdict, if there is no exchange; `restsUntil`: the user name was refused; `notTried`: why no
   * system was asked
   * @throws the store's errors
   */
  async connect(person: string, account: Account, askNac: AskNac) {
    const { settings, exchanges, sealed, clock } = this.#parts;
    const since = clock.now();
    const ttlMs = Math.round(settings.personal.ttlHours * 3_600_000);
    const until = since + ttlMs;
    const notTried = this.#signIns.begin(person, account.username);
    if (notTried) return { isStored: false, until, exchanges: [], notTried };
    this.#connecting.set(person, account);
    const { tried, nac, verdict, isRefused } = await tryAccount(exchanges, askNac, person, account);
    const restsUntil = this.#signIns.end(account.username, verdict);
    const isCurrent = this.#connecting.get(person) === account && this.#connecting.delete(person);
    const isStored = isCurrent && !isRefused && this.#keys !== undefined;
    if (isStored) {
      const text = JSON.stringify({ ...account, password: account.password.reveal(), since, until });
      await sealed.save(person, seal(this.#keys[0], text, person), ttlMs);
    }
    return { isStored, until, exchanges: tried, nac, restsUntil };
  }

  async disconnect(person: string): Promise<void> {
    this.#connecting.delete(person);
    await this.#parts.sealed.remove(person);
  }

  /** Forgets a person's refused account, unless the person has connected again since. */
  async dropRefused(person: string, since: number): Promise<void> {
    const found = await this.basic(person);
    if (found.kind !== 'held' || found.since !== since) return;
    this.#signIns.refuse(found.username);
    await this.#parts.sealed.remove(person).catch(this.#parts.onError);
  }
}

const VERSION = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEADER_BYTES = 1 + NONCE_BYTES + TAG_BYTES;

/**
 * Seals a text for one owner: AES-256-GCM with a fresh random nonce each time and the owner bound in as associated data (NIST
 * SP 800-38D). Layout, in base64: version (1 byte), nonce (12), tag (16), ciphertext.
 */
export function seal(key: secrets.Secret, text: string, owner: string): string {
  const nonce = crypto.randomBytes(NONCE_BYTES);
  const cipher = crypto.createCipheriv('aes-256-gcm', bytesOf(key), nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(Buffer.from(owner));
  const ciphertext = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([Buffer.of(VERSION), nonce, cipher.getAuthTag(), ciphertext]).toString('base64');
}

/** Returns the text; undefined if it was sealed with another key or for another owner, or was tampered with. */
export function openSealed(key: secrets.Secret, text: string, owner: string): string | undefined {
  const sealed = Buffer.from(text, 'base64');
  if (sealed.length < HEADER_BYTES || sealed[0] !== VERSION) return undefined;
  const nonce = sealed.subarray(1, 1 + NONCE_BYTES);
  const decipher = crypto
    .createDecipheriv('aes-256-gcm', bytesOf(key), nonce, { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(owner))
    .setAuthTag(sealed.subarray(1 + NONCE_BYTES, HEADER_BYTES));
  try {
    return Buffer.concat([decipher.update(sealed.subarray(HEADER_BYTES)), decipher.final()]).toString('utf8');
  } catch {
    return undefined; // final() throws only if the tag does not match.
  }
}

const bytesOf = (key: secrets.Secret) => Buffer.from(key.reveal(), 'base64');
