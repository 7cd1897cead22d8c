import { createLookup } from '../../dialogs/commands/lookup.ts';
import type { Dialog } from '../../dialogs/dialog.ts';

/** A lookup dialog for tests in which it must not ask the NAC. */
export function idleLookup(): Dialog {
  const never = () => Promise.reject(new Error('not asked here'));
  return createLookup({
    lookUp: never,
    kept: { keepForLater: never, handOver: never, answerIn: never, goOn: async () => {} },
    report: { make: never },
    limits: { take: () => 0, waitFor: () => 0 },
    now: Date.now,
  });
}
