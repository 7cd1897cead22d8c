import { admit, begin, CLOSED, end, type Health, type Question } from '../domain/breaker.ts';
import type { Paused } from '../domain/outcome.ts';

/** Stops repeated calls to a failing system, by the rules of `domain/breaker.ts`. */
export type CallBreaker = {
  /** Makes a call, unless calls are paused. @param judge what an outcome says of the system */
  guard<T>(question: Question, call: () => Promise<T>, judge: (outcome: T) => Health): Promise<T | Paused>;
  /** Until when calls are paused for everybody; undefined if they are not. */
  until(): number | undefined;
};

/** @param now a clock that is never set back */
export function createBreaker(now: () => number): CallBreaker {
  let state = CLOSED;
  return {
    async guard(question, call, judge) {
      const admission = admit(state, question.asker, now());
      if (admission.kind === 'paused') return admission;
      state = begin(state, question.asker, admission);
      const { openings } = state;
      let health: Health | undefined;
      try {
        const outcome = await call();
        health = judge(outcome);
        return outcome;
      } finally {
        state = end(state, { ...question, at: now(), admission, health, openings });
      }
    },
    until() {
      const { everybody } = state;
      return everybody && now() < everybody.until ? everybody.until : undefined;
    },
  };
}
