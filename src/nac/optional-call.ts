import { type CallEnd, endCall, UNTRIED } from '../domain/breaker.ts';
import type { Judgement } from '../domain/lockout.ts';
import { endsWithin } from '../domain/timing.ts';
import type { HttpOutcome } from '../http.ts';
import type { Accounts, Asked, Question } from './accounts.ts';

export type OptionalCallOptions = {
  accounts: Pick<Accounts, 'ask'>;
  now: () => number;
  /** Told each time that the call is left alone for an hour. */
  onOff(): void;
};

/** A question whose call returns undefined if it cannot be made. */
type OptionalQuestion = Omit<Question<HttpOutcome | undefined>, 'judge'>;

/**
 * A call that an answer can do without: shares accounts and places with other calls, and has no breaker.
 * @param read returns what a body says; undefined for a body of another form
 */
export function createOptionalCall<T>(
  { accounts, now, onOff }: OptionalCallOptions,
  read: (body: string) => T | undefined,
) {
  let state = UNTRIED;

  function note(asked: Asked<Outcome<T>>): void {
    const end = endOf(asked);
    if (end === undefined) return;
    const before = state.offUntil;
    state = endCall(state, end, now());
    if (state.offUntil !== before) onOff();
  }

  /** Returns undefined if the answer did not come in time, or not at all. */
  return async ({ call, ...question }: OptionalQuestion, withinMs: number): Promise<T | undefined> => {
    if (now() < state.offUntil) return undefined;
    const until = now() + withinMs;
    const asking = accounts.ask<Outcome<T>>({
      ...question,
      judge,
      async call(authorization) {
        const wire = now() < until ? await call(authorization) : undefined; // Later, nobody waits for the answer.
        return wire === undefined ? { kind: 'not asked' } : readOutcome(wire, read);
      },
    });
    if (!(await endsWithin(asking.then(note), withinMs))) return undefined;
    const asked = await asking;
    return asked.kind === 'asked' && asked.outcome.kind === 'read' ? asked.outcome.value : undefined;
  };
}

type Outcome<T> =
  | { kind: 'read'; value: T }
  /** 401: the credentials are not accepted. `not known`: 404. `failed`: any other answer, or none. */
  | { kind: 'refused' | 'not known' | 'failed' | 'not asked' };

function readOutcome<T>(wire: HttpOutcome, read: (body: string) => T | undefined): Outcome<T> {
  if (wire.kind !== 'answered') return { kind: 'failed' };
  if (wire.status === 401) return { kind: 'refused' };
  if (wire.status === 404) return { kind: 'not known' };
  const value = wire.status === 200 ? read(wire.text) : undefined;
  return value === undefined ? { kind: 'failed' } : { kind: 'read', value };
}

function judge({ kind }: Outcome<unknown>): Judgement {
  if (kind === 'refused') return 'refused';
  return kind === 'read' ? 'accepted' : 'unknown';
}

/** Undefined: nothing is known of the call. A person's refused account says nothing of it. */
function endOf(asked: Asked<Outcome<unknown>>): CallEnd | undefined {
  if (asked.kind !== 'asked') return undefined;
  const { kind } = asked.outcome;
  if (kind === 'refused') return asked.whose === 'service' ? 'failed' : undefined;
  if (kind === 'not asked') return undefined;
  return kind === 'read' ? 'well' : kind;
}
