import type { Secret } from '../secret.ts';

/** Keeps refused credentials from being tried again and again, which would lock their account. */
export type Rest = {
  /**
   * Makes a call with a credential, unless that credential rests. After a rest one call goes first and the others wait
   * for what becomes of it.
   * @param judge what the call's outcome says of the credential
   * @returns the outcome, or until when the credential rests (milliseconds since 1970) where it was not used
   */
  guard<T>(
    credential: Secret,
    call: () => Promise<T>,
    judge: (outcome: T) => Judgement,
  ): Promise<T | Resting>;
  /** Until when the credential used last rests; undefined when it does not. */
  until(): number | undefined;
};

/** `unknown`: the call did not get so far (no connection, a time-out). */
export type Judgement = 'accepted' | 'refused' | 'unknown';

export type Resting = { kind: 'resting'; until: number };

const FIRST_REST_MS = 60_000;
const LONGEST_REST_MS = 15 * 60_000;

/** One rest, for one credential at a time: 1 minute after a refusal, doubling to 15, over at once when the credential changes. */
export function createRest(now: () => number): Rest {
  let refused: { credential: string; restMs: number; until: number } | undefined;
  let probe: Promise<unknown> | undefined;

  return {
    async guard(credential, call, judge) {
      const value = credential.reveal();
      while (refused?.credential === value) {
        if (now() < refused.until) return { kind: 'resting', until: refused.until };
        if (probe === undefined) return attempt(value, call, judge, true);
        await probe;
      }
      return attempt(value, call, judge, false);
    },
    until: () => (refused !== undefined && now() < refused.until ? refused.until : undefined),
  };

  async function attempt<T>(
    value: string,
    call: () => Promise<T>,
    judge: (outcome: T) => Judgement,
    isProbe: boolean,
  ): Promise<T> {
    const attempted = call();
    if (isProbe) probe = attempted.catch(() => {}); // The one who asked sees the failure; those who wait look again.
    try {
      const outcome = await attempted;
      const judgement = judge(outcome);
      if (judgement === 'refused') noteRefusal(value);
      else if (judgement === 'accepted' && isProbe) refused = undefined;
      return outcome;
    } finally {
      if (isProbe) probe = undefined;
    }
  }

  /** Refusals of calls that were already under way do not double the rest. */
  function noteRefusal(value: string): void {
    const same = refused?.credential === value ? refused : undefined;
    if (same !== undefined && now() < same.until) return;
    const restMs = same === undefined ? FIRST_REST_MS : Math.min(same.restMs * 2, LONGEST_REST_MS);
    refused = { credential: value, restMs, until: now() + restMs };
  }
}
