import { FIRST_REST_MS, type Judgement, type Rest, restAfter } from '../domain/lockout.ts';
import type { Resting } from '../domain/outcome.ts';

export type NotTried = { kind: 'own name' } | Resting;

const TRIES = 5;
const TRIES_IN_MS = 15 * 60_000;

/** More user names or persons are not remembered: the next one waits until an older one is forgotten. */
const MAX_REMEMBERED = 10_000;

/**
 * Spares the accounts that people sign in with. A refused user name rests 1 minute, doubling to 15, whoever types it and with
 * whatever password. One sign-in of a user name runs at a time, and a person has five tries in 15 minutes. Nobody may try
 * the bot's own names. `now` is never set back.
 */
export function createSignIns(ownNames: readonly string[], now: () => number) {
  const own = new Set(ownNames.map(accountName));
  const rests = new Map<string, Rest>();
  const tries = new Map<string, number[]>();
  const inFlight = new Set<string>();

  const recent = (person: string) => (tries.get(person) ?? []).filter((at) => now() - at < TRIES_IN_MS);

  /** A rest counts for as long again after its end: a refusal in that time doubles it. */
  function restOf(name: string): Rest | undefined {
    const rest = rests.get(name);
    return rest && now() < rest.until + rest.restMs ? rest : undefined;
  }
  const refuse = (name: string) => void rests.set(name, restAfter(restOf(name), now()));

  /** Whether too many are remembered, once those are forgotten that count no more. */
  function isFull(): boolean {
    const areMany = () => rests.size >= MAX_REMEMBERED || tries.size >= MAX_REMEMBERED;
    if (!areMany()) return false;
    for (const name of rests.keys()) if (restOf(name) === undefined) rests.delete(name);
    for (const person of tries.keys()) if (recent(person).length === 0) tries.delete(person);
    return areMany();
  }

  return {
    /** Begins a sign-in, or returns why not. Each one that begins must end. */
    begin(person: string, username: string): NotTried | undefined {
      const name = accountName(username);
      if (own.has(name)) return { kind: 'own name' };
      const tried = recent(person);
      const spentUntil = tried.length < TRIES ? 0 : Math.min(...tried) + TRIES_IN_MS;
      const until = Math.max(rests.get(name)?.until ?? 0, spentUntil);
      if (now() < until) return { kind: 'resting', until };
      if (inFlight.has(name) || isFull()) return { kind: 'resting', until: now() + FIRST_REST_MS };
      inFlight.add(name);
      tries.set(person, [...tried, now()]);
      return undefined;
    },
    /**
     * Returns until when the user name rests, if a system refused it.
     * @param verdict whether a system refused the account; `unknown` if none judged it
     */
    end(username: string, verdict: Judgement): number | undefined {
      const name = accountName(username);
      inFlight.delete(name);
      if (verdict === 'refused') refuse(name);
      else if (verdict === 'accepted') rests.delete(name);
      return rests.get(name)?.until;
    },
    refuse: (username: string) => refuse(accountName(username)),
  };
}

/**
 * The account that a user name stands for, as directories compare names: without case, marks, invisible characters, domain
 * (`DOMAIN\\`, `DOMAIN/`, `@domain`) and a final dot.
 */
function accountName(username: string): string {
  const plain = username
    .normalize('NFKD')
    .replace(/[\p{M}\p{Cc}\p{Cf}\p{DI}]/gu, '')
    .toLowerCase();
  const [name = ''] = plain.replace(/^.*[\\/]/s, '').split('@', 1);
  return /^.*[^.\s]/s.exec(name)?.[0].trimStart() ?? ''; // Without a dot or a blank at its end, in linear time.
}
