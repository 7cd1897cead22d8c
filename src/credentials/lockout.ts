import { randomUUID } from 'node:crypto';
import * as rules from '../domain/lockout.ts';
import type { Secret } from '../domain/secret.ts';

/** After another process's refusal a password rests up to this much longer, so that not all processes try at once. */
const SPREAD_MS = 5000;

/** Guards an account, with its password as it is now, by the rules of `domain/lockout.ts`. */
export class AccountGuard implements rules.LockoutGuard {
  readonly #by = randomUUID();
  readonly #spreadMs = Math.random() * SPREAD_MS;
  readonly #password: Secret;
  readonly #first: string;
  readonly #now: () => number;
  readonly #share: ReturnType<rules.SharedRefusals>;
  #isShared = false;
  #lockout: rules.Lockout;
  #alone: (PromiseWithResolvers<void> & { use: rules.Use }) | undefined;

  /** @param now the steady clock */
  constructor({ password }: { password: Secret }, now: () => number, shared: rules.SharedRefusals) {
    this.#password = password;
    this.#first = password.reveal();
    this.#now = now;
    this.#lockout = rules.startLockout(this.#first);
    this.#share = shared((latest) => {
      this.#isShared = latest !== undefined;
      const others = latest?.by === this.#by ? undefined : latest; // Its own rest is kept here.
      const spread = others && { ...others, until: others.until + this.#spreadMs };
      this.#lockout = rules.share(this.#lockout, spread);
    });
  }

  async begin(): ReturnType<rules.LockoutGuard['begin']> {
    while (true) {
      const present = this.#present();
      const { password, acceptedAt, refusedSince } = present;
      const begunAt = this.#now();
      const { until } = rules.restOf(present);
      if (begunAt < until) return { kind: 'resting', until };
      const use = { kind: 'use', password, begunAt } as const;
      const isAccepted = acceptedAt !== undefined && refusedSince === undefined;
      if (isAccepted) return use;
      if (this.#alone?.use.password !== password) {
        this.#alone?.resolve();
        this.#alone = { use, ...Promise.withResolvers<void>() };
        return use;
      }
      await this.#alone.promise;
    }
  }

  end(use: rules.Use, judgement: rules.Judgement): void {
    const before = this.#present();
    this.#lockout = rules.judge(before, use, judgement, this.#now());
    if (this.#alone?.use === use) {
      this.#alone.resolve();
      this.#alone = undefined;
    }
    if (this.#lockout === before) return;
    const { rest, refusedSince: since } = this.#lockout;
    const refusal = rest && since !== undefined ? { by: this.#by, since, ...rest } : undefined;
    if (refusal || this.#isShared) this.#share(refusal);
    this.#isShared = refusal !== undefined;
  }

  isUntried(): boolean {
    const { password, acceptedAt, refusedSince } = this.#present();
    return password !== this.#first && (acceptedAt ?? refusedSince) === undefined;
  }

  until(): number | undefined {
    const { until } = rules.restOf(this.#present());
    return this.#now() < until ? until : undefined;
  }

  #present(): rules.Lockout {
    const password = this.#password.reveal();
    const { shared } = this.#lockout;
    if (password !== this.#lockout.password) this.#lockout = rules.startLockout(password, shared);
    return this.#lockout;
  }
}
