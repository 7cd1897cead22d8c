/**
 * The clocks, in milliseconds. The app hands them to every part. `now`: the wall clock since 1970, which an operator can set
 * back, for what people read. `steady`: since any moment and never set back, for pauses and durations.
 */
export type Clock = { now: () => number; steady: () => number };
/** Pauses that double from the first to the longest (milliseconds). */
export type Backoff = { firstMs: number; maxMs: number };

/** A room asked for it: the status of its answer, and the pause's end by the steady clock. */
export type Pause = { status: number; until: number };

/** How long the bot waits, in milliseconds. Tests shorten these times. */
export const TIMING = {
  /** From a message's arrival until its lookup becomes a job and its turn ends. The channel repeats after 10 to 15 s. */
  turnMs: 8000,
  /** From a message's arrival until the person sees that the lookup is in progress. */
  progressMs: 3000,
  /** How long an alert's first message waits for devices, and an edit of it for more of them. */
  alertFirstMs: 3000,
  /** The pauses between tries: of a lookup, of a post to the room, of a reply. */
  lookups: { firstMs: 2000, maxMs: 60_000 },
  posts: { firstMs: 2000, maxMs: 15 * 60_000 },
  replies: { firstMs: 1000, maxMs: 5 * 60_000 },
  /** The pause between two calls to the NAC for watched devices. */
  watchMs: 2000,
  /** How long a worker has a job without a sign of life. Others see a dead process's jobs after so long. */
  leaseMs: 12_000,
  /** The pauses between tries of a job whose work failed by a bug. */
  faults: { firstMs: 1000, maxMs: 60_000 },
  /** How long a stopping bot waits for turns and for jobs. Docker's `stop` kills after 10 s. */
  lastTurnsMs: 8500,
  lastJobsMs: 5000,
};

export type Timing = typeof TIMING;

/** The wait after failure `attempt` (from 0): doubling, and random by half, so that callers do not come back together. */
export function backoffMs(attempt: number, { firstMs, maxMs }: Backoff, random: number): number {
  const whole = Math.min(maxMs, firstMs * 2 ** Math.min(attempt, 30));
  return Math.round(whole * (0.5 + random / 2));
}

/** Whether a task ends within a time; the task goes on either way. Rejects if the task rejects in time. */
export async function settlesWithin(task: Promise<unknown>, ms: number): Promise<boolean> {
  const late = Promise.withResolvers<boolean>();
  const timer = setTimeout(late.resolve, Math.max(0, ms), false);
  try {
    return await Promise.race([task.then(() => true), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
