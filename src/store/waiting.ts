import { setTimeout as delay } from 'node:timers/promises';
import { endsWithin } from '../domain/timing.ts';
import { StoreClosedError } from './faults.ts';

/** The task's result. A task that takes longer goes on, but nobody waits for it. @throws StoreClosedError then */
export async function within<Result>(ms: number, task: Promise<Result>, otherwise: string): Promise<Result> {
  if (await endsWithin(task, ms)) return task;
  throw new StoreClosedError(otherwise);
}

/** Waits, but no longer than until the signal. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal, ref: false }).catch(() => {}); // Nothing but the signal rejects it.
}

/** Runs a task now, and again each time after a pause, until the signal. Resolves when the last run has ended. */
export async function repeat(
  everyMs: number,
  task: () => Promise<void>,
  { onError, signal }: { onError(error: unknown): void; signal: AbortSignal },
): Promise<void> {
  while (!signal.aborted) {
    await task().catch((error: unknown) => {
      if (!signal.aborted) onError(error);
    });
    await pause(everyMs, signal);
  }
}
