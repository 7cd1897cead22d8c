import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';

/** Runs a task once for each key: a repeat gets what its twin gets, or got. @throws RepeatsFullError */
export type Once = <T>(key: string, task: () => Promise<T>) => Promise<T>;

/** So many keys of the last minutes are remembered that another task could not be told from a repeat. */
class RepeatsFullError extends Error {
  override readonly name = 'RepeatsFullError';
}

const REMEMBERED_MS = 10 * 60_000;

/** Keys of at most {@link LONGEST_KEY} characters: some 100 MB. No key is forgotten early, because its task would run again. */
const MOST_REMEMBERED = 500_000;

/** A longer key is remembered by its digest, because keys are foreign. */
const LONGEST_KEY = 200;

/** Characters of JSON. A forgotten result is made anew; what its task posted is not posted again. */
const MOST_RESULTS = 16_000_000;

/**
 * A repeat joins its twin in flight, and gets the same answer for ten minutes after. A twin that failed is forgotten at once,
 * so the repeat tries anew. Old keys are forgotten in halves, which costs a turn nothing.
 */
export function createOnce(now: () => number): Once {
  const underWay = new Map<string, Promise<unknown>>();
  const results = new LRUCache<string, object>({
    maxSize: MOST_RESULTS,
    sizeCalculation: (value) => JSON.stringify(value).length + 1,
  });
  /** Whether each key's task gave a result. */
  let past = new Map<string, boolean>();
  let present = new Map<string, boolean>();
  let since = now();

  function forgetOld(): void {
    if (now() - since < REMEMBERED_MS) return;
    past = present;
    present = new Map();
    since = now();
  }

  /** The answer that a key's task gave; undefined if the task has to run. */
  function remembered(key: string): Promise<unknown> | undefined {
    const hasResult = present.get(key) ?? past.get(key);
    if (hasResult === undefined) return undefined;
    const result = results.get(key);
    return hasResult && result === undefined ? undefined : Promise.resolve(result);
  }

  function remember(key: string, value: unknown): void {
    underWay.delete(key);
    const hasResult = typeof value === 'object' && value !== null;
    if (hasResult) results.set(key, value);
    present.set(key, hasResult);
  }

  return <T>(longKey: string, task: () => Promise<T>) => {
    forgetOld();
    const key = longKey.length > LONGEST_KEY ? digestOf(longKey) : longKey;
    const twin = underWay.get(key) ?? remembered(key);
    if (twin) return twin as Promise<T>;
    if (present.size + past.size >= MOST_REMEMBERED)
      return Promise.reject(new RepeatsFullError('too many messages in ten minutes'));
    const result = task();
    underWay.set(key, result);
    result.then(
      (value) => remember(key, value),
      () => underWay.delete(key),
    );
    return result;
  };
}

function digestOf(key: string): string {
  return createHash('sha256').update(key).digest('base64url');
}
