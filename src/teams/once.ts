import { createHash } from 'node:crypto';

/** A longer key is remembered by its digest, because keys are foreign. */
const LONGEST_KEY = 200;

/**
 * Runs a task once for each key: a repeat joins its twin in flight, and gets the same answer for so long after. A twin that
 * failed is forgotten at once, so the repeat tries anew.
 * @param most how many are remembered: beyond that, the oldest is forgotten
 */
export function createOnce(now: () => number, most: number, rememberedMs: number) {
  const known = new Map<string, { result: Promise<unknown>; until: number }>(); // The first to end stands first.

  function forgetOld(): void {
    for (const [key, { until }] of known) {
      if (until >= now() && known.size < most) return;
      known.delete(key);
    }
  }

  return <T>(longKey: string, task: () => Promise<T>): Promise<T> => {
    forgetOld();
    const key =
      longKey.length > LONGEST_KEY ? createHash('sha256').update(longKey).digest('base64url') : longKey;
    const twin = known.get(key);
    if (twin) return twin.result as Promise<T>;
    const result = task();
    const entry = { result, until: Number.POSITIVE_INFINITY };
    known.set(key, entry);
    const settle = (hasFailed: boolean) => {
      if (known.get(key) !== entry) return;
      known.delete(key);
      if (!hasFailed) known.set(key, { result, until: now() + rememberedMs });
    };
    result.then(
      () => settle(false),
      () => settle(true),
    );
    return result;
  };
}
