/** Runs work that takes the processor, one piece at a time. */
export type Pacer = <Result>(work: () => Result) => Promise<Result>;

/**
 * Between two pieces, everything else has the processor for as long as the last one took.
 * @param steady a clock that is never set back (milliseconds)
 */
export function createPacer(steady: () => number): Pacer {
  let free: Promise<void> = Promise.resolve();
  return async (work) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const before = free;
    free = promise;
    await before;
    const begunAt = steady();
    try {
      return work();
    } finally {
      setTimeout(resolve, steady() - begunAt);
    }
  };
}
