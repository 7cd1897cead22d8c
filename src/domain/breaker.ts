import type { Paused } from './outcome.ts';

/**
 * A circuit breaker: keeps calls from a failing system. It opens for everybody, or for one asker whose devices alone fail.
 * Every time is in milliseconds of the steady clock.
 */
export type Breaker = Readonly<{
  /** The calls that failed since the last answer, the oldest first. */
  failures: readonly Call[];
  /** By asker; undefined: everybody. */
  pauses: ReadonlyMap<Asker, Pause>;
}>;

/** Undefined for a call that nobody asked for just now. Its failures count for no asker. */
type Asker = string | undefined;
/** `failed`: no answer about this device; the system may be well for others. `unreachable`: no connection. */
export type CallHealth = 'answered' | 'failed' | 'unreachable';
type Call = { asker: Asker; device: string; health: CallHealth };
/** `until`: infinite while a probe is in flight, the call that decides how the pause goes on. */
type Pause = { ms: number; until: number };
/** A call may be made: alone, if it is the probe after a pause. */
type Admitted = { kind: 'go' } | { kind: 'probe'; of: Asker };

export const CLOSED: Breaker = { failures: [], pauses: new Map() };
const FAILURES = 5;
/** Fewer devices, or one asker, may be at fault themselves. */
const DEVICES = 3;
const ASKERS = 2;
const FIRST_PAUSE_MS = 5000;
const MAX_PAUSE_MS = 300_000;
/** More failures come without a pause only if many ask for the same few devices. */
const MAX_FAILURES = 100;

/** Whether an asker's call may be made, and the state with it. */
export function admit(breaker: Breaker, asker: Asker, at: number): [Breaker, Admitted | Paused] {
  let admitted: [Breaker, Admitted] = [breaker, { kind: 'go' }];
  for (const paused of [asker, undefined]) {
    const pause = breaker.pauses.get(paused);
    if (pause === undefined) continue;
    const until = Math.min(pause.until, at + pause.ms);
    if (at < until) return [breaker, { kind: 'paused', until, isForAll: paused === undefined }];
    const probed = { ...pause, until: Number.POSITIVE_INFINITY };
    admitted = [withPause(breaker, paused, probed), { kind: 'probe', of: paused }];
  }
  return admitted;
}

/**
 * The state after a call. Any answer ends all pauses and counts. A pause begins after five failures: for everybody, if each
 * found no connection, or at least three devices and two askers are among them; else for the asker of five. `failed` counts
 * once a device. A probe that fails doubles the pause. If its device had failed before, the pause keeps its length, and the
 * next call is the probe.
 */
export function end(breaker: Breaker, admitted: Admitted, call: Call, at: number): Breaker {
  const { asker, device, health } = call;
  if (health === 'answered') return CLOSED;
  const isSame = (one: Call) => one.asker === asker && one.device === device && one.health === 'failed';
  const isNew = health === 'unreachable' || !breaker.failures.some(isSame);
  const isCounted = isNew && (asker !== undefined || health === 'unreachable');
  const failures = isCounted ? [...breaker.failures, call].slice(-MAX_FAILURES) : breaker.failures;
  const noted = { ...breaker, failures };
  if (admitted.kind === 'probe') {
    const pause = breaker.pauses.get(admitted.of);
    if (pause === undefined) return noted; // An answer ended it meanwhile.
    const ms = isNew ? Math.min(pause.ms * 2, MAX_PAUSE_MS) : pause.ms;
    return withPause(noted, admitted.of, { ms, until: isNew ? at + ms : at });
  }
  if (breaker.pauses.has(undefined) || breaker.pauses.has(asker)) return breaker; // It began during the call.
  const own = failures.filter((each) => each.asker === asker);
  const isForAll = isDown(failures);
  if (!isForAll && own.length < FAILURES) return noted;
  const pause = { ms: FIRST_PAUSE_MS, until: at + FIRST_PAUSE_MS };
  return withPause(noted, isForAll ? undefined : asker, pause);
}

function withPause({ failures, pauses }: Breaker, of: Asker, pause: Pause): Breaker {
  return { failures, pauses: new Map(pauses).set(of, pause) };
}

function isDown(failures: readonly Call[]): boolean {
  const failed = failures.filter(({ health }) => health === 'failed');
  const devices = new Set(failed.map(({ device }) => device)).size;
  const askers = new Set(failed.map(({ asker }) => asker)).size;
  const counted = devices >= DEVICES && askers >= ASKERS ? devices : 0;
  return failures.length - failed.length + counted >= FAILURES;
}
