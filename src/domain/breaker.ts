/**
 * A circuit breaker: keeps calls from a failing system. A failing system pauses for everybody, and whoever asks only for what
 * fails is paused alone. Every time is in milliseconds of a clock that is never set back. `failures`: since the last answer,
 * the oldest first. `openings`: how often a pause has begun; calls that began before the latest do not count if they fail.
 */
export type Breaker = Readonly<{
  failures: readonly Failure[];
  openings: number;
  pauses: ReadonlyMap<Paused, Pause>;
}>;

type Paused = string | typeof EVERYBODY;
export const EVERYBODY = Symbol('everybody');
/** `ailing`: no answer about this subject; the system may be well for others. `down`: no connection. */
export type Health = 'well' | 'ailing' | 'down';
export type Question = { asker: string; subject: string };
type Failure = Question & { health: 'ailing' | 'down' };
type Pause = { ms: number; until: number; isProbed: boolean };

/** What a call may do. A probe goes alone, after a pause. `until`: when to ask again. */
export type Admission =
  | { kind: 'go' }
  | { kind: 'probe'; of: Paused }
  | { kind: 'paused'; until: number; isForAll: boolean };

/** A call's end. `health` is undefined if the call threw. `openings`: the breaker's when the call began. */
type Ended = Question & { at: number; admission: Admission; health: Health | undefined; openings: number };

export const CLOSED: Breaker = { failures: [], openings: 0, pauses: new Map() };
/** So many failures begin a pause. */
const FAILURES = 5;
/** Fewer subjects, or one asker, may be at fault themselves. */
const SUBJECTS = 3;
const ASKERS = 2;
const FIRST_PAUSE_MS = 5000;
const LONGEST_PAUSE_MS = 300_000;
/** More failures come without a pause only if many ask for the same few subjects. */
const REMEMBERED = 100;

/** Whether an asker's call may be made. Tell a call that is made by {@link begin} and {@link end}. */
export function admit(breaker: Breaker, asker: string, at: number): Admission {
  const alone = admitAfter(breaker, asker, at);
  const isShared = alone.kind !== 'paused' && breaker.pauses.has(EVERYBODY);
  return isShared ? admitAfter(breaker, EVERYBODY, at) : alone;
}

function admitAfter({ pauses }: Breaker, of: Paused, at: number): Admission {
  const pause = pauses.get(of);
  if (pause === undefined) return { kind: 'go' };
  const isForAll = of === EVERYBODY;
  if (at < pause.until) return { kind: 'paused', until: pause.until, isForAll };
  return pause.isProbed ? { kind: 'paused', until: at + pause.ms, isForAll } : { kind: 'probe', of };
}

export function begin(breaker: Breaker, admission: Admission): Breaker {
  if (admission.kind !== 'probe') return breaker;
  return changePause(breaker, admission.of, (pause) => ({ ...pause, isProbed: true }));
}

/**
 * The state after a call. Any answer ends all pauses and counts. A pause begins after five failures: for everybody, if each
 * found no connection, or at least three subjects and two askers are among them; else for the asker of five. `ailing` counts
 * once a subject. A probe that fails doubles the pause; one about a subject that failed before leaves the question to the next.
 */
export function end(breaker: Breaker, ended: Ended): Breaker {
  const { asker, subject, at, admission, health, openings } = ended;
  if (health === 'well') return { ...CLOSED, openings: breaker.openings };
  if (admission.kind === 'probe') {
    const isNew = health === 'down' || (health === 'ailing' && !knows(breaker, ended));
    const noted = isNew ? note(breaker, { asker, subject, health }) : breaker;
    return changePause(noted, admission.of, ({ ms, until }) =>
      isNew ? pauseFrom(at, ms * 2) : { ms, until, isProbed: false },
    );
  }
  if (health === undefined || openings !== breaker.openings) return breaker;
  const noted = note(breaker, { asker, subject, health });
  const own = noted.failures.filter((each) => each.asker === asker);
  const isForAll = weigh(noted.failures, { isShared: true }) >= FAILURES;
  if (!isForAll && weigh(own, { isShared: false }) < FAILURES) return noted;
  const pauses = new Map(noted.pauses).set(isForAll ? EVERYBODY : asker, pauseFrom(at, FIRST_PAUSE_MS));
  return { ...noted, openings: openings + 1, pauses };
}

function pauseFrom(at: number, wishedMs: number): Pause {
  const ms = Math.min(wishedMs, LONGEST_PAUSE_MS);
  return { ms, until: at + ms, isProbed: false };
}

/** A pause that an answer has ended meanwhile stays ended. */
function changePause(breaker: Breaker, of: Paused, change: (pause: Pause) => Pause): Breaker {
  const pause = breaker.pauses.get(of);
  return pause ? { ...breaker, pauses: new Map(breaker.pauses).set(of, change(pause)) } : breaker;
}

function knows({ failures }: Breaker, { asker, subject }: Question): boolean {
  return failures.some((one) => one.asker === asker && one.subject === subject && one.health === 'ailing');
}

function note(breaker: Breaker, failure: Failure): Breaker {
  if (failure.health === 'ailing' && knows(breaker, failure)) return breaker;
  return { ...breaker, failures: [...breaker.failures, failure].slice(-REMEMBERED) };
}

/** How many failures count. @param isShared whether subjects of one asker, or of a few, count for nothing */
function weigh(failures: readonly Failure[], { isShared }: { isShared: boolean }): number {
  const ailing = failures.filter(({ health }) => health === 'ailing');
  const subjects = new Set(ailing.map(({ subject }) => subject));
  const askers = new Set(ailing.map(({ asker }) => asker));
  const isEnough = !isShared || (subjects.size >= SUBJECTS && askers.size >= ASKERS);
  return failures.length - ailing.length + (isEnough ? subjects.size : 0);
}

/** A call that an answer can do without: left alone for an hour if it is not known, or fails three times in a row. */
export type OptionalCall = { readonly failures: number; readonly offUntil: number };
/** `not known`: the system does not have this call. */
export type CallEnd = 'well' | 'failed' | 'not known';
export const UNTRIED: OptionalCall = { failures: 0, offUntil: Number.NEGATIVE_INFINITY };

/** The state after a call. A call that began before the hour does not count in it. */
export function endCall(call: OptionalCall, end: CallEnd, at: number): OptionalCall {
  if (at < call.offUntil) return call;
  const failures = end === 'well' ? 0 : call.failures + 1;
  const isOff = end === 'not known' || failures >= 3;
  return isOff ? { failures: 0, offUntil: at + 3_600_000 } : { ...call, failures };
}
