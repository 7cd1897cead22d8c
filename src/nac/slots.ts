/** The most calls that wait for a slot. The limits per minute keep the number well below. */
const MAX_WAITING = 5000;

/** A call that has a slot, or waits for one. `persons`: in whose turns it may start. */
export type Slot = { isStarted: boolean; persons: Set<string>; isOptional: boolean; start(): void };

/**
 * Bounds the calls in flight, because the NAC is slow and fragile. Questions start before optional calls. Those that wait start
 * in turn by person, so that many calls of one person never hold up another's; each person's start in the order asked.
 */
export function createSlots(limit: number) {
  const questions = new Map<string, Slot[]>();
  const optional = new Map<string, Slot[]>();
  let running = 0;
  let waiting = 0;

  /** Lets a waiting call start in this person's turn too, if that comes first. */
  function join(slot: Slot, person: string): void {
    if (slot.isStarted || slot.persons.has(person)) return;
    slot.persons.add(person);
    const queues = slot.isOptional ? optional : questions;
    const queue = queues.get(person);
    if (queue) queue.push(slot);
    else queues.set(person, [slot]);
  }

  const slots = {
    join,
    /**
     * Asks for a slot; undefined if too many calls wait. The call may begin once `started` has resolved; undefined: at once.
     * A call that has begun must release its slot.
     */
    request(
      person: string,
      isOptional = false,
    ): { slot: Slot; started: Promise<void> | undefined } | undefined {
      const slot: Slot = { isStarted: true, persons: new Set(), isOptional, start() {} };
      if (running < limit) {
        running++;
        return { slot, started: undefined };
      }
      if (waiting >= MAX_WAITING) return undefined;
      waiting++;
      slot.isStarted = false;
      const started = new Promise<void>((resolve) => {
        slot.start = resolve;
      });
      join(slot, person);
      return { slot, started };
    },
    release(): void {
      const next = takeNext(questions) ?? takeNext(optional);
      if (next === undefined) {
        running--;
        return;
      }
      waiting--;
      next.isStarted = true;
      next.start();
    },
    /** Makes a call in its turn; undefined if too many calls wait. Throws what the call throws. */
    async run<T>(person: string, call: () => Promise<T>): Promise<T | undefined> {
      const requested = slots.request(person);
      if (requested === undefined) return undefined;
      await requested.started;
      try {
        return await call();
      } finally {
        slots.release();
      }
    },
    hasFree: () => running < limit,
    counts: () => ({ running, waiting }),
  };
  return slots;
}

/** Takes the next call in turn. A call that another person's turn has started costs nobody a turn. */
function takeNext(queues: Map<string, Slot[]>): Slot | undefined {
  for (const [person, queue] of queues) {
    const next = queue.findIndex(({ isStarted }) => !isStarted);
    const rest = next === -1 ? [] : queue.slice(next + 1);
    queues.delete(person);
    if (rest.length > 0) queues.set(person, rest); // Behind everyone else who waits.
    if (next !== -1) return queue[next];
  }
  return undefined;
}
