import type { NotTried, Whose } from './outcome.ts';
import type { Account } from './secret.ts';

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

/** An account, and the only way to call with it. */
export type GuardedAccount = {
  account: Account;
  /** A person's account that is not accepted yet: the call in flight, for which others wait without a slot. */
  first?: { call?: Promise<void> };
  /** Makes a call, unless the password rests. It goes alone if the password is not accepted yet. Throws the call's errors. */
  run<Outcome extends { kind: string }>(
    call: (account: Account) => Promise<Outcome>,
  ): Promise<Outcome | NotTried>;
};

/** The account of a person's calls. Without a guard, the bot's is used. */
export type OwnAccount = Whose & { guard?: GuardedAccount };

export type LockoutGuard = GuardedAccount & {
  /** Until when the present password rests, by the steady clock; undefined if it does not. */
  until(): number | undefined;
  /** Whether the password has changed since the process began, and no call has used it. */
  isUntried(): boolean;
};

/**
 * Keeps the bot's own account from being locked by tries with a refused password. A refused password rests for 1 minute,
 * doubling to 15. Every time is in milliseconds of the steady clock.
 */
export type Lockout = Readonly<{
  password: string;
  /** When the last call began whose password was accepted; undefined: none was, or another process was refused since. */
  acceptedAt?: number | undefined;
  /** The last rest in this process, and since when the password has only been refused; undefined: not, or accepted since. */
  rest?: Rest & { since: number };
  /** The last refusal of the account in another process. It may have ended. */
  shared?: Refusal | undefined;
}>;

/** The use of a password by one call. */
export type Use = { password: string; begunAt: number };

/** The kinds of outcomes that show that a system knows the account, with or without rights. */
const ACCEPTED = ['found', 'no session', 'forbidden', 'read', 'held', 'no credential'];

/** The verdict on a password by the kind of a call's outcome. */
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
 * waits for one rest of a process, even if that one is refused again. Else an old password would stop all others for good.
 */
export function share(lockout: Lockout, latest: Refusal | undefined): Lockout {
  const { shared: before, rest } = lockout;
  if (latest?.by === before?.by && latest?.until === before?.until) return lockout;
  const isAgain = before !== undefined && latest?.by === before.by && rest === undefined;
  const shared = isAgain && latest ? { ...latest, until: before.until } : latest;
  const next = { ...lockout, shared };
  return shared && concerns(next, shared) ? { ...next, acceptedAt: undefined } : next;
}

/** The longest rest that concerns the password, whichever process began it. It may have ended. */
export function restOf(lockout: Lockout): Rest {
  const { rest = NO_REST, shared } = lockout;
  const { restMs, until } = shared && concerns(lockout, shared) ? shared : NO_REST;
  return { restMs: Math.max(rest.restMs, restMs), until: Math.max(rest.until, until) };
}

/** The state after a call's end. A call with an earlier password, or one from before the rest, changes nothing. */
export function judge(lockout: Lockout, { password, begunAt }: Use, judgement: Judgement, at: number) {
  const { rest = { since: at, until: 0 }, shared, acceptedAt = begunAt } = lockout;
  if (password !== lockout.password || judgement === 'unknown' || at < rest.until) return lockout;
  if (judgement === 'refused')
    return { ...lockout, rest: { ...restAfter(restOf(lockout), at), since: rest.since } };
  const accepted = { password, acceptedAt: Math.max(begunAt, acceptedAt), shared };
  return shared && concerns(accepted, shared) ? lockout : accepted;
}

/**
 * Whether the refusal of another process concerns this one. It does not once the present password was accepted while that
 * process has only been refused: the passwords differ.
 */
const concerns = ({ acceptedAt = Number.NEGATIVE_INFINITY }: Lockout, { since }: Refusal) =>
  acceptedAt < since;
