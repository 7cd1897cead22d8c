import type { Resting } from './outcome.ts';

/**
 * Keeps an account from being locked by tries with a refused password: a refused password rests 1 minute, doubling to 15.
 * Every time is in milliseconds of a clock that is never set back.
 */
export type Lockout = Readonly<{
  /** The password that this process holds now, and what systems have said of it. */
  held: Holding;
  /** Refused passwords, the latest last. Each rests on its own: a new password is free at once. */
  rests: ReadonlyMap<string, Rest>;
  /** The refusal that processes have told last, and until when it is heeded here. */
  heard: Pick<Refusal, 'id' | 'until' | 'restMs'> | undefined;
  /** The refusal that this process told last. */
  own: string | undefined;
}>;

/** What a call says of the password. `unknown`: there was no connection, or a time-out. */
export type Judgement = 'accepted' | 'refused' | 'unknown';
export type Pause = { restMs: number; until: number };
/** `isFirst`: since the process began. */
type Holding = {
  value: string;
  isFirst: boolean;
  since: number;
  acceptedAt?: number;
  firstRefusedAt?: number;
};
/** `until`: after a refusal here; `toldUntil`: after one in another process. */
type Rest = Pause & { toldUntil: number };

/**
 * A refusal of the bot's own account, as processes tell it to one another, and to the next one in their place. Nothing in it
 * comes from the password. `fitUntil`: when the password was last accepted, or first refused if it never was accepted.
 * `isAgain`: the process took its password for a new one, and so might the next: a rest that restarts do not end.
 */
export type Refusal = Pause & { id: string; wasAccepted: boolean; fitUntil: number; isAgain: boolean };

/**
 * Joins the processes that share one account. `hear` is handed their latest refusal, an own one too, again and again. `tell`
 * tells the others, soon; it never waits for the database.
 */
export type Join = (hear: (latest: Refusal | undefined) => void) => {
  tell(refusal: Refusal): void;
  withdraw(ids: readonly string[]): void;
};

export type LockoutGuard = {
  /**
   * Makes a call with the account, unless its password rests. The first call with a password, and the first after a rest, goes
   * alone: the others wait for its end.
   */
  guard<T>(call: () => Promise<T>, judge: (outcome: T) => Judgement): Promise<T | Resting>;
  /** Until when the present password rests by the steady clock; undefined if it does not. */
  until(): number | undefined;
};

export const FIRST_REST_MS = 60_000;
const LONGEST_REST_MS = 15 * 60_000;
const NO_PAUSE: Pause = { restMs: 0, until: 0 };
/** Refused passwords: the current one, and earlier ones whose calls may still be in flight. */
const REMEMBERED = 8;

/** The rest after a refusal. Refusals during a rest are those of calls in flight, and change nothing. */
export function restAfter(before: Pause | undefined, at: number): Pause {
  if (before && at < before.until) return before;
  const restMs = before ? Math.min(before.restMs * 2, LONGEST_REST_MS) : FIRST_REST_MS;
  return { restMs, until: at + restMs };
}

export function startLockout(value: string, at: number): Lockout {
  return { held: { value, isFirst: true, since: at }, rests: new Map(), heard: undefined, own: undefined };
}

export function hold(lockout: Lockout, value: string, at: number): Lockout {
  return value === lockout.held.value ? lockout : { ...lockout, held: { value, isFirst: false, since: at } };
}

/** Until when a password rests, perhaps in the past; undefined if it was not refused. */
export function restsUntil({ rests }: Lockout, value: string): number | undefined {
  const rest = rests.get(value);
  return rest && endOf(rest);
}

/** The refusals that are known now: a call that begins now and is accepted withdraws them. */
export function knownRefusals({ heard, own }: Lockout): string[] {
  return [heard?.id, own].filter((id) => id !== undefined);
}

/**
 * The state after a refusal. A refusal during a rest that another process told makes the rest this process's own.
 * @returns `told`: what the other processes are told (under `id`), if a rest of the present password has begun
 */
export function refuse(
  lockout: Lockout,
  { value, at, id }: { value: string; at: number; id: string },
): { lockout: Lockout; told?: Refusal } {
  const isHeld = value === lockout.held.value;
  const held = isHeld ? { firstRefusedAt: at, ...lockout.held } : lockout.held;
  const before = lockout.rests.get(value);
  const { heard, own } = lockout;
  const isAgain = before === undefined && heard !== undefined && heard.id !== own && at < heard.until;
  const inVain = isAgain ? { restMs: heard.restMs, until: at } : undefined; // Another's rest, which this try ignored.
  const wholeBefore = before ? { restMs: before.restMs, until: endOf(before) } : inVain;
  const pause = restAfter(wholeBefore, at);
  const rests = withRest(lockout.rests, value, { toldUntil: 0, ...before, ...pause });
  if (pause === wholeBefore || !isHeld) return { lockout: { ...lockout, held, rests } };
  const { acceptedAt, firstRefusedAt = at } = held;
  const wasAccepted = acceptedAt !== undefined;
  const fitUntil = acceptedAt ?? firstRefusedAt;
  return {
    lockout: { ...lockout, held, rests, own: id },
    told: { id, ...pause, wasAccepted, fitUntil, isAgain },
  };
}

/** The state after an accepted call: a probe ends the rest, and refusals that were known when it began are withdrawn. */
export function accept(
  { held, rests, heard, own }: Lockout,
  { value, at, isProbe, known }: { value: string; at: number; isProbe: boolean; known: readonly string[] },
): Lockout {
  return {
    held: value === held.value ? { ...held, acceptedAt: at } : held,
    rests: isProbe ? withRest(rests, value, undefined) : rests,
    heard: heard && known.includes(heard.id) ? undefined : heard,
    own: own !== undefined && known.includes(own) ? undefined : own,
  };
}

/**
 * The state after the latest refusal was told, or that there is none. What the database's clock says later changes nothing.
 * @param told.longerMs how much longer this process rests, so that not all processes try again at once
 */
export function hear(
  lockout: Lockout,
  latest: Refusal | undefined,
  { at, longerMs }: { at: number; longerMs: number },
): Lockout {
  const { held, rests, own } = lockout;
  const end = ({ id, until, restMs }: Refusal) =>
    id === lockout.heard?.id ? lockout.heard.until : Math.min(until, at + restMs) + longerMs;
  const heard = latest && { ...latest, until: end(latest) };
  const told = heard && heard.id !== own && concerns(held, heard) ? heard : NO_PAUSE;
  const { restMs, until } = rests.get(held.value) ?? NO_PAUSE;
  const rest = { until, restMs: Math.max(restMs, told.restMs), toldUntil: told.until };
  return { ...lockout, heard, rests: withRest(rests, held.value, endOf(rest) > 0 ? rest : undefined) };
}

/**
 * Whether a told refusal may be one of the password held here; passwords are never compared over processes, not even by
 * hash. They likely differ if this one is held only since the other was last accepted or first refused (a cure), or if this
 * one was accepted and the other never (a slip).
 */
function concerns({ isFirst, since, acceptedAt }: Holding, refusal: Refusal): boolean {
  const { wasAccepted, fitUntil, isAgain } = refusal;
  if (isAgain && isFirst && acceptedAt === undefined) return true;
  return since < fitUntil && (acceptedAt === undefined || wasAccepted);
}

function withRest(rests: Lockout['rests'], value: string, rest: Rest | undefined): Lockout['rests'] {
  const others = [...rests].filter(([each]) => each !== value);
  return new Map(rest ? [...others.slice(1 - REMEMBERED), [value, rest]] : others);
}

const endOf = ({ until, toldUntil }: Rest) => Math.max(until, toldUntil);
