import { type FailureReasons, readFailureReasons } from '../domain/failure-reasons.ts';
import { endsWithin } from '../domain/timing.ts';
import { failureReasonsPath } from './paths.ts';
import { createSisterCall, type SisterOptions } from './sister-call.ts';

/** Returns the NAC's failure reasons; undefined if they are not known in time. */
export type Catalogue = (person: string, withinMs: number) => Promise<FailureReasons | undefined>;

const KEPT_MS = 24 * 3_600_000;
/** The call goes on when its first asker waits no longer. */
const CALL_MS = 10_000;

/** Fetches the catalogue when it is first needed, and keeps it for a day; an old one stays until a new one has come. */
export function createCatalogue(options: SisterOptions, onLeft: () => void): Catalogue {
  const { now } = options;
  const call = createSisterCall(options, { root: 'failureReasonList', read: readFailureReasons }, onLeft);
  let kept: { reasons: FailureReasons; until: number } | undefined;
  let fetching: Promise<void> | undefined;

  async function fetch(person: string): Promise<void> {
    const reasons = await call(failureReasonsPath(), person, CALL_MS);
    if (reasons) kept = { reasons, until: now() + KEPT_MS };
  }

  return async (person, withinMs) => {
    if (kept && now() < kept.until) return kept.reasons;
    fetching ??= fetch(person).finally(() => {
      fetching = undefined;
    });
    await endsWithin(fetching, withinMs);
    return kept?.reasons;
  };
}
