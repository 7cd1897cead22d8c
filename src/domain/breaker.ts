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
type Failure = Question & { health: CallHealth };
/** `isProbed`: a call is in flight that decides how the pause goes on. */
type Pause = { ms: number; until: number; isProbed: boolean };

/** Whether a call may be made. A probe goes alone, after a pause. `until`: when to ask again. */
export type Admission =
  | { kind: 'go' }
  | { kind: 'probe'; of: Asker }
  | { kind: 'paused'; until: number; isForAll: boolean };

export const CLOSED: Breaker = { failures: [], pauses: new Map() };
const FAILURES = 5;
/** Fewer devices, or one asker, may be at fault themselves. */
const [DEVICES, ASKERS] = [3, 2];
const [FIRST_PAUSE_MS, MAX_PAUSE_MS] = [5000, 300_000];
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
 */
export function end(
  breaker: Breaker,
  admission: Exclude<Admission, { kind: 'paused' }>,
  { asker, device }: Question,
  health: CallHealth,
  at: number,
): Breaker {
  if (health === 'answered') return CLOSED;
  const isSame = (one: Failure) => one.asker === asker && one.device === device && one.health === 'failed';
  const isNew = health === 'unreachable' || !breaker.failures.some(isSame);
  const isCounted = isNew && (asker !== undefined || health === 'unreachable');
  const counted = isCounted ? [{ asker, device, health }] : [];
  const noted = { ...breaker, failures: [...breaker.failures, ...counted].slice(-MAX_FAILURES) };
  if (admission.kind === 'probe') {
    const pause = breaker.pauses.get(admission.of);
    if (pause === undefined) return noted; // An answer ended it meanwhile.
    if (isNew) return begin(noted, admission.of, at, pause.ms * 2);
    return withPause(noted, admission.of, { ...pause, isProbed: false });
  }
  if (breaker.pauses.has(undefined) || breaker.pauses.has(asker)) return breaker; // It began during the call.
  if (isDown(noted)) return begin(noted, undefined, at, FIRST_PAUSE_MS);
  const own = noted.failures.filter((each) => each.asker === asker);
  return own.length < FAILURES ? noted : begin(noted, asker, at, FIRST_PAUSE_MS);
}

function begin(breaker: Breaker, of: Asker, at: number, doubledMs: number): Breaker {
  const ms = Math.min(doubledMs, MAX_PAUSE_MS);
  return withPause(breaker, of, { ms, until: at + ms, isProbed: false });
}

function withPause({ failures, pauses }: Breaker, of: Asker, pause: Pause): Breaker {
  return { failures, pauses: new Map(pauses).set(of, pause) };
}

function isDown({ failures }: Breaker): boolean {
  const failed = failures.filter(({ health }) => health === 'failed');
  const devices = new Set(failed.map(({ device }) => device)).size;
  const askers = new Set(failed.map(({ asker }) => asker)).size;
  const counted = devices >= DEVICES && askers >= ASKERS ? devices : 0;
  return failures.length - failed.length + counted >= FAILURES;
}
