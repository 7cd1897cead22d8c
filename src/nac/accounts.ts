import type { Judgement, LockoutGuard } from '../domain/lockout.ts';
import type { Busy, Disconnected, Resting, Whose } from '../domain/outcome.ts';
import type { Secret } from '../domain/secret.ts';
import { createFairQueue } from './fair-queue.ts';

/** A question to the NAC. */
export type Question<T> = {
  /** Equal keys in flight share one call under the same account. */
  key: string;
  person: string;
  /** Is handed the `Authorization` header's value when its turn has come. */
  call(authorization: Secret): Promise<T>;
  /** What an outcome says of the account: a refused one rests, or is forgotten if it is a person's. */
  judge(outcome: T): Judgement;
};

/** What became of a question to the NAC. */
export type Asked<T> =
  | { kind: 'asked'; whose: Whose; outcome: T }
  /** Not asked: the NAC refused the person's account while the question waited. */
  | { kind: 'forgotten' }
  | Disconnected
  | Resting
  | Busy;

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
  lockout: LockoutGuard;
  concurrency: number;
};

export type Accounts = ReturnType<typeof createAccounts>;

/** The accounts for the NAC. All questions share their lockout, and the places for calls: at most `concurrency` run at once. */
export function createAccounts({ vault, lockout, concurrency }: AccountsOptions) {
  const queue = createFairQueue(concurrency);

  const askAsPerson = <T>(own: Held, { key, person, call, judge }: Question<T>): Promise<Asked<T>> =>
    // The account is read again in its turn: it may have been refused, and forgotten, while this question waited.
    queue.run<Asked<T>>(`${key} ${person} ${own.since}`, person, async () => {
      const read = await vault.basic({ kind: 'person', id: person });
      const present = read.kind === 'not connected' && read.unknown ? own : read;
      if (present.kind !== 'held') return { kind: present.refused ? 'forgotten' : 'disconnected' };
      const outcome = await call(present.credential);
      if (judge(outcome) === 'refused') await vault.dropRefused(person, present.since);
      return { kind: 'asked', whose: 'person', outcome };
    });

  const askAsService = <T>({ key, person, call, judge }: Question<T>): Promise<Asked<T>> =>
    // The lockout is checked in the question's turn, because a call that waited must not follow a refused call.
    queue.run(key, person, () =>
      lockout.guard<Asked<T>>(
        async () => ({ kind: 'asked', whose: 'service', outcome: await call(await serviceAccount()) }),
        (asked) => (asked.kind === 'asked' ? judge(asked.outcome) : 'unknown'),
      ),
    );

  async function serviceAccount(): Promise<Secret> {
    const basic = await vault.basic({ kind: 'service' });
    if (basic.kind !== 'held') throw new TypeError('the service account always has its credentials');
    return basic.credential;
  }

  return {
    /** Asks for a person, with the person's own account if there is one, else with the bot's. */
    async ask<T>(question: Question<T>): Promise<Asked<T>> {
      const own = await vault.basic({ kind: 'person', id: question.person });
      if (own.kind === 'held') return askAsPerson(own, question);
      const asked = await askAsService(question);
      return own.unknown && asked.kind === 'asked' ? { ...asked, whose: 'stand-in' } : asked;
    },
    /** Until when the service account rests (milliseconds since 1970). */
    restsUntil: lockout.until,
    counts: queue.counts,
  };
}
