/**
 * The present in milliseconds since 1970, by a clock that is never set back: the wall clock at the process's start, and
 * the time since. For pauses, which a wall clock that is set would stretch or end.
 */
export function steadyNow(): number {
  return performance.timeOrigin + performance.now();
}
