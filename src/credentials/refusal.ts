import type { Secret } from '../domain/secret.ts';

/**
 * A refusal of the bot's own account, as processes tell it to one another. Nothing in it comes from the password. Times are
 * milliseconds since 1970, by the steady clock of the process at hand.
 */
export type Refusal = Judged & {
  /** A random UUID. */
  id: string;
  /** How long the refused password rests, and until when. */
  restMs: number;
  until: number;
};

/** What systems have said of a refused password, as far as one process knows. */
type Judged = {
  /** Whether the password was ever accepted. */
  wasAccepted: boolean;
  /** Until when the password may have been right: when it was last accepted, or first refused if it never was accepted. */
  fitUntil: number;
};

/** The password that a process holds now. */
export type Holding = {
  value: string;
  /** Since when this process holds the password: since its start, or since the password changed. */
  since: number;
  acceptedAt: number | undefined;
  firstRefusedAt: number | undefined;
};

/** Follows a password that may change. @returns the present one, with what was noted of it */
export function createHolding(password: Secret, now: () => number): () => Holding {
  const take = (value: string): Holding => ({
    value,
    since: now(),
    acceptedAt: undefined,
    firstRefusedAt: undefined,
  });
  let holding = take(password.reveal());
  return () => {
    const value = password.reveal();
    if (value !== holding.value) holding = take(value);
    return holding;
  };
}

/** What a process tells of a password that was refused just now. */
export function judgedOf({ acceptedAt, firstRefusedAt }: Holding, now: number): Judged {
  return { wasAccepted: acceptedAt !== undefined, fitUntil: acceptedAt ?? firstRefusedAt ?? now };
}

/**
 * Whether a told refusal may be one of the password held here. Passwords are never compared over processes, not even by a
 * hash, so what is known of them decides. The two differ in all likelihood
 * - if this one is held only since the other was last accepted, or first refused: this one may be the cure;
 * - if this one has been accepted and the other never was: the other may be a slip.
 */
export function concerns({ since, acceptedAt }: Holding, { wasAccepted, fitUntil }: Judged): boolean {
  const isOtherASlip = acceptedAt !== undefined && !wasAccepted;
  return since < fitUntil && !isOtherASlip;
}
