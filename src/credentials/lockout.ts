import { randomUUID } from 'node:crypto';
import * as rules from '../domain/lockout.ts';
import type { Secret } from '../domain/secret.ts';

/** After another process's refusal a password rests up to this much longer, so that not all processes try at once. */
const SPREAD_MS = 5000;

type Alone = PromiseWithResolvers<void> & { password: string };

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
  /** The call that goes alone. */
  #alone: Alone | undefined;

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
      const { password, isAccepted } = this.#present();
      const used = { password, begunAt: this.#now() };
      const until = rules.restsUntil(this.#lockout);
      if (used.begunAt < until) return { kind: 'resting', until };
      if (isAccepted || this.#alone?.password !== password) {
        const alone = isAccepted ? undefined : { password, ...Promise.withResolvers<void>() };
        this.#alone = alone ?? this.#alone;
        return { kind: 'call', end: (judgement) => this.#end(used, judgement, alone) };
      }
      await this.#alone.promise;
    }
  }

  isUntried(): boolean {
    const { password, isAccepted, refusedSince } = this.#present();
    return password !== this.#first && !isAccepted && refusedSince === undefined;
  }

  until(): number | undefined {
    const until = rules.restsUntil(this.#present());
    return this.#now() < until ? until : undefined;
  }

  #present(): rules.Lockout {
    const password = this.#password.reveal();
    const { shared } = this.#lockout;
    if (password !== this.#lockout.password) this.#lockout = rules.startLockout(password, shared);
    return this.#lockout;
  }

  #end(used: rules.Use, judgement: rules.Judgement, alone: Alone | undefined): void {
    const before = this.#present();
    this.#lockout = rules.judge(before, used, judgement, this.#now());
    if (this.#alone === alone) this.#alone = undefined;
    alone?.resolve();
    if (this.#lockout === before) return;
    const { rest, refusedSince: since } = this.#lockout;
    const refusal = rest && since !== undefined ? { by: this.#by, since, ...rest } : undefined;
    if (refusal || this.#isShared) this.#share(refusal);
    this.#isShared = refusal !== undefined;
  }
}
