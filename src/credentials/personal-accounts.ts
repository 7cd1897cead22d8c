import type { Logger } from 'pino';
import { z } from 'zod';
import type { Judgement } from '../domain/lockout.ts';
import { type Account, basicAuthorization, Secret } from '../domain/secret.ts';
import { parseJson } from '../domain/text.ts';
import type { Clock } from '../domain/timing.ts';
import type { CredentialOutcome, Exchange, Exchanges, Held, IssuedName, NotConnected } from './exchanges.ts';
import { type Keys, openSealed, seal } from './secret-key.ts';
import { type NotTried, SignIns } from './sign-ins.ts';

type Tried = ReadonlyArray<{ name: IssuedName; outcome: Awaited<ReturnType<Exchange>> }>;

/** What the NAC says of an account. `forbidden`: the account may not read sessions. */
export type AccountVerdict = Judgement | 'forbidden';

/**
 * The outcome of a person's sign-in. `until` is milliseconds since 1970; `nac`: what the NAC says, which is asked if there is
 * no exchange; `restsUntil`: the user name was refused; `notTried`: why no system was asked.
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
export type Personal = { signIn: boolean; ttlHours: number; keys: Keys | undefined };
/** Tries an account at the NAC itself, once. */
export type AskNac = (account: Account, person: string) => Promise<AccountVerdict>;

type PersonalParts = {
  personal: Personal;
  /** The bot's own user names, which nobody may try. */
  ownNames: readonly string[];
  exchanges: Exchanges;
  sealed: SealedStore;
  clock: Clock;
  log: Pick<Logger, 'warn'>;
  onError(error: unknown): void;
};

/** The accounts that people connected with. */
export class PersonalAccounts {
  readonly #parts: PersonalParts;
  readonly #people: ReturnType<typeof createPeople> | undefined;
  readonly #signIns: SignIns;
  /** Each person's sign-in in progress; a disconnect, or another sign-in, replaces it. */
  readonly #connecting = new Map<string, symbol>();
  /** The connections that a system refused, by person. They rest at once, even if their rows cannot be deleted. */
  readonly #refused = new Map<string, number>();

  constructor(parts: PersonalParts) {
    const { personal, ownNames, clock } = parts;
    this.#parts = parts;
    this.#people = personal.signIn && personal.keys ? createPeople(personal.keys, parts) : undefined;
    this.#signIns = new SignIns(ownNames, clock.steady);
  }

  ofPerson(person: string) {
    return {
      issued: async (name: IssuedName) => known(await this.#read(person))?.issued[name],
      renew: (name: IssuedName) => this.#renew(name, person),
      basic: async () => basicOf(await this.#read(person), this.#refused.has(person)),
    };
  }

  /**
   * Tries a person's account once at each exchange, or else at the NAC. Stores the account unless all of them refused it.
   * @throws what the store throws
   */
  async connect(person: string, account: Account, askNac: AskNac): Promise<ConnectReport> {
    const { personal, exchanges, clock } = this.#parts;
    const since = clock.now();
    const until = since + Math.round(personal.ttlHours * 3_600_000);
    const notTried = this.#signIns.begin(person, account.username);
    if (notTried) return { kept: false, until, exchanges: [], notTried };
    const attempt = Symbol(person);
    this.#connecting.set(person, attempt);
    const { tried, nac, verdict, isRefused } = await tryAccount(exchanges, askNac, person, account);
    const restsUntil = this.#signIns.end(account.username, verdict);
    const isCurrent = this.#connecting.get(person) === attempt && this.#connecting.delete(person);
    const kept = isCurrent && !isRefused && this.#people !== undefined;
    if (kept) {
      await this.#people?.write(person, { ...account, since, until, issued: issuedBy(tried, since) });
      this.#refused.delete(person);
    }
    return { kept, until, exchanges: tried, nac, restsUntil };
  }

  /** Forgets a person's refused account, unless the person has connected again since. */
  async dropRefused(person: string, since: number): Promise<void> {
    const connection = await this.#people?.read(person);
    if (connection !== 'unknown' && connection?.since !== since) return;
    this.#refused.set(person, since);
    if (connection === 'unknown') return;
    this.#signIns.refuse(connection.username);
    await this.#people?.forget(person).catch(() => this.#parts.log.warn(UNDELETED));
  }

  async disconnect(person: string): Promise<void> {
    this.#connecting.delete(person);
    this.#refused.delete(person);
    await this.#people?.forget(person);
  }

  async #read(person: string): Promise<Connection | 'unknown' | undefined> {
    const connection = await this.#people?.read(person);
    const isRefused = typeof connection === 'object' && connection.since === this.#refused.get(person);
    return isRefused ? undefined : connection;
  }

  async #renew(name: IssuedName, person: string): Promise<CredentialOutcome> {
    const connection = await this.#read(person);
    if (typeof connection !== 'object') return notConnected(connection);
    const outcome =
      (await this.#parts.exchanges[name]?.(connection)) ?? ({ kind: 'not configured' } as const);
    if (outcome.kind === 'refused') await this.dropRefused(person, connection.since);
    if (outcome.kind !== 'held') return outcome;
    const current = known(await this.#read(person));
    if (current?.since === connection.since)
      await this.#people?.write(person, { ...current, issued: { ...current.issued, [name]: outcome } });
    return outcome;
  }
}

const UNDELETED = 'a refused credential could not be deleted; the bot does not use it any more';

const known = (connection: Connection | 'unknown' | undefined) =>
  connection === 'unknown' ? undefined : connection;

function notConnected(connection: 'unknown' | undefined, isRefused = false): NotConnected {
  if (connection === 'unknown') return { kind: 'not connected', unknown: true };
  return { kind: 'not connected', ...(isRefused && { refused: true }) };
}

function basicOf(connection: Connection | 'unknown' | undefined, isRefused: boolean): Held | NotConnected {
  if (typeof connection !== 'object') return notConnected(connection, isRefused);
  const { since, until } = connection;
  return { kind: 'held', credential: basicAuthorization(connection), since, until };
}

async function tryAccount(exchanges: Exchanges, askNac: AskNac, person: string, account: Account) {
  const configured = Object.entries(exchanges) as Array<[IssuedName, Exchange]>;
  const tried = await Promise.all(
    configured.map(async ([name, exchange]) => ({ name, outcome: await exchange(account) })),
  );
  if (tried.length > 0) {
    const isRefused = tried.every(({ outcome }) => outcome.kind === 'refused');
    return { tried, verdict: verdictOf(tried), isRefused };
  }
  const nac = await askNac(account, person);
  const verdict: Judgement = nac === 'forbidden' ? 'accepted' : nac;
  return { tried, nac, verdict, isRefused: nac === 'refused' || nac === 'forbidden' };
}

/** One refusal counts, even with a grant: the account's lock counts it too. */
function verdictOf(tried: Tried): Judgement {
  if (tried.some(({ outcome }) => outcome.kind === 'refused')) return 'refused';
  return tried.some(({ outcome }) => outcome.kind === 'held') ? 'accepted' : 'unknown';
}

function issuedBy(tried: Tried, since: number): Connection['issued'] {
  const held = tried.flatMap(({ name, outcome }) =>
    outcome.kind === 'held' ? [[name, { ...outcome, since }] as const] : [],
  );
  return Object.fromEntries(held);
}

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

export type SealedStore = {
  find(owner: string): Promise<string | null | undefined>;
  save(owner: string, sealed: string, forMs: number): Promise<void>;
  /** Puts the same owner's row in another seal, unless the row has changed since it was read. */
  replace(owner: string, from: string, to: string): Promise<unknown>;
  remove(owner: string): Promise<unknown>;
};

type Row = z.input<typeof connectionSchema>;

const UNREADABLE =
  'a kept sign-in cannot be opened: its owner counts as not connected here, and nothing is deleted. Do all replicas have the same SECRET_KEY, and does the old key stand behind a new one? Said once, however many there are';

/**
 * People's connections, sealed one by one. A row that cannot be read (another key, another release's form, tampered with,
 * another owner's) is never used. It stays, because another replica may have its key. A row that an older key sealed is
 * sealed again with the first key.
 */
function createPeople([key, ...older]: Keys, { sealed: store, clock, log, onError }: PersonalParts) {
  let isLogged = false;

  return {
    /** Undefined if the person has not connected, or if the connection has expired. `unknown` if the store does not answer. */
    async read(person: string): Promise<Connection | 'unknown' | undefined> {
      const sealed = await store.find(person).catch((error: unknown) => {
        onError(error);
        return { kind: 'unknown' } as const;
      });
      if (!sealed) return undefined;
      if (typeof sealed === 'object') return sealed.kind;
      const opened = openSealed(key, sealed, person);
      const text = opened ?? older.map((each) => openSealed(each, sealed, person)).find((each) => each);
      const connection = connectionSchema.safeDecode(parseJson(text ?? '') as Row).data;
      if (text === undefined || connection === undefined) {
        if (!isLogged) log.warn(UNREADABLE);
        isLogged = true;
        return undefined;
      }
      if (opened === undefined) await store.replace(person, sealed, seal(key, text, person)).catch(onError);
      return connection.until > clock.now() ? connection : undefined; // The store drops it by its own clock.
    },
    async write(person: string, connection: Connection): Promise<void> {
      const text = JSON.stringify(connectionSchema.encode(connection));
      await store.save(person, seal(key, text, person), connection.until - clock.now());
    },
    forget: (person: string) => store.remove(person),
  };
}
