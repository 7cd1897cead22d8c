import { CompactEncrypt, compactDecrypt, errors } from 'jose';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { z } from 'zod';
import type { CredentialOutcome, Exchange, Exchanges, IssuedName } from './credentials/exchanges.ts';
import { AccountGuard, SignIns } from './credentials/lockout.ts';
import { type GuardedAccount, type Judgement, judgementOf, type OwnAccount } from './domain/lockout.ts';
import { type Account, type Held, Secret } from './domain/secret.ts';
import { parseJson } from './domain/text.ts';
import type { Clock } from './domain/timing.ts';

/** Tries an account at the NAC itself, once. `forbidden`: it may not read sessions. */
type AskNac = (account: Account, person: string) => Promise<Judgement | 'forbidden'>;

export type ConnectReport = Awaited<ReturnType<Vault['connect']>>;

/** 32 bytes in base64 each: the key that seals, then one that only opens. */
export type Keys = readonly [key: Secret, ...older: Secret[]];

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
  guardOf(system: IssuedName, account: Account): AccountGuard;
  clock: Clock;
  log: Pick<Logger, 'warn'>;
  onError(error: unknown): void;
};

/** A person's account, and when the person connected (milliseconds since 1970). */
const connectionSchema = z.object({
  username: z.string(),
  password: z.string().transform((password) => new Secret(password)),
  since: z.number(),
});
type Connection = z.output<typeof connectionSchema>;

type Issuer = { exchange: Exchange; guard: AccountGuard; last?: Held; renewal?: Promise<CredentialOutcome> };

const GUARDS = { max: 10_000, ttl: 3_600_000, ttlAutopurge: true, updateAgeOnGet: true };

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
  /** The guards of people's accounts, by person. One that is not used for an hour is forgotten, with its password. */
  readonly #own = new LRUCache<string, GuardedAccount & { since: number }>(GUARDS);
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
      return exchange && account && { exchange, guard: parts.guardOf(name, account) };
    };
    this.#issuers = { 'API key': issuerOf('API key', authorize), ticket: issuerOf('ticket', ticket) };
  }

  /** Returns the bot's API key or ticket. A valid one costs no call; an expired one is renewed once, however many ask. */
  async issued(name: IssuedName): Promise<CredentialOutcome> {
    const issuer = this.#issuers[name];
    if (issuer === undefined) return { kind: 'not configured' };
    const now = this.#parts.clock.now(); // May have been set back since.
    if (issuer.last && issuer.last.since <= now && now < issuer.last.until) return issuer.last;
    issuer.renewal ??= issuer.guard.run(issuer.exchange).finally(() => delete issuer.renewal);
    const outcome = await issuer.renewal;
    if (outcome.kind === 'held') issuer.last = outcome;
    return outcome;
  }

  /**
   * Returns a person's account, if there is one. `stand-in`: that cannot be read now. Reads no database where nobody can connect,
   * or for the askers of alerts and watches (`alerts/...`, `watch/`), whose names no person has.
   */
  async ownAccount(person: string): Promise<OwnAccount> {
    if (this.#keys === undefined || /^(?:alerts|watch)\//.test(person)) return {};
    const { sealed: store, log, onError } = this.#parts;
    const sealed = await store.find(person).catch((error: unknown) => {
      onError(error);
      return false as const;
    });
    if (sealed === false) return { whose: 'stand-in' };
    if (!sealed) return {};
    const texts = await Promise.all(this.#keys.map((key) => openSealed(key, sealed, person)));
    const connection = connectionSchema.safeParse(parseJson(texts.find((each) => each) ?? '')).data;
    if (connection) return { whose: 'person', guard: this.#guardOwn(person, connection) };
    if (!this.#isWarned) log.warn(UNREADABLE);
    this.#isWarned = true;
    return {};
  }

  /**
   * Tries a person's account once at each exchange, or else at the NAC. Stores the account unless all of them refused it.
   * @returns `nac`: the NAC's verdict, if there is no exchange, or why no system was asked; `restsUntil`: until when none is
   * @throws the store's errors
   */
  async connect(person: string, account: Account, askNac: AskNac) {
    const { settings, exchanges, sealed, clock } = this.#parts;
    const since = clock.now();
    const ttlMs = Math.round(settings.personal.ttlHours * 3_600_000);
    const until = since + ttlMs;
    const notTried = this.#signIns.begin(person, account.username);
    if (notTried)
      return { isStored: false, until, exchanges: [], nac: notTried.kind, restsUntil: notTried.until };
    this.#connecting.set(person, account);
    const { tried, nac, verdict, isRefused } = await tryAccount(exchanges, askNac, person, account);
    const restsUntil = this.#signIns.end(account.username, verdict);
    const isCurrent = this.#connecting.get(person) === account && this.#connecting.delete(person);
    const isStored = isCurrent && !isRefused && this.#keys !== undefined;
    if (isStored) {
      const text = JSON.stringify({ ...account, password: account.password.reveal(), since });
      await sealed.save(person, await seal(this.#keys[0], text, person), ttlMs);
    }
    return { isStored, until, exchanges: tried, nac, restsUntil };
  }

  async disconnect(person: string): Promise<void> {
    this.#connecting.delete(person);
    this.#own.delete(person);
    await this.#parts.sealed.remove(person);
  }

  /** A refused account is forgotten, unless the person has connected again since. If its row stays, the account still rests. */
  #guardOwn(person: string, { since, ...account }: Connection): GuardedAccount {
    const known = this.#own.get(person);
    if (known?.since === since) return known;
    const { clock, sealed, onError } = this.#parts;
    const rests = { by: '', spreadMs: 0, shared: () => () => {} };
    const guard = new AccountGuard({ account, now: clock.steady, ...rests });
    const own: GuardedAccount & { since: number } = {
      since,
      account,
      first: {},
      run: async (call) => {
        // The row is read again: the person may have disconnected while the call waited, at another replica too.
        const present = await this.ownAccount(person);
        const isGone = present.guard !== own && present.whose !== 'stand-in';
        if (isGone && guard.until() === undefined) return { kind: 'disconnected' };
        const outcome = await guard.run(call);
        if (judgementOf(outcome) === 'accepted') delete own.first;
        if (outcome.kind === 'resting') return { kind: 'refused' };
        if (outcome.kind === 'refused' && (await this.ownAccount(person)).guard === own) {
          this.#signIns.refuse(account.username);
          await sealed.remove(person).catch(onError);
        }
        return outcome;
      },
    };
    this.#own.set(person, own);
    return own;
  }
}

/** Tries an account once at each exchange, or else at the NAC. */
async function tryAccount(exchanges: Exchanges, askNac: AskNac, person: string, account: Account) {
  const tried = await Promise.all(
    Object.entries(exchanges).map(async ([name, exchange]) => ({
      name: name as IssuedName,
      outcome: await exchange(account),
    })),
  );
  const nac = tried.length === 0 ? await askNac(account, person) : undefined;
  const verdicts = nac ? [nac] : tried.map(({ outcome }) => judgementOf(outcome));
  // One refusal counts, even with a grant: the account's lock counts it too.
  const isUnknown = verdicts.every((each) => each === 'unknown');
  const verdict: Judgement = verdicts.includes('refused') ? 'refused' : isUnknown ? 'unknown' : 'accepted';
  return { tried, nac, verdict, isRefused: verdicts.every((each) => /^(?:refused|forbidden)$/.test(each)) };
}

/** Seals a text for one owner: a JWE (RFC 7516) with AES-256-GCM, a fresh nonce, and the owner in its protected header. */
export function seal(key: Secret, text: string, owner: string): Promise<string> {
  const header = { alg: 'dir', enc: 'A256GCM', owner };
  return new CompactEncrypt(Buffer.from(text)).setProtectedHeader(header).encrypt(bytesOf(key));
}

/** Returns the text; undefined if it was sealed with another key or for another owner, or was tampered with. */
export async function openSealed(key: Secret, sealed: string, owner: string): Promise<string | undefined> {
  try {
    const { plaintext, protectedHeader } = await compactDecrypt(sealed, bytesOf(key), ALGORITHMS);
    return protectedHeader.owner === owner ? Buffer.from(plaintext).toString() : undefined;
  } catch (error) {
    if (!(error instanceof errors.JOSEError)) throw error;
    return undefined;
  }
}

const ALGORITHMS = { keyManagementAlgorithms: ['dir'], contentEncryptionAlgorithms: ['A256GCM'] };

const bytesOf = (key: Secret) => Buffer.from(key.reveal(), 'base64');
