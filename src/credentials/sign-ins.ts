import { LRUCache } from 'lru-cache';
import { FIRST_REST_MS, type Judgement, judgementOf, type Rest, restAfter } from '../domain/lockout.ts';
import type { Resting } from '../domain/outcome.ts';
import type { Account } from '../domain/secret.ts';
import type { Exchanges, IssuedName } from './exchanges.ts';

/** Tries an account at the NAC itself, once. `forbidden`: it may not read sessions. */
export type AskNac = (account: Account, person: string) => Promise<Judgement | 'forbidden'>;

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
  readonly #rests = new LRUCache<string, Rest>(REMEMBERED);
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
    if (this.#inFlight.has(name)) return { kind: 'resting', until: now + FIRST_REST_MS };
    this.#inFlight.add(name);
    this.#tries.set(person, [...tried, now]);
    return undefined;
  }

  /**
   * Returns until when the user name rests, if a system refused it.
   * @param verdict whether a system refused the account; `unknown` if none judged it
   */
  end(username: string, verdict: Judgement): number | undefined {
    const name = accountName(username);
    this.#inFlight.delete(name);
    if (verdict === 'refused') this.refuse(username);
    else if (verdict === 'accepted') this.#rests.delete(name);
    return this.#rests.get(name)?.until;
  }

  refuse(username: string): void {
    const name = accountName(username);
    this.#rests.set(name, restAfter(this.#rests.get(name), this.#now()));
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

/** Tries an account once at each exchange, or else at the NAC. */
export async function tryAccount(exchanges: Exchanges, askNac: AskNac, person: string, account: Account) {
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
