import { type Asker, type Limits, PERSON_ADDRESSES } from '../../dialogs/dialog.ts';

export type LimitsOptions = {
  /** How many addresses a minute; a person's is at least what one message may hold. */
  perPerson: number;
  perConversation: number;
  overall: number;
};

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
  const take = createLimit(ALERT_ADDRESSES, now);
  return (addresses) => take('alerts', addresses);
}

/** Counts in minutes that begin when someone first asks; what is refused does not count. */
export function createLimits(
  { perPerson, perConversation, overall }: LimitsOptions,
  now: () => number,
): Limits {
  const takeMessages = createLimit(PERSON_MESSAGES, now);
  const minuteOfPerson = createMinutes();
  const minuteOfConversation = createMinutes();
  const minuteOfAll = createMinutes();

  const allowancesOf = ({ person, conversation }: Asker, at: number): Allowance[] => [
    [minuteOfPerson(person, at), perPerson],
    [minuteOfConversation(conversation, at), perConversation],
    [minuteOfAll('all', at), overall],
  ];

  return {
    takeMessage: (person) => takeMessages(person, 1),
    take(who, addresses) {
      const at = now();
      return takeAll(allowancesOf(who, at), addresses, at);
    },
    giveBack(who, addresses) {
      for (const [minute] of allowancesOf(who, now())) minute.taken = Math.max(0, minute.taken - addresses);
    },
  };
}

/** Takes so much for a key, of what each key may have in a minute; gives how long to wait where it is too much, else 0. */
function createLimit(most: number, now: () => number): (key: string, amount: number) => number {
  const minuteOf = createMinutes();
  return (key, amount) => {
    const at = now();
    return takeAll([[minuteOf(key, at), most]], amount, at);
  };
}

/** What was taken of something in its present minute, and when that ends. */
type Minute = { taken: number; end: number };

/** A minute, and the most that may be taken in it. */
type Allowance = readonly [minute: Minute, most: number];

/** Takes from all of them or, where one does not have so much left, from none; gives how long to wait for that. */
function takeAll(allowances: readonly Allowance[], amount: number, at: number): number {
  let waitMs = 0;
  for (const [{ taken, end }, most] of allowances)
    if (taken + amount > most) waitMs = Math.max(waitMs, end - at);
  if (waitMs === 0) for (const [minute] of allowances) minute.taken += amount;
  return waitMs;
}

const MINUTE_MS = 60_000;

/** The present minute of each key, which begins when it is first asked for. */
function createMinutes(): (key: string, at: number) => Minute {
  const minutes = new Map<string, Minute>(); // In the order in which they end, for all last as long.
  let firstEnd = Number.POSITIVE_INFINITY;

  function forgetEnded(at: number): void {
    firstEnd = Number.POSITIVE_INFINITY;
    for (const [key, { end }] of minutes) {
      if (end > at) {
        firstEnd = end;
        break;
      }
      minutes.delete(key);
    }
  }

  return (key, at) => {
    if (at >= firstEnd) forgetEnded(at);
    const present = minutes.get(key);
    if (present) return present;
    const minute = { taken: 0, end: at + MINUTE_MS };
    minutes.set(key, minute);
    firstEnd = Math.min(firstEnd, minute.end);
    return minute;
  };
}
