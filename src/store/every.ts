import { setTimeout as delay } from 'node:timers/promises';

/** A task that runs again and again. */
export type Repeated = {
  /** Ends the repetition; resolves when the run in progress has ended. */
  stop(): Promise<void>;
};

/**
 * Runs a task now, and again each time after a pause. `onError` receives its failures until it is stopped.
 * @param everyMs the pause between runs, unless the task returns a shorter one itself (milliseconds)
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
