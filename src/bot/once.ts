import { createHash } from 'node:crypto';

/** Runs a task once for each key, however often it is asked: a repeat gets what its twin gets, or got. */
export type Once = <T>(key: string, task: () => Promise<T>) => Promise<T>;

const REMEMBERED_MS = 10 * 60_000;

/** The most that are remembered, in halves; beyond that the older half is forgotten before its time. */
const MOST_REMEMBERED = 50_000;

/** A longer one is remembered by its digest, for keys are foreign. */
const LONGEST_KEY = 256;

/** What most tasks give: one promise for all of them, since many are remembered. */
const NOTHING = Promise.resolve(undefined);

/**
 * A repeat joins its twin in flight, and is answered as its twin was for ten minutes after. A twin that failed is
 * forgotten at once, so that the repeat tries anew. What is old is forgotten in halves, which costs nothing by the way.
 */
export function createOnce(now: () => number): Once {
  const underWay = new Map<string, Promise<unknown>>();
  let past = new Map<string, Promise<unknown>>();
  let present = new Map<string, Promise<unknown>>();
  let since = now();

  function forgetOld(): void {
    if (now() - since < REMEMBERED_MS && present.size < MOST_REMEMBERED / 2) return;
    past = present;
    present = new Map();
    since = now();
  }

  return <T>(longKey: string, task: () => Promise<T>) => {
    forgetOld();
    const key = longKey.length > LONGEST_KEY ? digestOf(longKey) : longKey;
    const twin = underWay.get(key) ?? present.get(key) ?? past.get(key);
    if (twin) return twin as Promise<T>;
    const result = task();
    underWay.set(key, result);
    result.then(
      (value) => {
        underWay.delete(key);
        present.set(key, value === undefined ? NOTHING : result);
      },
      () => underWay.delete(key),
    );
    return result;
  };
}

function digestOf(key: string): string {
  return createHash('sha256').update(key).digest('base64url');
}
