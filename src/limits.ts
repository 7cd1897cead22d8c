import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';

/** How much may be asked in a minute, by one person, in one conversation, and of the whole process. */
export type Limits = {
  /** Takes one message of a person, whatever it says; gives how long to wait (milliseconds), else 0. */
  takeMessage(person: string): Promise<number>;
  /** Takes part of what a person may ask; gives how long to wait (milliseconds) where it is too much, else 0. */
  take(who: Asker, addresses: number): Promise<number>;
  /** Gives back what was taken for nothing. */
  giveBack(who: Asker, addresses: number): Promise<void>;
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
export function createAlertLimit(): (addresses: number) => Promise<number> {
  const limiter = new RateLimiterMemory({ points: ALERT_ADDRESSES, duration: 60 });
  return (addresses) => waitMs(limiter, 'alerts', addresses);
}

/** Counts in minutes that begin with the first address; what is refused does not count. */
export function createLimits({ perPerson, perConversation, overall }: LimitsOptions): Limits {
  const limiterOf = (points: number) => new RateLimiterMemory({ points, duration: 60 });
  const messages = limiterOf(PERSON_MESSAGES);
  const persons = limiterOf(perPerson);
  const conversations = limiterOf(perConversation);
  const everyone = limiterOf(overall);

  const limitersFor = ({ person, conversation }: Asker) =>
    [
      [persons, person],
      [conversations, conversation],
      [everyone, 'all'],
    ] as const;

  async function giveBack(who: Asker, addresses: number): Promise<void> {
    for (const [limiter, key] of limitersFor(who)) await limiter.reward(key, addresses);
  }

  return {
    takeMessage: (person) => waitMs(messages, person, 1),
    giveBack,
    async take(who, addresses) {
      const taken: Array<readonly [RateLimiterMemory, string]> = [];
      for (const [limiter, key] of limitersFor(who)) {
        taken.push([limiter, key]);
        const wait = await waitMs(limiter, key, addresses);
        if (wait === 0) continue;
        for (const [each, of] of taken) await each.reward(of, addresses);
        return wait;
      }
      return 0;
    },
  };
}

async function waitMs(limiter: RateLimiterMemory, key: string, points: number): Promise<number> {
  try {
    await limiter.consume(key, points);
    return 0;
  } catch (refused) {
    if (!(refused instanceof RateLimiterRes)) throw refused;
    return Math.max(1, refused.msBeforeNext);
  }
}
