import type { Logger } from 'pino';
import { type Attempt, readAttempts } from './domain/attempts.ts';
import { type CallEnd, endCall, UNTRIED } from './domain/breaker.ts';
import type { MacAddress } from './domain/mac-address.ts';
import { completeTest, rootElement, tokensLike } from './domain/nac-body.ts';
import { endsWithin } from './domain/timing.ts';
import type { HttpOutcome, Upstream } from './http.ts';
import { type Accounts, type AccountsOptions, type Asked, createAccounts } from './nac/accounts.ts';
import {
  attemptsPath,
  createAccountTrial,
  createLookups,
  createSessionCall,
  get,
  type SessionCallOptions,
} from './nac/session-call.ts';

type NacOptions = Pick<AccountsOptions, 'vault' | 'lockout'> & {
  settings: Pick<SessionCallOptions, 'addresses' | 'macForm'> & {
    concurrency: number;
    ignoredTokens: readonly string[];
    history: boolean;
  };
  upstreams: { nac: Upstream; nacHistory: Upstream };
  /** A clock that is never set back. */
  steady: () => number;
  log: Logger;
};

/** Lookups in the configured NAC, and what can explain their answers. */
export function openNac({ settings, upstreams, vault, lockout, steady: now, log }: NacOptions) {
  const { addresses, macForm, concurrency, ignoredTokens, history } = settings;
  const isIgnored = tokensLike(ignoredTokens);
  const session = createSessionCall({ upstream: upstreams.nac, addresses, macForm, isIgnored, now });
  const { call, answeredBy, pausedUntil } = session;
  const accounts = createAccounts({ vault, lockout, concurrency });
  const onOff = () =>
    log.info({ path: 'AuthStatus' }, 'the NAC does not answer this call; it is left alone for an hour');
  return {
    lookUp: createLookups(call, accounts),
    tryAccount: createAccountTrial(call),
    history: history
      ? createHistory({ upstream: upstreams.nacHistory, macForm, accounts, answeredBy, now, onOff })
      : undefined,
    restsUntil: accounts.restsUntil,
    counts: accounts.counts,
    pausedUntil,
  };
}

/** A device's last attempts within 24 hours, at most ten, newest first; undefined if they did not come in time. */
export type History = (
  address: MacAddress,
  person: string,
  withinMs: number,
) => Promise<readonly Attempt[] | undefined>;

type HistoryOptions = Pick<SessionCallOptions, 'upstream' | 'macForm' | 'now'> & {
  accounts: Pick<Accounts, 'ask'>;
  /** The address to ask, which answered a session call; undefined: none did. */
  answeredBy(): URL | undefined;
  /** Told each time that the call is left alone for an hour. */
  onOff(): void;
};

/** A call that an answer can do without: shares accounts and places with other calls, and has no breaker. */
export function createHistory(options: HistoryOptions): History {
  const { upstream, macForm, accounts, answeredBy, now, onOff } = options;
  let state = UNTRIED;

  function note(asked: Asked<Attempts>): void {
    const end = endOf(asked);
    const { offUntil } = state;
    if (end !== undefined) state = endCall(state, end, now());
    if (state.offUntil !== offUntil) onOff();
  }

  return async (address, person, withinMs) => {
    if (now() < state.offUntil) return undefined;
    const until = now() + withinMs;
    const path = attemptsPath(address, macForm);
    const asking = accounts.ask<Attempts>({
      key: path,
      person,
      judge: ({ kind }) => (kind === 'read' ? 'accepted' : kind === 'refused' ? kind : 'unknown'),
      async call(authorization) {
        const base = answeredBy();
        if (base === undefined || now() >= until) return { kind: 'not asked' }; // Nobody waits for the answer.
        return readAnswer(await get(upstream, base, path, authorization));
      },
    });
    if (!(await endsWithin(asking.then(note), withinMs))) return undefined;
    const asked = await asking;
    return asked.kind === 'asked' && asked.outcome.kind === 'read' ? asked.outcome.attempts : undefined;
  };
}

type Attempts =
  | { kind: 'read'; attempts: readonly Attempt[] }
  /** 401: the credentials are not accepted. `not known`: 404. `failed`: any other answer, or none. */
  | { kind: 'refused' | 'not known' | 'failed' | 'not asked' };

const ROOT = 'authStatusOutputList';
const isComplete = completeTest(ROOT);

/** A page can come with 200, so the root element is checked before anything is read. */
function readAnswer(wire: HttpOutcome): Attempts {
  if (wire.kind !== 'answered') return { kind: 'failed' };
  const { status, text } = wire;
  if (status === 401) return { kind: 'refused' };
  if (status === 404) return { kind: 'not known' };
  const isRead = status === 200 && rootElement(text) === ROOT && isComplete(text);
  return isRead ? { kind: 'read', attempts: readAttempts(text) } : { kind: 'failed' };
}

/** Undefined: nothing is known of the call. A person's refused account says nothing of it. */
function endOf(asked: Asked<Attempts>): CallEnd | undefined {
  if (asked.kind !== 'asked') return undefined;
  const { kind } = asked.outcome;
  if (kind === 'refused') return asked.whose === 'service' ? 'failed' : undefined;
  if (kind === 'not asked') return undefined;
  return kind === 'read' ? 'well' : kind;
}
