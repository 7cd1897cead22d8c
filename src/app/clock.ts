/** What asks for the time. Only `systemClock` reads the machine's clocks; all else is handed one. */
export type Clock = {
  /** The wall clock: milliseconds since 1970. An operator can set it back. */
  now: () => number;
  /** Milliseconds since 1970 by a clock that is never set back: for pauses, which a set wall clock would stretch or end. */
  steady: () => number;
};

export const systemClock: Clock = {
  now: Date.now,
  steady: () => performance.timeOrigin + performance.now(),
};
