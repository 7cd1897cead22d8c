import type { Secret } from '../text/secret.ts';

/** Stops repeated tries with refused credentials, which would lock their account. */
export type Rest = {
  /**
   * Makes a call with a credential, unless the credential rests. After a rest, one call goes first and the others wait
   * for its outcome.
   * @param judge what the call's outcome says about the credential
   * @returns the outcome, or until when the credential rests (milliseconds since 1970) if it was not used
   */
  guard<T>(
    credential: Secret,
    call: () => Promise<T>,
    judge: (outcome: T) => Judgement,
  ): Promise<T | Resting>;
  /** Until when a credential rests; undefined if it does not. */
  until(credential: Secret): number | undefined;
};

/** `unknown`: the credential was not judged (no connection, a time-out). */
export type Judgement = 'accepted' | 'refused' | 'unknown';

export type Resting = { kind: 'resting'; until: number };

const FIRST_REST_MS = 60_000;
const LONGEST_REST_MS = 15 * 60_000;

/** How many refused credentials are remembered: the current one, and earlier ones whose calls may still be in flight. */
const REMEMBERED = 8;

type State = { restMs: number; until: number; probe: Promise<unknown> | undefined };

/** A refused credential rests 1 minute, doubling to 15. Each credential rests on its own: a new one is free at once. */
export function createRest(now: () => number): Rest {
  const refused = new Map<string, State>();

  return {
    async guard(credential, call, judge) {
      const value = credential.reveal();
      for (let state = refused.get(value); state !== undefined; state = refused.get(value)) {
        if (now() < state.until) return { kind: 'resting', until: state.until };
        if (state.probe === undefined) return attempt(value, call, judge, state);
        await state.probe;
      }
      return attempt(value, call, judge, undefined);
    },
    until(credential) {
      const until = refused.get(credential.reveal())?.until ?? 0;
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
    const attempted = call();
    // Only this caller sees an exception; the callers that wait check again.
    if (probed) probed.probe = attempted.then(ignore, ignore);
    try {
      const outcome = await attempted;
      const judgement = judge(outcome);
      if (judgement === 'refused') noteRefusal(value);
      else if (judgement === 'accepted' && probed) refused.delete(value);
      return outcome;
    } finally {
      if (probed) probed.probe = undefined;
    }
  }

  /** Refusals of calls that were already in flight do not double the rest. */
  function noteRefusal(value: string): void {
    const before = refused.get(value);
    if (before !== undefined && now() < before.until) return;
    const restMs = before === undefined ? FIRST_REST_MS : Math.min(before.restMs * 2, LONGEST_REST_MS);
    refused.delete(value);
    refused.set(value, { restMs, until: now() + restMs, probe: undefined });
    for (const oldest of refused.keys()) if (refused.size > REMEMBERED) refused.delete(oldest);
  }
}

function ignore(): void {}
