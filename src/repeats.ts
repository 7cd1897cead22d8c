import { createHash } from 'node:crypto';

/** Runs a task once for each key, however often it is asked: a repeat gets what its twin gets, or got. */
export type Once = <T>(key: string, task: () => Promise<T>) => Promise<T>;

/** Ten minutes, and what a turn that began before them may still take. */
const REMEMBERED_MS = 11 * 60_000;

/** The most that are remembered, in halves; beyond that the older half is forgotten before its time. */
const MOST_REMEMBERED = 50_000;

/** A longer one is remembered by its digest, for keys are foreign. */
const LONGEST_KEY = 256;

type Run = { result: Promise<unknown>; isUnderWay: boolean };

/**
 * A repeat joins its twin in flight, and is answered as its twin was for ten minutes after. A twin that failed is
 * forgotten at once, so that the repeat tries anew. What is old is forgotten in halves, which costs nothing by the way.
 */
export function createOnce(now: () => number): Once {
  let past = new Map<string, Run>();
  let present = new Map<string, Run>();
  let since = now();

  function forgetOld(): void {
    if (now() - since < REMEMBERED_MS && present.size < MOST_REMEMBERED / 2) return;
    const underWay = [...past].filter(([, run]) => run.isUnderWay);
    past = present;
    present = new Map(underWay);
    since = now();
  }

  return <T>(longKey: string, task: () => Promise<T>) => {
    forgetOld();
    const key = longKey.length > LONGEST_KEY ? digestOf(longKey) : longKey;
    const twin = present.get(key) ?? past.get(key);
    if (twin) return twin.result as Promise<T>;
    const result = task();
    const run: Run = { result, isUnderWay: true };
    present.set(key, run);
    result.then(
      () => {
        run.isUnderWay = false;
      },
      () => {
        for (const runs of [present, past]) if (runs.get(key) === run) runs.delete(key);
      },
    );
    return result;
  };
}

function digestOf(key: string): string {
  return createHash('sha256').update(key).digest('base64url');
}
