import { createHash } from 'node:crypto';

/** Runs a task once for each key, however often it is asked: a repeat gets what its twin gets, or got. */
export type Once = <T>(key: string, task: () => Promise<T>) => Promise<T>;

const REMEMBERED_MS = 10 * 60_000;

/** The most that are remembered; beyond that the oldest that has ended is forgotten before its time. */
const MOST_REMEMBERED = 50_000;

/** A longer one is remembered by its digest. */
const LONGEST_KEY = 256;

/**
 * A repeat joins its twin in flight, and is answered as its twin was for ten minutes after. A twin that failed is
 * forgotten at once, so that the repeat tries anew.
 */
export function createOnce(now: () => number): Once {
  /** Keys are foreign, so they can be of any length. */
  const shortened = (key: string) =>
    key.length <= LONGEST_KEY ? key : createHash('sha256').update(key).digest('base64url');
  const runs = new Map<string, { result: Promise<unknown>; endedAt: number | undefined }>();

  /** Runs stand in order of their beginning, so the old ones come first. */
  function forgetOld(): void {
    for (const [key, { endedAt }] of runs) {
      if (endedAt === undefined) continue;
      if (now() - endedAt < REMEMBERED_MS && runs.size <= MOST_REMEMBERED) return;
      runs.delete(key);
    }
  }

  return <T>(longKey: string, task: () => Promise<T>) => {
    forgetOld();
    const key = shortened(longKey);
    const twin = runs.get(key);
    if (twin) return twin.result as Promise<T>;
    const run: { result: Promise<T>; endedAt: number | undefined } = { result: task(), endedAt: undefined };
    runs.set(key, run);
    run.result.then(
      () => {
        run.endedAt = now();
      },
      () => runs.delete(key),
    );
    return run.result;
  };
}
