import type { Logger } from 'pino';
import { z } from 'zod';
import type { Judgement } from '../domain/lockout.ts';
import {
  type Account,
  basicAuthorization,
  type Held,
  NOT_CONNECTED,
  type NotConnected,
  Secret,
} from '../domain/secret.ts';
import { parseJson } from '../domain/text.ts';
import type { Clock } from '../domain/timing.ts';
import type { CredentialOutcome, ExchangeOutcome, Exchanges, IssuedName } from './exchanges.ts';
import { type Keys, openSealed, seal } from './secret-key.ts';
import { type NotTried, SignIns } from './sign-ins.ts';

type Tried = ReadonlyArray<{ name: IssuedName; outcome: ExchangeOutcome }>;

/** The NAC's verdict on an account. `forbidden`: it may not read sessions. */
type AccountVerdict = Judgement | 'forbidden';

/**
 * The outcome of a person's sign-in. `until` is milliseconds since 1970; `nac`: the NAC's verdict, if there is no
 * exchange; `restsUntil`: the user name was refused; `notTried`: why no system was asked.
 */
export type ConnectReport = {
  kept: boolean;
  until: number;
  exchanges: Tried;
  nac?: AccountVerdict | undefined;
  restsUntil?: number | undefined;
  notTried?: NotTried;
};

/** Without `signIn` or keys, people cannot connect. */
type Personal = { signIn: boolean; ttlHours: number; keys: Keys | undefined };
/** Tries an account at the NAC itself, once. */
export type AskNac = (account: Account, person: string) => Promise<AccountVerdict>;

/** Rows that the store forgets by its own clock. `replace` changes one that is there, and not its end. */
export type SealedStore = {
  find(owner: string): Promise<string | null | undefined>;
  save(owner: string, sealed: string, forMs: number): Promise<void>;
  replace(owner: string, sealed: string): Promise<void>;
  remove(owner: string): Promise<unknown>;
};

export type PersonalParts = {
  personal: Personal;
  /** The bot's own user names, which nobody may try. */
  ownNames: readonly string[];
  exchanges: Exchanges;
  sealed: SealedStore;
  clock: Clock;
  log: Pick<Logger, 'warn'>;
  onError(error: unknown): void;
};

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

/** A person's account, and the credentials that were issued to it. Times are milliseconds since 1970. */
type Connection = z.output<typeof connectionSchema>;
type Found = ({ kind: 'connected' } & Connection) | NotConnected;

const UNDELETED = 'a refused credential could not be deleted; the bot does not use it any more';
const UNREADABLE =
  'a kept sign-in cannot be opened: its owner counts as not connected here, and nothing is deleted. Do all replicas have the same SECRET_KEY, and does the old key stand behind a new one? Said once, however many there are';

/**
 * The accounts that people connected with, sealed one by one. A row that cannot be read (another key, another release's form,
 * tampered with, another owner's) is never used. It stays, because another replica may have its key.
 */
export class PersonalAccounts {
  readonly #parts: PersonalParts;
  readonly #keys: Keys | undefined;
  readonly #signIns: SignIns;
  /** Each person's sign-in in progress; a disconnect, or another sign-in, replaces it. */
  readonly #connecting = new Map<string, symbol>();
  /** The connections that a system refused, by person. They rest at once, even if their rows cannot be deleted. */
  readonly #refused = new Map<string, number>();
  #isWarned = false;

  constructor(parts: PersonalParts) {
    const { personal, ownNames, clock } = parts;
    this.#parts = parts;
    this.#keys = personal.signIn ? personal.keys : undefined;
    this.#signIns = new SignIns(ownNames, clock.steady);
  }

  /** Returns the credential that was issued last, perhaps expired. */
  async issued(name: IssuedName, person: string) {
    const found = await this.#find(person);
    return found.kind === 'connected' ? found.issued[name] : undefined;
  }

  async basic(person: string): Promise<Held | NotConnected> {
    const found = await this.#find(person);
    if (found.kind !== 'connected') return found;
    return { kind: 'held', credential: basicAuthorization(found), since: found.since, until: found.until };
  }

  async renew(name: IssuedName, person: string): Promise<CredentialOutcome> {
    const found = await this.#find(person);
    if (found.kind !== 'connected') return found;
    const { exchanges, sealed } = this.#parts;
    const outcome = (await exchanges[name]?.(found)) ?? { kind: 'not configured' };
    if (outcome.kind === 'refused') await this.dropRefused(person, found.since);
    if (outcome.kind !== 'held') return outcome;
    const now = await this.#find(person);
    if (now.kind === 'connected' && now.since === found.since)
      await this.#seal(person, { ...now, issued: { ...now.issued, [name]: outcome } }, sealed.replace);
    return outcome;
  }

  /**
   * Tries a person's account once at each exchange, or else at the NAC. Stores the account unless all of them refused it.
   * @throws the store's errors
   */
  async connect(person: string, account: Account, askNac: AskNac): Promise<ConnectReport> {
    const { personal, exchanges, sealed, clock } = this.#parts;
    const since = clock.now();
    const ttlMs = Math.round(personal.ttlHours * 3_600_000);
    const until = since + ttlMs;
    const notTried = this.#signIns.begin(person, account.username);
    if (notTried) return { kept: false, until, exchanges: [], notTried };
    const attempt = Symbol(person);
    this.#connecting.set(person, attempt);
    const { tried, nac, verdict, isRefused } = await tryAccount(exchanges, askNac, person, account);
    const restsUntil = this.#signIns.end(account.username, verdict);
    const isCurrent = this.#connecting.get(person) === attempt && this.#connecting.delete(person);
    const kept = isCurrent && !isRefused && this.#keys !== undefined;
    if (kept) {
      const held = tried.flatMap(({ name, outcome }) => (outcome.kind === 'held' ? [[name, outcome]] : []));
      const connection = { ...account, since, until, issued: Object.fromEntries(held) };
      await this.#seal(person, connection, (owner, text) => sealed.save(owner, text, ttlMs));
      this.#refused.delete(person);
    }
    return { kept, until, exchanges: tried, nac, restsUntil };
  }

  /** Forgets a person's refused account, unless the person has connected again since. */
  async dropRefused(person: string, since: number): Promise<void> {
    const found = await this.#read(person);
    const isCurrent = found.kind === 'connected' ? found.since === since : found.unknown;
    if (isCurrent) this.#refused.set(person, since);
    if (!isCurrent || found.kind !== 'connected') return;
    this.#signIns.refuse(found.username);
    await this.#parts.sealed.remove(person).catch(() => this.#parts.log.warn(UNDELETED));
  }

  async disconnect(person: string): Promise<void> {
    this.#connecting.delete(person);
    this.#refused.delete(person);
    if (this.#keys) await this.#parts.sealed.remove(person);
  }

  async #find(person: string): Promise<Found> {
    const found = await this.#read(person);
    const refused = this.#refused.get(person);
    const isRefused =
      found.kind === 'connected' ? found.since === refused : refused !== undefined && !found.unknown;
    return isRefused ? { ...NOT_CONNECTED, refused: true } : found;
  }

  async #read(person: string): Promise<Found> {
    if (this.#keys === undefined) return NOT_CONNECTED;
    const { sealed: store, log, onError } = this.#parts;
    const sealed = await store.find(person).catch((error: unknown) => {
      onError(error);
      return false as const;
    });
    if (sealed === false) return { ...NOT_CONNECTED, unknown: true };
    if (!sealed) return NOT_CONNECTED;
    const text = this.#keys.map((key) => openSealed(key, sealed, person)).find((each) => each);
    const connection = connectionSchema.safeDecode(
      parseJson(text ?? '') as z.input<typeof connectionSchema>,
    ).data;
    if (connection === undefined) {
      if (!this.#isWarned) log.warn(UNREADABLE);
      this.#isWarned = true;
      return NOT_CONNECTED;
    }
    return { kind: 'connected', ...connection };
  }

  async #seal(person: string, connection: Connection, write: SealedStore['replace']): Promise<void> {
    const text = JSON.stringify(connectionSchema.encode(connection));
    if (this.#keys) await write(person, seal(this.#keys[0], text, person));
  }
}

async function tryAccount(exchanges: Exchanges, askNac: AskNac, person: string, account: Account) {
  const tried: Tried = await Promise.all(
    Object.entries(exchanges).map(async ([name, exchange]) => ({
      name: name as IssuedName,
      outcome: await exchange(account),
    })),
  );
  if (tried.length === 0) {
    const nac = await askNac(account, person);
    const verdict: Judgement = nac === 'forbidden' ? 'accepted' : nac;
    return { tried, nac, verdict, isRefused: nac === 'refused' || nac === 'forbidden' };
  }
  const kinds = tried.map(({ outcome }) => outcome.kind);
  const isAccepted = kinds.includes('held');
  // One refusal counts, even with a grant: the account's lock counts it too.
  const verdict: Judgement = kinds.includes('refused') ? 'refused' : isAccepted ? 'accepted' : 'unknown';
  return { tried, nac: undefined, verdict, isRefused: kinds.every((kind) => kind === 'refused') };
}
