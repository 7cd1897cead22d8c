/**
 * A circuit breaker: keeps calls from a failing system. A failing system pauses for everybody, and whoever asks only for what
 * fails is paused alone. Pure: every time is handed in, in milliseconds of a clock that is never set back.
 */
export type Breaker = {
  /** The failures since the last answer, the oldest first. */
  readonly failures: readonly Failure[];
  /** How often a pause has begun. Calls that began before the latest one do not count when they fail. */
  readonly openings: number;
  /** In force until an answer comes. */
  readonly everybody: Pause | undefined;
  readonly askers: ReadonlyMap<string, Pause>;
};

/** `ailing`: no answer about this subject; the system may be well for others. `down`: no connection. */
export type Health = 'well' | 'ailing' | 'down';

/** Who asked, and about what. */
export type Question = { asker: string; subject: string };

type Failure = Question & { health: 'ailing' | 'down' };
type Pause = { ms: number; until: number; isProbed: boolean };

/** What a call may do. A probe goes alone, after a pause, for everybody or for its asker. */
export type Admission =
  | { kind: 'go' }
  | { kind: 'probe'; of: 'everybody' | 'asker' }
  /** @property until when to ask again */
  | { kind: 'paused'; until: number; isForAll: boolean };

/** A call's end. `health` is undefined if the call threw: it says nothing of the system. */
export type Ended = Question & {
  at: number;
  admission: Admission;
  health: Health | undefined;
  /** {@link Breaker.openings} when the call began. */
  openings: number;
};

export const CLOSED: Breaker = { failures: [], openings: 0, everybody: undefined, askers: new Map() };

/** So many failures begin a pause. */
const FAILURES = 5;
/** Fewer subjects, or one asker, may be at fault themselves. */
const SUBJECTS = 3;
const ASKERS = 2;

const FIRST_PAUSE_MS = 5000;
const LONGEST_PAUSE_MS = 300_000;

/** More failures come without a pause only if many ask for the same few subjects. */
const REMEMBERED = 100;

/** Whether an asker's call may be made at a time. Tell a call that is made by {@link begin} and {@link end}. */
export function admit({ everybody, askers }: Breaker, asker: string, at: number): Admission {
  const own = askers.get(asker);
  const alone: Admission = own ? admitAfter(own, 'asker', at) : { kind: 'go' };
  return everybody && alone.kind !== 'paused' ? admitAfter(everybody, 'everybody', at) : alone;
}

function admitAfter({ ms, until, isProbed }: Pause, of: 'everybody' | 'asker', at: number): Admission {
  const isForAll = of === 'everybody';
  if (at < until) return { kind: 'paused', until, isForAll };
  return isProbed ? { kind: 'paused', until: at + ms, isForAll } : { kind: 'probe', of };
}

/** The state while an admitted call is made. */
export function begin(breaker: Breaker, asker: string, admission: Admission): Breaker {
  return admission.kind === 'probe'
    ? changePause(breaker, admission.of, asker, (pause) => ({ ...pause, isProbed: true }))
    : breaker;
}

/**
 * The state after a call. Any answer ends all pauses and counts. A pause begins after five failures: for everybody, if each
 * found no connection, or at least three subjects and two askers are among them; else for the asker of five. `ailing` counts
 * once a subject. A probe that fails doubles the pause; one about a subject that failed before leaves the question to the next.
 */
export function end(breaker: Breaker, ended: Ended): Breaker {
  const { asker, subject, at, admission, health, openings } = ended;
  if (health === 'well') return answered(breaker);
  if (admission.kind === 'probe') {
    const isNews = health === 'down' || (health === 'ailing' && !knows(breaker, ended));
    const noted = isNews ? note(breaker, { asker, subject, health }) : breaker;
    return changePause(noted, admission.of, asker, ({ ms, until }) =>
      isNews ? pauseFrom(at, ms * 2) : { ms, until, isProbed: false },
    );
  }
  if (health === undefined || openings !== breaker.openings) return breaker;
  const noted = note(breaker, { asker, subject, health });
  if (weigh(noted.failures, { isShared: true }) >= FAILURES)
    return { ...noted, openings: openings + 1, everybody: pauseFrom(at, FIRST_PAUSE_MS) };
  const own = noted.failures.filter((each) => each.asker === asker);
  if (weigh(own, { isShared: false }) < FAILURES) return noted;
  const askers = new Map(noted.askers).set(asker, pauseFrom(at, FIRST_PAUSE_MS));
  return { ...noted, openings: openings + 1, askers };
}

function answered(breaker: Breaker): Breaker {
  const { failures, everybody, askers, openings } = breaker;
  const isClosed = failures.length === 0 && everybody === undefined && askers.size === 0;
  return isClosed ? breaker : { ...CLOSED, openings };
}

function pauseFrom(at: number, wishedMs: number): Pause {
  const ms = Math.min(wishedMs, LONGEST_PAUSE_MS);
  return { ms, until: at + ms, isProbed: false };
}

/** A pause that an answer has ended meanwhile stays ended. */
function changePause(
  breaker: Breaker,
  of: 'everybody' | 'asker',
  asker: string,
  change: (pause: Pause) => Pause,
): Breaker {
  const { everybody, askers } = breaker;
  if (of === 'everybody') return { ...breaker, everybody: everybody && change(everybody) };
  const own = askers.get(asker);
  return own ? { ...breaker, askers: new Map(askers).set(asker, change(own)) } : breaker;
}

function knows({ failures }: Breaker, { asker, subject }: Question): boolean {
  return failures.some(
    (each) => each.asker === asker && each.subject === subject && each.health === 'ailing',
  );
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
