import type { Resting } from '../domain/outcome.ts';
import type { Secret } from '../domain/secret.ts';
import { createHolding } from './refusal.ts';
import { createToldRefusals, type Join, type Pause } from './told-refusals.ts';

/** Stops repeated tries with an account's refused password, which would lock the account. */
export type Rest = {
  /**
   * Makes a call with the account, unless its password rests. After a rest, one call goes first and the others wait for
   * its outcome.
   * @param judge what the call's outcome says about the password
   * @returns the outcome, or until when the password rests (milliseconds since 1970) if it was not used
   */
  guard<T>(call: () => Promise<T>, judge: (outcome: T) => Judgement): Promise<T | Resting>;
  /** Until when the present password rests; undefined if it does not. */
  until(): number | undefined;
};

/** `unknown`: the password was not judged (no connection, a time-out). */
export type Judgement = 'accepted' | 'refused' | 'unknown';

export type RestOptions = {
  /** The account's password, as it is now. */
  password: Secret;
  /** A clock that is never set back. */
  now: () => number;
  join?: Join | undefined;
};

/**
 * A refused password rests 1 minute, doubling to 15. Each password rests on its own: a new one is free at once. The present
 * one rests as well while other processes tell a refusal that concerns it. A call that is accepted withdraws, for all
 * processes, the refusals that were known when it began. Where a process was refused itself, its rest goes on.
 */
export function createRest({ password, now, join }: RestOptions): Rest {
  const present = createHolding(password, now);
  const refused = createRefused(now);
  const told = createToldRefusals({
    present,
    now,
    join,
    onHeard: (pause) => refused.heed(present().value, pause),
  });

  return {
    async guard(call, judge) {
      while (true) {
        const { value } = present();
        const state = refused.find(value);
        if (state === undefined) return attempt(value, call, judge, undefined);
        const until = endOf(state);
        if (now() < until) return { kind: 'resting', until };
        if (state.probe === undefined) return attempt(value, call, judge, state);
        await state.probe;
      }
    },
    until() {
      const state = refused.find(present().value);
      const until = state === undefined ? 0 : endOf(state);
      return now() < until ? until : undefined;
    },
  };

  /** @param probed the rest that is over, if this call finds out whether the rest begins anew */
  async function attempt<T>(
    value: string,
    call: () => Promise<T>,
    judge: (outcome: T) => Judgement,
    probed: State | undefined,
  ): Promise<T> {
    const known = told.known();
    const attempted = call();
    // Only this caller sees an exception; the callers that wait check again.
    if (probed) probed.probe = attempted.then(ignore, ignore);
    try {
      const outcome = await attempted;
      const judgement = judge(outcome);
      if (judgement === 'refused') noteRefusal(value);
      else if (judgement === 'accepted') noteAcceptance(value, probed, known);
      return outcome;
    } finally {
      if (probed) probed.probe = undefined;
    }
  }

  function noteRefusal(value: string): void {
    const holding = present();
    if (holding.value === value) holding.firstRefusedAt ??= now();
    const pause = refused.begin(value);
    if (pause && holding.value === value) told.tell(pause);
  }

  function noteAcceptance(value: string, probed: State | undefined, known: readonly string[]): void {
    const holding = present();
    if (holding.value === value) holding.acceptedAt = now();
    if (probed) refused.forget(value);
    told.withdraw(known);
  }
}

const FIRST_REST_MS = 60_000;
const LONGEST_REST_MS = 15 * 60_000;

/** How many refused passwords are remembered: the current one, and earlier ones whose calls may still be in flight. */
const REMEMBERED = 8;

/** `until`: after a refusal here; `toldUntil`: after one in another process. */
type State = { restMs: number; until: number; toldUntil: number; probe: Promise<unknown> | undefined };

/** The refused passwords and their rests. */
function createRefused(now: () => number) {
  const states = new Map<string, State>();

  function remember(value: string, state: State): void {
    states.delete(value);
    states.set(value, state);
    for (const oldest of states.keys()) if (states.size > REMEMBERED) states.delete(oldest);
  }

  return {
    find: (value: string) => states.get(value),
    forget: (value: string) => void states.delete(value),
    /**
     * Begins a rest. Returns undefined during one: refusals of calls that were already in flight do not double the rest, but
     * make a told one this process's own.
     */
    begin(value: string): Pause | undefined {
      const before = states.get(value);
      if (before !== undefined && now() < endOf(before)) {
        before.until = endOf(before);
        return undefined;
      }
      const restMs = before === undefined ? FIRST_REST_MS : Math.min(before.restMs * 2, LONGEST_REST_MS);
      const until = now() + restMs;
      remember(value, { restMs, until, toldUntil: 0, probe: undefined });
      return { restMs, until };
    },
    /** @param pause what other processes' refusals make of the password; undefined: none concerns it now */
    heed(value: string, pause: Pause | undefined): void {
      const state = states.get(value);
      if (pause && state) {
        state.restMs = Math.max(state.restMs, pause.restMs);
        state.toldUntil = pause.until;
      } else if (pause) {
        remember(value, { restMs: pause.restMs, until: 0, toldUntil: pause.until, probe: undefined });
      } else if (state?.until === 0) states.delete(value);
      else if (state) state.toldUntil = 0;
    },
  };
}

function endOf({ until, toldUntil }: State): number {
  return Math.max(until, toldUntil);
}

function ignore(): void {}
