import { setTimeout as delay } from 'node:timers/promises';

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
      const pauseMs = await task().catch((error: unknown) => {
        if (!signal.aborted) onError(error);
        return undefined;
      });
      await pause(pauseMs ?? everyMs, signal);
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

/** Waits, but no longer than until the signal. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal, ref: false }).catch(() => {}); // Nothing but the signal rejects it.
}
