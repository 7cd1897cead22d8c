/** The most calls that wait for a slot. The limits per minute keep the number well below. */
const MAX_WAITING = 5000;

/** A call that has a slot, or waits for one. `persons`: in whose turns it may start. `started`: undefined if it did not wait. */
export type Slot = {
  isStarted: boolean;
  isOptional: boolean;
  persons: Set<string>;
  started: Promise<void> | undefined;
  start(): void;
};

/** The slots that wait, by person. */
type Queues = Map<string, Slot[]>;

/**
 * Bounds the calls in flight, because the NAC is slow and fragile. Questions start before optional calls. Those that wait start
 * in turn by person, so that many calls of one person never hold up another's; each person's start in the order asked.
 */
export class Slots {
  readonly #limit: number;
  readonly #questions: Queues = new Map();
  readonly #optional: Queues = new Map();
  #running = 0;
  #waiting = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /**
   * Asks for a slot; undefined if too many calls wait. The call may begin once `started` has resolved, if it is a promise. A
   * call that has begun must release its slot.
   */
  request(person: string, isOptional = false): Slot | undefined {
    const persons = new Set<string>();
    if (this.#running < this.#limit) {
      this.#running++;
      return { isStarted: true, isOptional, persons, started: undefined, start() {} };
    }
    if (this.#waiting >= MAX_WAITING) return undefined;
    this.#waiting++;
    const { promise: started, resolve: start } = Promise.withResolvers<void>();
    const slot = { isStarted: false, isOptional, persons, started, start };
    this.join(slot, person);
    return slot;
  }

  /** Lets a waiting call start in this person's turn too, if that comes first. */
  join(slot: Slot, person: string): void {
    if (slot.isStarted || slot.persons.has(person)) return;
    slot.persons.add(person);
    const queues = slot.isOptional ? this.#optional : this.#questions;
    const queue = queues.get(person);
    if (queue) queue.push(slot);
    else queues.set(person, [slot]);
  }

  release(): void {
    const next = takeNext(this.#questions) ?? takeNext(this.#optional);
    if (next === undefined) {
      this.#running--;
      return;
    }
    this.#waiting--;
    next.isStarted = true;
    next.start();
  }

  /** Makes a call in its turn; undefined if too many calls wait. Throws what the call throws. */
  async run<T>(person: string, call: () => Promise<T>): Promise<T | undefined> {
    const slot = this.request(person);
    if (slot === undefined) return undefined;
    await slot.started;
    try {
      return await call();
    } finally {
      this.release();
    }
  }

  hasFree(): boolean {
    return this.#running < this.#limit;
  }

  counts() {
    return { running: this.#running, waiting: this.#waiting };
  }
}

/** Takes the next call in turn. A call that another person's turn has started costs nobody a turn. */
function takeNext(queues: Queues): Slot | undefined {
  for (const [person, queue] of queues) {
    const next = queue.findIndex(({ isStarted }) => !isStarted);
    const rest = next === -1 ? [] : queue.slice(next + 1);
    queues.delete(person);
    if (rest.length > 0) queues.set(person, rest); // Behind everyone else who waits.
    if (next !== -1) return queue[next];
  }
  return undefined;
}
