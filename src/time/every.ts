import { setTimeout as delay } from 'node:timers/promises';

/** Something that is done again and again. */
export type Repeated = {
  /** Ends it, once what is under way is done. */
  stop(): Promise<void>;
};

/**
 * Does a task now, and again each time so long after it ended; `onError` is told of its failures until it is stopped.
 * @param everyMs the pause, where the task does not give a shorter one itself (milliseconds)
 */
export function repeat(
  everyMs: number,
  task: () => Promise<number | undefined>,
  onError: (error: unknown) => void,
): Repeated {
  const stopping = new AbortController();
  const { signal } = stopping;

  async function run(): Promise<void> {
    while (!signal.aborted) {
      let pauseMs: number | undefined;
      try {
        pauseMs = await task();
      } catch (error) {
        if (!signal.aborted) onError(error);
      }
      await delay(pauseMs ?? everyMs, undefined, { signal, ref: false }).catch(() => {});
    }
  }

  const running = run();
  return {
    stop() {
      stopping.abort();
      return running;
    },
  };
}
