import { type Limits, PERSON_ADDRESSES, PERSON_MESSAGES } from '../../dialogs/dialog.ts';

/** How many addresses all alerts together may bring in a minute; alerts have no persons. */
const ALERT_ADDRESSES = 600;

/**
 * What one person may ask for in a minute: 30 addresses, and 120 messages whatever they say.
 * @param onLimited called for each refusal
 */
export function createLimits(now: () => number, onLimited?: () => void): Limits {
  const messages = createLimit(PERSON_MESSAGES, now);
  const addresses = createLimit(PERSON_ADDRESSES, now);
  const counted = (waitMs: number) => {
    if (waitMs > 0) onLimited?.();
    return waitMs;
  };
  return {
    takeMessage: (person) => counted(messages.take(person, 1)),
    take: (person, amount) => counted(addresses.take(person, amount)),
    waitFor: addresses.waitFor,
  };
}

export function createAlertLimit(now: () => number): (addresses: number) => number {
  const limit = createLimit(ALERT_ADDRESSES, now);
  return (addresses) => limit.take('alerts', addresses);
}

const MINUTE_MS = 60_000;

/** So much for each key a minute. A key's minute begins with its first request; refusals do not count. */
function createLimit(most: number, now: () => number): Pick<Limits, 'take' | 'waitFor'> {
  const minutes = new Map<string, { taken: number; end: number }>(); // The first to end stands first.

  /** How long to wait for so much more in the key's minute. Takes it if that is possible now, unless only asked. */
  function ask(key: string, amount: number, isTaken: boolean): number {
    const at = now();
    for (const [each, { end }] of minutes) {
      if (end > at) break;
      minutes.delete(each);
    }
    const { taken, end } = minutes.get(key) ?? { taken: 0, end: at + MINUTE_MS };
    if (taken + amount > most) return end - at;
    if (isTaken) minutes.set(key, { taken: taken + amount, end });
    return 0;
  }

  return {
    take: (key, amount) => ask(key, amount, true),
    waitFor: (key, amount) => ask(key, amount, false),
  };
}
