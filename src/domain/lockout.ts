import type { Resting } from './outcome.ts';
import type { Secret } from './secret.ts';

/** The verdict of one call on the password. `unknown`: no connection, or a time-out. */
export type Judgement = 'accepted' | 'refused' | 'unknown';
/** `until`: when the rest ends. `restMs`: its whole length, by which the next one doubles. */
export type Rest = { restMs: number; until: number };
/** A refusal as processes share it. `since`: since when the process `by` has only been refused. Holds nothing of the password. */
export type Refusal = Rest & { by: string; since: number };

/**
 * The way of one account to its other processes. `onRefusal` is called with each latest refusal. The function that
 * is returned publishes this process's refusal, soon; undefined: deletes the account's. It never waits for the database.
 */
export type SharedRefusals = (
  onRefusal: (latest: Refusal | undefined) => void,
) => (refusal: Refusal | undefined) => void;

type GuardParts = {
  password: Secret;
  now: () => number;
  shared: SharedRefusals;
  /** The process's name among those that share the account. */
  by: string;
  /** A password rests so much longer after another process's refusal (milliseconds), so that not all processes try at once. */
  spreadMs: number;
};

/**
 * Keeps the bot's own account from being locked by tries with a refused password. A refused password rests for 1 minute,
 * doubling to 15. Every time is in milliseconds of the steady clock.
 */
export class LockoutGuard {
  readonly #parts: GuardParts;
  readonly #first: string;
  readonly #publish: ReturnType<SharedRefusals>;
  #isShared = false;
  #lockout: Lockout;
  #alone: (PromiseWithResolvers<void> & { use: Use }) | undefined;

  constructor(parts: GuardParts) {
    this.#parts = parts;
    this.#first = parts.password.reveal();
    this.#lockout = { password: this.#first };
    this.#publish = parts.shared((latest) => {
      this.#isShared = latest !== undefined;
      const others = latest?.by === parts.by ? undefined : latest; // Its own rest is kept here.
      this.#lockout = share(this.#lockout, others && { ...others, until: others.until + parts.spreadMs });
    });
  }

  /**
   * Makes a call, unless the password rests. It goes alone if the password is not accepted yet. Throws what the call throws.
   * @param credential is read when the call begins
   */
  async run<Outcome extends { kind: string }, Credential>(
    call: (credential: Credential) => Promise<Outcome>,
    credential: () => Credential,
  ): Promise<Outcome | Resting> {
    const use = await this.#begin();
    if ('kind' in use) return use;
    let judgement: Judgement = 'unknown';
    try {
      const outcome = await call(credential());
      judgement = judgementOf(outcome);
      return outcome;
    } finally {
      this.#end(use, judgement);
    }
  }

  /** Until when the present password rests; undefined if it does not. */
  until(): number | undefined {
    const { until } = restOf(this.#present());
    return this.#parts.now() < until ? until : undefined;
  }

  /** Whether the password has changed since the process began, and no call has used it. */
  isUntried(): boolean {
    const { password, acceptedAt, refusedSince } = this.#present();
    return password !== this.#first && (acceptedAt ?? refusedSince) === undefined;
  }

  async #begin(): Promise<Use | Resting> {
    while (true) {
      const { password, acceptedAt, refusedSince } = this.#present();
      const until = this.until();
      if (until !== undefined) return { kind: 'resting', until };
      const use = { password, begunAt: this.#parts.now() };
      if (acceptedAt !== undefined && refusedSince === undefined) return use;
      if (this.#alone?.use.password !== password) {
        this.#alone?.resolve();
        this.#alone = { use, ...Promise.withResolvers<void>() };
        return use;
      }
      await this.#alone.promise;
    }
  }

  #end(use: Use, judgement: Judgement): void {
    const before = this.#present();
    this.#lockout = judge(before, use, judgement, this.#parts.now());
    if (this.#alone?.use === use) {
      this.#alone.resolve();
      this.#alone = undefined;
    }
    if (this.#lockout === before) return;
    const { rest, refusedSince: since } = this.#lockout;
    const refusal = rest && since !== undefined ? { by: this.#parts.by, since, ...rest } : undefined;
    if (refusal || this.#isShared) this.#publish(refusal);
    this.#isShared = refusal !== undefined;
  }

  #present(): Lockout {
    const password = this.#parts.password.reveal();
    const { shared } = this.#lockout;
    // A new password has no verdict, and is free at once.
    if (password !== this.#lockout.password)
      this.#lockout = { password, shared: shared && { ...shared, until: 0 } };
    return this.#lockout;
  }
}

type Lockout = Readonly<{
  password: string;
  /** When the last call began whose password was accepted; undefined: none was, or another process was refused since. */
  acceptedAt?: number | undefined;
  /** Since when the password has only been refused; undefined: it was not refused, or accepted since. */
  refusedSince?: number | undefined;
  /** The rest after refusals in this process. It may have ended. */
  rest?: Rest;
  /** The last refusal of the account in another process. It may have ended. */
  shared?: Refusal | undefined;
}>;

type Use = { password: string; begunAt: number };

/** The kinds of outcomes that show that a system knows the account, whatever it allows. */
const ACCEPTED = ['found', 'no session', 'forbidden', 'read', 'held', 'no credential'];

export function judgementOf({ kind }: { kind: string }): Judgement {
  return kind === 'refused' ? kind : ACCEPTED.includes(kind) ? 'accepted' : 'unknown';
}

export const FIRST_REST_MS = 60_000;
const MAX_REST_MS = 15 * 60_000;
const NO_REST: Rest = { restMs: 0, until: 0 };

/** The rest after a refusal. Refusals during a rest are those of calls in flight, and change nothing. */
export function restAfter(before: Rest = NO_REST, at: number): Rest {
  if (at < before.until) return before;
  const restMs = Math.min(Math.max(before.restMs * 2, FIRST_REST_MS), MAX_REST_MS);
  return { restMs, until: at + restMs };
}

/**
 * The state after the shared refusal was read, or after the row was found to be gone. A password that was not refused here
 * waits for one rest of a process, however often that one is refused: else an old password would stop all others for good.
 */
function share(lockout: Lockout, latest: Refusal | undefined): Lockout {
  const { shared: before, refusedSince } = lockout;
  if (latest?.by === before?.by && latest?.until === before?.until) return lockout;
  const isAgain = before !== undefined && latest?.by === before.by && refusedSince === undefined;
  const shared = isAgain && latest ? { ...latest, until: before.until } : latest;
  const next = { ...lockout, shared };
  return shared && concerns(next, shared) ? { ...next, acceptedAt: undefined } : next;
}

/** The longest rest that concerns the password, whichever process began it. It may have ended. */
function restOf(lockout: Lockout): Rest {
  const { rest = NO_REST, shared } = lockout;
  const { restMs, until } = shared && concerns(lockout, shared) ? shared : NO_REST;
  return { restMs: Math.max(rest.restMs, restMs), until: Math.max(rest.until, until) };
}

/** The state after a call's end. A call with an earlier password, or one from before the rest, changes nothing. */
function judge(lockout: Lockout, { password, begunAt }: Use, judgement: Judgement, at: number): Lockout {
  const { rest = NO_REST, shared, refusedSince = at, acceptedAt = begunAt } = lockout;
  if (password !== lockout.password || judgement === 'unknown' || at < rest.until) return lockout;
  if (judgement === 'refused') return { ...lockout, refusedSince, rest: restAfter(restOf(lockout), at) };
  const accepted = { password, acceptedAt: Math.max(begunAt, acceptedAt), shared };
  return shared && concerns(accepted, shared) ? lockout : accepted;
}

/**
 * Whether the refusal of another process concerns this one. It does not once the present password was accepted while that
 * process has only been refused: the passwords differ.
 */
const concerns = ({ acceptedAt = Number.NEGATIVE_INFINITY }: Lockout, { since }: Refusal) =>
  acceptedAt < since;
