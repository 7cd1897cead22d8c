import { createLookup, type LookupDialog } from '../../dialogs/commands/lookup.ts';

/** The lookup dialog for tests in which it must ask nobody. */
export function idleLookup(): LookupDialog {
  const never = () => Promise.reject(new Error('not asked here'));
  return createLookup({
    lookUp: never,
    deliver: never,
    jobs: { put: never, defer: never, settle: never },
    recent: { note: () => {} },
    limits: { take: () => 0, giveBack: () => {} },
    sayLater: never,
    replaceLater: never,
    turnMs: 8000,
    now: Date.now,
    onError: () => {},
  });
}
