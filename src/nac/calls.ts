import type { GuardedAccount } from '../domain/lockout.ts';
import type { Busy, NotTried } from '../domain/outcome.ts';
import type { Account } from '../domain/secret.ts';
import { settlesWithin } from '../domain/timing.ts';

type CallRequest<T> = {
  /** Calls for the same in flight are shared, if their account is the same too. */
  subject: string;
  person: string;
  guard: GuardedAccount;
  /** The kind of its outcome is the verdict on the account. */
  call(account: Account): Promise<T>;
};

/** The answer to a call that an answer can do without. */
export type OptionalAnswer<T> = { kind: 'read'; value: T } | { kind: 'refused' | 'failed' };

export const BUSY: Busy = { kind: 'busy' };
/** The longest that an answer waits for an optional call (milliseconds). */
export const OPTIONAL_MS = 2500;

/** The calls to a system, which share its slots. */
export class Calls {
  readonly slots: Slots;
  readonly #inFlight = new Map<string, { slot: Slot; outcome: Promise<unknown> }>();

  constructor(concurrency: number) {
    this.slots = new Slots(concurrency);
  }

  /** Makes a call in its turn, or joins an equal one in flight. A shared call has the best of its askers' turns. */
  callOrShare<T extends { kind: string }>(
    request: CallRequest<T>,
    isOptional = false,
  ): Promise<T | NotTried | Busy> {
    const { subject, person, guard } = request;
    const { first } = guard;
    const { username, password } = guard.account;
    const key = `${subject} ${username} ${password.reveal()}`;
    const shared = this.#inFlight.get(key);
    if (shared) {
      if (!isOptional) shared.slot.people.push(person);
      return shared.outcome as Promise<T | NotTried>;
    }
    if (first?.call) return first.call.then(() => this.callOrShare(request, isOptional));
    const slot = this.slots.request(isOptional ? [] : [person]);
    if (slot === undefined) return Promise.resolve(BUSY);
    const outcome = this.#perform(key, slot, request);
    this.#inFlight.set(key, { slot, outcome });
    const end = () => void delete first?.call;
    if (first) first.call = outcome.then(end, end);
    return outcome;
  }

  /** Makes a call behind all questions. Undefined if it failed, or did not end in time: then it need not begin any more. */
  async optional<T>({ call, ...request }: CallRequest<OptionalAnswer<T>>): Promise<T | undefined> {
    let isLate = false;
    const inTime = async (account: Account) => (isLate ? BUSY : call(account));
    const asking = this.callOrShare({ ...request, call: inTime }, true);
    isLate = !(await settlesWithin(asking, OPTIONAL_MS));
    const answer = isLate ? BUSY : await asking;
    return answer.kind === 'read' ? answer.value : undefined;
  }

  /** Waits for the slot, then calls. The guard comes behind the slot: a call that waited must not follow a refused call. */
  async #perform<T extends { kind: string }>(key: string, slot: Slot, { guard, call }: CallRequest<T>) {
    await slot.promise;
    try {
      return await guard.run(call);
    } finally {
      this.slots.release();
      this.#inFlight.delete(key);
    }
  }
}

/** The most calls that wait for a slot. The limits per minute keep the number well below. */
const MAX_WAITING = 5000;

/** A call that has a slot, or waits for one. `people`: its askers; an optional call has none. */
type Slot = { people: string[] } & PromiseWithResolvers<void>;

/**
 * Bounds the calls in flight, because the NAC is slow and fragile. The next call is that of the person whose last start was longest
 * ago, so that many of one person never hold up another's. Optional calls start behind all of them.
 */
export class Slots {
  readonly #limit: number;
  readonly #waiting: Slot[] = [];
  /** The number of each person's last start. */
  readonly #starts = new Map<string, number>();
  #count = 0;
  #running = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Asks for a slot; undefined if too many calls wait. Once its promise has resolved, the call may begin, and must release it. */
  request(people: string[]): Slot | undefined {
    if (this.#waiting.length >= MAX_WAITING) return undefined;
    const slot: Slot = { people, ...Promise.withResolvers() };
    this.#waiting.push(slot);
    this.#startNext();
    return slot;
  }

  release(): void {
    this.#running--;
    this.#startNext();
  }

  #startNext(): void {
    if (this.#running >= this.#limit) return;
    const numberOf = (person: string) => this.#starts.get(person) ?? 0;
    const numbers = this.#waiting.map(({ people }) => Math.min(...people.map(numberOf)));
    const [slot] = this.#waiting.splice(numbers.indexOf(Math.min(...numbers)), 1);
    if (slot === undefined) {
      this.#starts.clear();
      return;
    }
    this.#running++;
    this.#count++;
    for (const person of slot.people) this.#starts.set(person, this.#count);
    slot.resolve();
  }

  counts() {
    return { running: this.#running, waiting: this.#waiting.length };
  }
}
