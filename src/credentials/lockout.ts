import { randomUUID } from 'node:crypto';
import * as rules from '../domain/lockout.ts';
import type { Secret } from '../domain/secret.ts';

/** The way of one account to its other processes. `onRefusal` is called with the latest refusal again and again. */
export type SharedRefusals = (onRefusal: (latest: rules.Refusal | undefined) => void) => {
  /** Publishes this process's refusal, soon; never waits for the database. */
  publish(refusal: rules.Refusal): void;
  /** Deletes the account's refusal, soon. */
  withdraw(): void;
};

/** After another process's refusal a password rests up to this much longer, so that not all processes try at once. */
const SPREAD_MS = 5000;

/** Guards an account, with its password as it is now, by the rules of `domain/lockout.ts`. `now` is the steady clock. */
export function createLockoutGuard(
  { password }: { password: Secret },
  now: () => number,
  shared: SharedRefusals,
): rules.LockoutGuard {
  const by = randomUUID();
  const spreadMs = Math.random() * SPREAD_MS;
  const first = password.reveal();
  let lockout = rules.startLockout(first);
  /** The call that goes alone, by its password, until it has ended. */
  let alone: { password: string; ended: Promise<void> } | undefined;
  let isShared = false;
  const refusals = shared((latest) => {
    isShared = latest !== undefined;
    const others = latest?.by === by ? undefined : latest; // Its own rest is kept here.
    lockout = rules.share(lockout, others && { ...others, until: others.until + spreadMs });
  });

  function present(): rules.Lockout {
    lockout = rules.hold(lockout, password.reveal());
    return lockout;
  }

  function end(used: rules.Use, judgement: rules.Judgement): void {
    const before = present();
    lockout = rules.judge(before, used, judgement, now());
    if (lockout === before) return;
    const { rest, refusedSince: since } = lockout;
    if (rest && since !== undefined) refusals.publish({ by, since, ...rest });
    else if (isShared) refusals.withdraw();
    isShared = rest !== undefined;
  }

  return {
    async begin() {
      while (true) {
        const { password, isAccepted } = present();
        const used = { password, begunAt: now() };
        const until = rules.restsUntil(lockout);
        if (until !== undefined && used.begunAt < until) return { kind: 'resting', until };
        if (isAccepted) return { kind: 'call', end: (judgement) => end(used, judgement) };
        if (alone?.password === password) {
          await alone.ended;
          continue;
        }
        const { promise: ended, resolve } = Promise.withResolvers<void>();
        const own = { password, ended };
        alone = own;
        return {
          kind: 'call',
          end(judgement) {
            end(used, judgement);
            if (alone === own) alone = undefined;
            resolve();
          },
        };
      }
    },
    isUntried() {
      const { password: used, isAccepted, refusedSince } = present();
      return used !== first && !isAccepted && refusedSince === undefined;
    },
    until() {
      present();
      const until = rules.restsUntil(lockout) ?? 0;
      return now() < until ? until : undefined;
    },
  };
}
