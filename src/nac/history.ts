import type { Logger } from 'pino';
import type { Attempt } from '../domain/attempts.ts';
import { type CallEnd, endCall, UNTRIED } from '../domain/breaker.ts';
import type { MacAddress, MacForm } from '../domain/mac-address.ts';
import { settlesWithin } from '../domain/timing.ts';
import type { HttpOutcome, Upstream } from '../http.ts';
import type { Calls } from './calls.ts';
import { attemptsPath, getRequest } from './paths.ts';
import { readAttempts } from './reading/attempts.ts';

/** A device's last attempts within 24 hours, at most ten, newest first; undefined if they did not come in time. */
export type History = (
  address: MacAddress,
  person: string,
  withinMs: number,
) => Promise<readonly Attempt[] | undefined>;

type HistoryParts = {
  upstream: Upstream;
  macForm: MacForm;
  calls: Calls;
  /** The address to ask, which answered a session call; undefined: none did. */
  answeredBy(): URL | undefined;
  steady: () => number;
  log: Logger;
};

type Attempts =
  | { kind: 'read'; attempts: readonly Attempt[] }
  /** 401: the credentials are not accepted. `not known`: 404. `failed`: any other answer, or none. */
  | { kind: 'refused' | 'not known' | 'failed' | 'late' };

/** A call that an answer can do without: shares accounts and slots with lookups, and has no breaker. */
export function createHistory({ upstream, macForm, calls, answeredBy, steady, log }: HistoryParts): History {
  let state = UNTRIED;

  function note(end: CallEnd): void {
    const { offUntil } = state;
    state = endCall(state, end, steady());
    if (state.offUntil !== offUntil)
      log.info({ path: 'AuthStatus' }, 'the NAC does not answer this call; it is left alone for an hour');
  }

  return async (address, person, withinMs) => {
    if (steady() < state.offUntil) return undefined;
    const until = steady() + withinMs;
    const path = attemptsPath(address, macForm);
    const own = await calls.ownAccount(person);
    const asking = calls.join<Attempts>({
      subject: path,
      person,
      own,
      isOptional: true,
      judge: ({ kind }) => (kind === 'read' ? 'accepted' : kind === 'refused' ? kind : 'unknown'),
      async call(authorization) {
        const base = answeredBy();
        if (base === undefined || steady() >= until) return { kind: 'late' }; // Nobody waits for the answer.
        const attempts = readAnswer(await upstream.call(getRequest(base, path, authorization)));
        // A person's refused account says nothing of the NAC.
        if (attempts.kind !== 'refused' || own.kind !== 'held') note(endOf(attempts));
        return attempts;
      },
    });
    if (!(await settlesWithin(asking, withinMs))) return undefined;
    const asked = await asking;
    return asked.kind === 'read' ? asked.attempts : undefined;
  };
}

function readAnswer(wire: HttpOutcome): Attempts {
  if (wire.kind !== 'answered') return { kind: 'failed' };
  const { status, text } = wire;
  if (status === 401) return { kind: 'refused' };
  if (status === 404) return { kind: 'not known' };
  const attempts = status === 200 ? readAttempts(text) : undefined;
  return attempts ? { kind: 'read', attempts } : { kind: 'failed' };
}

function endOf({ kind }: Attempts): CallEnd {
  if (kind === 'read') return 'answered';
  return kind === 'not known' ? kind : 'failed';
}
