import { type CallEnd, endCall, UNTRIED } from '../domain/breaker.ts';
import type { Judgement } from '../domain/lockout.ts';
import type { MacAddress, MacForm } from '../domain/mac-address.ts';
import { type Attempt, readAttempts } from '../domain/record.ts';
import { endsWithin } from '../domain/timing.ts';
import { completeTest, rootElement } from '../domain/xml.ts';
import type { HttpOutcome, Upstream } from '../http.ts';
import type { Accounts, Asked } from './accounts.ts';
import { attemptsPath, get } from './get.ts';

/** The longest that a call for attempts may take (milliseconds). */
export const HISTORY_MS = 2500;

/**
 * Asks the NAC for a device's last attempts within 24 hours, at most ten, newest first.
 * @returns undefined if they did not come in time, or not at all
 */
export type History = (
  address: MacAddress,
  person: string,
  withinMs: number,
) => Promise<readonly Attempt[] | undefined>;

export type HistoryOptions = {
  upstream: Upstream;
  macForm: MacForm;
  accounts: Pick<Accounts, 'asker'>;
  /** The address to ask, which answered a session call; undefined: none did. */
  answeredBy(): URL | undefined;
  now: () => number;
  /** Told each time that the call is left alone for an hour. */
  onOff(): void;
};

/** An optional call: shares the accounts and the places of the session call, and has no breaker. */
export function createHistory(options: HistoryOptions): History {
  const { upstream, macForm, accounts, answeredBy, now, onOff } = options;
  const ask = accounts.asker(judge);
  let call = UNTRIED;

  function note(asked: Asked<Outcome>): void {
    const end = endOf(asked);
    if (end === undefined) return;
    const before = call.offUntil;
    call = endCall(call, end, now());
    if (call.offUntil !== before) onOff();
  }

  return async (address, person, withinMs) => {
    if (now() < call.offUntil) return undefined;
    const path = attemptsPath(address, macForm);
    const until = now() + withinMs;
    const asking = ask(path, person, async (authorization) => {
      const base = answeredBy();
      if (base === undefined || now() >= until) return { kind: 'not asked' }; // Nobody waits for the answer any more.
      return readOutcome(await get(upstream, base, path, authorization));
    });
    const noted = asking.then(note);
    if (!(await endsWithin(noted, withinMs))) return undefined;
    const asked = await asking;
    return asked.kind === 'asked' && asked.outcome.kind === 'read' ? asked.outcome.attempts : undefined;
  };
}

type Outcome =
  | { kind: 'read'; attempts: readonly Attempt[] }
  /** 401: the credentials are not accepted. `not known`: 404. `failed`: any other answer, or none. */
  | { kind: 'refused' | 'not known' | 'failed' | 'not asked' };

const ROOT = 'authStatusOutputList';
const isComplete = completeTest(ROOT);

/** A page can come with 200, so the root element is checked before anything is read. */
function readOutcome(wire: HttpOutcome): Outcome {
  if (wire.kind !== 'answered') return { kind: 'failed' };
  const { status, text } = wire;
  if (status === 401) return { kind: 'refused' };
  if (status === 404) return { kind: 'not known' };
  if (status !== 200 || rootElement(text) !== ROOT || !isComplete(text)) return { kind: 'failed' };
  return { kind: 'read', attempts: readAttempts(text) };
}

function judge({ kind }: Outcome): Judgement {
  if (kind === 'refused') return 'refused';
  return kind === 'read' ? 'accepted' : 'unknown';
}

/** Undefined: nothing is known of the call. A person's refused account says nothing of it. */
function endOf(asked: Asked<Outcome>): CallEnd | undefined {
  if (asked.kind !== 'asked') return undefined;
  const { kind } = asked.outcome;
  if (kind === 'refused') return asked.whose === 'service' ? 'failed' : undefined;
  if (kind === 'not asked') return undefined;
  return kind === 'read' ? 'well' : kind;
}
