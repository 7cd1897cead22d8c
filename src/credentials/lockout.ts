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
