import { randomUUID } from 'node:crypto';
import * as rules from '../domain/lockout.ts';
import type { Secret } from '../domain/secret.ts';

/** After another process's refusal a password rests up to this much longer. */
const LONGER_MS = 5000;

/**
 * Guards an account by the rules of `domain/lockout.ts`.
 * @param account.password as it is now
 * @param now a clock that is never set back
 * @param join undefined: no other process has this account
 */
export function createLockoutGuard(
  { password }: { password: Secret },
  now: () => number,
  join?: rules.Join,
): rules.LockoutGuard {
  const longerMs = Math.random() * LONGER_MS;
  const probes = new Map<string, Promise<unknown>>();
  let lockout = rules.startLockout(password.reveal(), now());
  const teller = join?.((refusals) => {
    lockout = rules.hear(present(), refusals, { at: now(), longerMs });
  });

  function present(): rules.Lockout {
    lockout = rules.hold(lockout, password.reveal(), now());
    return lockout;
  }

  async function attempt<T>(
    value: string,
    isProbe: boolean,
    call: () => Promise<T>,
    judge: (outcome: T) => rules.Judgement,
  ): Promise<T> {
    const known = rules.knownRefusals(lockout);
    const outcome = await call();
    const judgement = judge(outcome);
    if (judgement === 'refused') {
      const refused = rules.refuse(present(), { value, at: now(), id: randomUUID() });
      lockout = refused.lockout;
      if (refused.told) teller?.tell(refused.told);
    } else if (judgement === 'accepted') {
      lockout = rules.accept(present(), { value, at: now(), isProbe, known });
      if (known.length > 0) teller?.withdraw(known);
    }
    return outcome;
  }

  return {
    async guard(call, judge) {
      while (true) {
        const { value } = present().held;
        const until = rules.restsUntil(lockout, value);
        if (until === undefined) return attempt(value, false, call, judge);
        if (now() < until) return { kind: 'resting', until };
        const underWay = probes.get(value);
        if (underWay === undefined) {
          const probe = attempt(value, true, call, judge).finally(() => probes.delete(value));
          probes.set(
            value,
            probe.catch(() => {}),
          ); // This caller alone sees an exception; those who wait check again.
          return probe;
        }
        await underWay;
      }
    },
    until() {
      const until = rules.restsUntil(present(), lockout.held.value) ?? 0;
      return now() < until ? until : undefined;
    },
  };
}
