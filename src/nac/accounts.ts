import type { Judgement } from '../domain/lockout.ts';
import type { Busy, Disconnected, Resting, Whose } from '../domain/outcome.ts';
import type { Secret } from '../domain/secret.ts';
import { createGuard, createTurns, type Turns } from './fair-queue.ts';

/** What became of a question to the NAC. */
export type Asked<T> =
  | { kind: 'asked'; whose: Whose; outcome: T }
  /** Not asked: the NAC refused the person's account while the question waited. */
  | { kind: 'forgotten' }
  | Disconnected
  | Resting
  | Busy;

/**
 * Asks the NAC for a person, with the person's own account if there is one, else with the bot's.
 * @param key the question; equal questions in flight share one call under the same account
 * @param call is handed the `Authorization` header's value when its turn has come
 */
type Ask<T> = (key: string, person: string, call: (authorization: Secret) => Promise<T>) => Promise<Asked<T>>;

/** The accounts for the NAC. All questions share their lockout, and the places for calls. */
export type Accounts = {
  /** @param judge what an outcome says of the account: a refused one rests, or is forgotten if it is a person's */
  asker<T>(judge: (outcome: T) => Judgement): Ask<T>;
  /** Until when the service account rests (milliseconds since 1970). */
  restsUntil(): number | undefined;
  counts: Turns['counts'];
};

type Held = { kind: 'held'; credential: Secret; since: number };

export type AccountsOptions = {
  /** Hands out the `Authorization` header's value, and forgets a person's that was refused. */
  vault: {
    basic(
      owner: { kind: 'service' } | { kind: 'person'; id: string },
    ): Promise<Held | { kind: 'not connected'; refused?: true; unknown?: true }>;
    dropRefused(person: string, since: number): Promise<void>;
  };
  /** Stops calls with the service account while it rests after a refusal. */
  lockout: {
    guard<T>(call: () => Promise<T>, judge: (outcome: T) => Judgement): Promise<T | Resting>;
    until(): number | undefined;
  };
  concurrency: number;
};

/** At most `concurrency` calls run at once. */
export function createAccounts({ vault, lockout, concurrency }: AccountsOptions): Accounts {
  const turns = createTurns(concurrency);

  function asker<T>(judge: (outcome: T) => Judgement): Ask<T> {
    const guard = createGuard<Asked<T>>(turns);

    const askAsPerson = (own: Held, ...[key, person, call]: Parameters<Ask<T>>): Promise<Asked<T>> =>
      // The account is read again in its turn: it may have been refused, and forgotten, while this question waited.
      guard(`${key} ${person} ${own.since}`, person, async () => {
        const read = await vault.basic({ kind: 'person', id: person });
        const present = read.kind === 'not connected' && read.unknown ? own : read;
        if (present.kind !== 'held') return { kind: present.refused ? 'forgotten' : 'disconnected' };
        const outcome = await call(present.credential);
        if (judge(outcome) === 'refused') await vault.dropRefused(person, present.since);
        return { kind: 'asked', whose: 'person', outcome };
      });

    const askAsService: Ask<T> = (key, person, call) =>
      // The lockout is checked in the question's turn, because a call that waited must not follow a refused call.
      guard(key, person, () =>
        lockout.guard<Asked<T>>(
          async () => ({ kind: 'asked', whose: 'service', outcome: await call(await serviceAccount()) }),
          (asked) => (asked.kind === 'asked' ? judge(asked.outcome) : 'unknown'),
        ),
      );

    return async (...question) => {
      const [, person] = question;
      const own = await vault.basic({ kind: 'person', id: person });
      if (own.kind === 'held') return askAsPerson(own, ...question);
      const asked = await askAsService(...question);
      return own.unknown && asked.kind === 'asked' ? { ...asked, whose: 'stand-in' } : asked;
    };
  }

  async function serviceAccount(): Promise<Secret> {
    const basic = await vault.basic({ kind: 'service' });
    if (basic.kind !== 'held') throw new TypeError('the service account always has its credentials');
    return basic.credential;
  }

  return { asker, restsUntil: lockout.until, counts: turns.counts };
}
