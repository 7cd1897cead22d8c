/**
 * A circuit breaker: keeps calls from a failing system. It opens for everybody, or for one asker who alone asks for what fails.
 * Every time is in milliseconds of the steady clock.
 */
export type Breaker = Readonly<{
  /** The failures since the last answer, the oldest first. */
  failures: readonly Failure[];
  /** By asker; undefined: everybody. */
  pauses: ReadonlyMap<Asker, Pause>;
}>;

/** Undefined for a call that nobody asked for just now. Its failures count for no asker. */
type Asker = string | undefined;
/** `failed`: no answer about this device; the system may be well for others. `unreachable`: no connection. */
export type CallHealth = 'answered' | 'failed' | 'unreachable';
type Question = { asker: Asker; device: string };
type Failure = Question & { health: Exclude<CallHealth, 'answered'> };
/** `isProbed`: a call is in flight that decides how the pause goes on. */
type Pause = { ms: number; until: number; isProbed: boolean };

/** Whether a call may be made. A probe goes alone, after a pause. `until`: when to ask again. */
export type Admission =
  | { kind: 'go' }
  | { kind: 'probe'; of: Asker }
  | { kind: 'paused'; until: number; isForAll: boolean };

export const CLOSED: Breaker = { failures: [], pauses: new Map() };
/** So many failures begin a pause. */
const FAILURES = 5;
/** Fewer devices, or one asker, may be at fault themselves. */
const DEVICES = 3;
const ASKERS = 2;
const FIRST_PAUSE_MS = 5000;
const MAX_PAUSE_MS = 300_000;
/** More failures come without a pause only if many ask for the same few devices. */
const MAX_FAILURES = 100;

/** Whether an asker's call may be made, and the state with it. */
export function admit(breaker: Breaker, asker: Asker, at: number): [Breaker, Admission] {
  let admitted: [Breaker, Admission] = [breaker, { kind: 'go' }];
  for (const paused of [asker, undefined]) {
    const pause = breaker.pauses.get(paused);
    if (pause === undefined) continue;
    const until = pause.isProbed ? at + pause.ms : pause.until;
    if (at < until) return [breaker, { kind: 'paused', until, isForAll: paused === undefined }];
    admitted = [withPause(breaker, paused, { ...pause, isProbed: true }), { kind: 'probe', of: paused }];
  }
  return admitted;
}

/**
 * The state after a call. Any answer ends all pauses and counts. A pause begins after five failures: for everybody, if each
 * found no connection, or at least three devices and two askers are among them; else for the asker of five. `failed` counts
 * once a device. A probe that fails doubles the pause. If its device had failed before, the pause keeps its length, and the
 * next call is the probe.
 * @param health undefined if the call threw
 */
export function end(
  breaker: Breaker,
  admission: Exclude<Admission, { kind: 'paused' }>,
  { asker, device }: Question,
  health: CallHealth | undefined,
  at: number,
): Breaker {
  if (health === 'answered') return CLOSED;
  const failure = health && { asker, device, health };
  const isLike = (one: Failure) => one.asker === asker && one.device === device && one.health === 'failed';
  const isNew = failure && !(health === 'failed' && breaker.failures.some(isLike));
  const isCounted = isNew && (asker !== undefined || health === 'unreachable');
  const failures = isCounted ? [...breaker.failures, failure].slice(-MAX_FAILURES) : breaker.failures;
  const noted = { ...breaker, failures };
  if (admission.kind === 'probe') {
    const pause = breaker.pauses.get(admission.of);
    if (pause === undefined) return noted; // An answer ended it meanwhile.
    const next = isNew ? pauseFrom(at, pause.ms * 2) : { ...pause, isProbed: false };
    return withPause(noted, admission.of, next);
  }
  const isPaused = breaker.pauses.has(undefined) || breaker.pauses.has(asker);
  if (!isCounted || isPaused) return breaker; // A pause began during the call.
  const own = failures.filter((each) => each.asker === asker);
  const isForAll = countFailures(failures, true) >= FAILURES;
  if (!isForAll && countFailures(own, false) < FAILURES) return noted;
  return withPause(noted, isForAll ? undefined : asker, pauseFrom(at, FIRST_PAUSE_MS));
}

function pauseFrom(at: number, doubledMs: number): Pause {
  const ms = Math.min(doubledMs, MAX_PAUSE_MS);
  return { ms, until: at + ms, isProbed: false };
}

const withPause = (breaker: Breaker, of: Asker, pause: Pause): Breaker => ({
  ...breaker,
  pauses: new Map(breaker.pauses).set(of, pause),
});

function countFailures(failures: readonly Failure[], isForAll: boolean): number {
  const failed = failures.filter(({ health }) => health === 'failed');
  const devices = new Set(failed.map(({ device }) => device));
  const askers = new Set(failed.map(({ asker }) => asker));
  const isEnough = !isForAll || (devices.size >= DEVICES && askers.size >= ASKERS);
  return failures.length - failed.length + (isEnough ? devices.size : 0);
}
