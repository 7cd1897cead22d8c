import { LRUCache } from 'lru-cache';
import * as rules from '../domain/lockout.ts';
import type { Resting } from '../domain/outcome.ts';
import type { Account } from '../domain/secret.ts';

type GuardParts = {
  account: Account;
  now: () => number;
  shared: rules.SharedRefusals;
  /** The process's name among those that share the account. */
  by: string;
  /** A password rests so much longer after another process's refusal (milliseconds), so that not all processes try at once. */
  spreadMs: number;
};

/** Guards an account, with its password as it is now, by the rules of `domain/lockout.ts`. */
export class AccountGuard implements rules.LockoutGuard {
  readonly account: Account;
  readonly #parts: GuardParts;
  readonly #first: string;
  readonly #publish: ReturnType<rules.SharedRefusals>;
  #isShared = false;
  #lockout: rules.Lockout;
  #alone: (PromiseWithResolvers<void> & { use: rules.Use }) | undefined;

  constructor(parts: GuardParts) {
    this.account = parts.account;
    this.#parts = parts;
    this.#first = this.account.password.reveal();
    this.#lockout = { password: this.#first };
    this.#publish = parts.shared((latest) => {
      this.#isShared = latest !== undefined;
      const others = latest?.by === parts.by ? undefined : latest; // Its own rest is kept here.
      const later = others && { ...others, until: others.until + parts.spreadMs };
      this.#lockout = rules.share(this.#lockout, later);
    });
  }

  async run<Outcome extends { kind: string }>(
    call: (account: Account) => Promise<Outcome>,
  ): Promise<Outcome | Resting> {
    const use = await this.#begin();
    if ('kind' in use) return use;
    let judgement: rules.Judgement = 'unknown';
    try {
      const outcome = await call(this.account);
      judgement = rules.judgementOf(outcome);
      return outcome;
    } finally {
      this.#end(use, judgement);
    }
  }

  until(): number | undefined {
    const { until } = rules.restOf(this.#present());
    return this.#parts.now() < until ? until : undefined;
  }

  isUntried(): boolean {
    const { password, acceptedAt, rest } = this.#present();
    return password !== this.#first && (acceptedAt ?? rest) === undefined;
  }

  async #begin(): Promise<rules.Use | Resting> {
    while (true) {
      const { password, acceptedAt, rest } = this.#present();
      const until = this.until();
      if (until !== undefined) return { kind: 'resting', until };
      const use = { password, begunAt: this.#parts.now() };
      if (acceptedAt !== undefined && rest === undefined) return use;
      if (this.#alone?.use.password !== password) {
        this.#alone?.resolve();
        this.#alone = { use, ...Promise.withResolvers<void>() };
        return use;
      }
      await this.#alone.promise;
    }
  }

  #end(use: rules.Use, judgement: rules.Judgement): void {
    const before = this.#present();
    this.#lockout = rules.judge(before, use, judgement, this.#parts.now());
    if (this.#alone?.use === use) {
      this.#alone.resolve();
      this.#alone = undefined;
    }
    if (this.#lockout === before) return;
    const { rest } = this.#lockout;
    const refusal = rest && { by: this.#parts.by, ...rest };
    if (refusal || this.#isShared) this.#publish(refusal);
    this.#isShared = refusal !== undefined;
  }

  #present(): rules.Lockout {
    const password = this.account.password.reveal();
    const { shared } = this.#lockout;
    // A new password has no verdict, and is free at once.
    if (password !== this.#lockout.password)
      this.#lockout = { password, shared: shared && { ...shared, until: 0 } };
    return this.#lockout;
  }
}

const TRIES = 5;
const TRIES_IN_MS = 15 * 60_000;
const REMEMBERED = { max: 10_000 };

/**
 * Spares the accounts that people sign in with. A refused user name rests 1 minute, doubling to 15, for every person and
 * password. One sign-in of a user name runs at a time, and a person has five tries in 15 minutes. Nobody may try
 * the bot's own names.
 */
export class SignIns {
  readonly #ownNames: ReadonlySet<string>;
  readonly #now: () => number;
  readonly #rests = new LRUCache<string, rules.Rest>(REMEMBERED);
  readonly #tries = new LRUCache<string, number[]>(REMEMBERED);
  readonly #inFlight = new Set<string>();

  /** @param now is never set back */
  constructor(ownNames: readonly string[], now: () => number) {
    this.#ownNames = new Set(ownNames.map(accountName));
    this.#now = now;
  }

  /** Begins a sign-in, or returns why not. Each one that begins must end. */
  begin(person: string, username: string): { kind: 'own name'; until?: never } | Resting | undefined {
    const now = this.#now();
    const name = accountName(username);
    if (this.#ownNames.has(name)) return { kind: 'own name' };
    const tried = (this.#tries.get(person) ?? []).filter((at) => now - at < TRIES_IN_MS);
    const spentUntil = tried.length < TRIES ? 0 : Math.min(...tried) + TRIES_IN_MS;
    const until = Math.max(this.#rests.get(name)?.until ?? 0, spentUntil);
    if (now < until) return { kind: 'resting', until };
    if (this.#inFlight.has(name)) return { kind: 'resting', until: now + rules.FIRST_REST_MS };
    this.#inFlight.add(name);
    this.#tries.set(person, [...tried, now]);
    return undefined;
  }

  /**
   * Returns until when the user name rests, if a system refused it.
   * @param verdict whether a system refused the account; `unknown` if none judged it
   */
  end(username: string, verdict: rules.Judgement): number | undefined {
    const name = accountName(username);
    this.#inFlight.delete(name);
    if (verdict === 'refused') this.refuse(username);
    else if (verdict === 'accepted') this.#rests.delete(name);
    return this.#rests.get(name)?.until;
  }

  refuse(username: string): void {
    const name = accountName(username);
    this.#rests.set(name, rules.restAfter(this.#rests.get(name), this.#now()));
  }
}

/**
 * The account of a user name, as directories compare names. Case, marks, kinds of dashes, invisible characters, the domain
 * (`DOMAIN\\`, `DOMAIN/`, `@domain`) and a final dot do not count.
 */
function accountName(username: string): string {
  const plain = username
    .normalize('NFKD')
    .replace(/[\p{M}\p{Cc}\p{Cf}\p{DI}]/gu, '')
    .replace(/[\p{Pd}\u2212]/gu, '-')
    .toUpperCase();
  const [name = ''] = plain.replace(/^.*[\\/](?=.)/s, '').split('@', 1);
  return /^.*[^.\s\\/]/s.exec(name)?.[0].trimStart() ?? ''; // Without a dot, a slash or a blank at its end, in linear time.
}
