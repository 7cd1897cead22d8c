/** How much may be asked in a minute, by one person, in one conversation, and of the whole process. */
export type Limits = {
  /** Takes one message of a person, whatever it says; gives how long to wait (milliseconds), else 0. */
  takeMessage(person: string): number;
  /** Takes part of what a person may ask; gives how long to wait (milliseconds) where it is too much, else 0. */
  take(who: Asker, addresses: number): number;
  /** Gives back what was taken for nothing. */
  giveBack(who: Asker, addresses: number): void;
};

export type Asker = { person: string; conversation: string };

export type LimitsOptions = {
  /** How many addresses a minute; a person's is at least what one message may hold. */
  perPerson: number;
  perConversation: number;
  overall: number;
};

/** How many addresses one person may ask for in a minute. */
export const PERSON_ADDRESSES = 30;
const PERSON_MESSAGES = 120;

/** How many addresses alerts may bring in a minute; together, since they have no persons. */
const ALERT_ADDRESSES = 600;

/** No NAC answers faster than this; more than its places can take in a minute would only wait in line. */
const FASTEST_ANSWER_MS = 1;

/** The limits for a NAC that is asked so many things at once. One conversation can take half of what there is. */
export function limitsFor(concurrency: number): LimitsOptions {
  const overall = (60_000 / FASTEST_ANSWER_MS) * concurrency;
  return { perPerson: PERSON_ADDRESSES, perConversation: overall / 2, overall };
}

/** What alerts may ask for in a minute, all together. */
export function createAlertLimit(now: () => number): (addresses: number) => number {
  const limit = createLimit(ALERT_ADDRESSES, now);
  return (addresses) => limit.take('alerts', addresses);
}

/** Counts in minutes that begin with the first address; what is refused does not count. */
export function createLimits(
  { perPerson, perConversation, overall }: LimitsOptions,
  now: () => number,
): Limits {
  const messages = createLimit(PERSON_MESSAGES, now);
  const persons = createLimit(perPerson, now);
  const conversations = createLimit(perConversation, now);
  const everyone = createLimit(overall, now);

  return {
    takeMessage: (person) => messages.take(person, 1),
    giveBack({ person, conversation }, addresses) {
      persons.giveBack(person, addresses);
      conversations.giveBack(conversation, addresses);
      everyone.giveBack('all', addresses);
    },
    take({ person, conversation }, addresses) {
      const waitMs = Math.max(
        persons.waitMs(person, addresses),
        conversations.waitMs(conversation, addresses),
        everyone.waitMs('all', addresses),
      );
      if (waitMs > 0) return waitMs;
      persons.take(person, addresses);
      conversations.take(conversation, addresses);
      everyone.take('all', addresses);
      return 0;
    },
  };
}

type Limit = {
  /** How long to wait (milliseconds) until so much may be taken; 0 where it may be now. */
  waitMs(key: string, amount: number): number;
  /** Takes it where it may be taken now; gives {@link waitMs}. */
  take(key: string, amount: number): number;
  giveBack(key: string, amount: number): void;
};

const MINUTE_MS = 60_000;

/** So much a minute for each key. */
function createLimit(most: number, now: () => number): Limit {
  /** In the order in which they end, for all last as long. */
  const minutes = new Map<string, { taken: number; end: number }>();

  function present(key: string, at: number): { taken: number; end: number } | undefined {
    for (const [each, { end }] of minutes) {
      if (end > at) break;
      minutes.delete(each);
    }
    return minutes.get(key);
  }

  function waitMs(key: string, amount: number): number {
    const at = now();
    const minute = present(key, at);
    return minute && minute.taken + amount > most ? minute.end - at : 0;
  }

  return {
    waitMs,
    take(key, amount) {
      const wait = waitMs(key, amount);
      if (wait > 0) return wait;
      const minute = minutes.get(key);
      if (minute) minute.taken += amount;
      else minutes.set(key, { taken: amount, end: now() + MINUTE_MS });
      return 0;
    },
    giveBack(key, amount) {
      const minute = present(key, now());
      if (minute) minute.taken = Math.max(0, minute.taken - amount);
    },
  };
}
