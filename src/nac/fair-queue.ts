import type { Busy } from '../domain/outcome.ts';

/** The most calls that wait for a place. The limits per minute keep the number well below. */
const MOST_WAITING = 5000;

type Turn = { isStarted: boolean; persons: Set<string>; start(): void };

/**
 * Shields the NAC, which is slow and fragile: runs at most `limit` calls at once. Waiting calls start round robin by person,
 * so one person's many calls never block another's. Each person's calls start in the order asked.
 */
export function createFairQueue(limit: number) {
  // Not a Map: V8 links each table that a Map has outgrown to the next. Through these links, old outcomes survive every
  // garbage collection but the full ones.
  const inFlight: Record<string, { turn: Turn; result: Promise<unknown> }> = Object.create(null);
  const queues = new Map<string, Turn[]>();
  let running = 0;
  let waiting = 0;

  /** Lets a call start in this person's turn too, if that comes first. */
  function wait(turn: Turn, person: string): void {
    if (turn.isStarted || turn.persons.has(person)) return;
    turn.persons.add(person);
    const queue = queues.get(person);
    if (queue) queue.push(turn);
    else queues.set(person, [turn]);
  }

  function handOver(): void {
    const turn = takeNext(queues);
    if (turn === undefined) {
      running--;
      return;
    }
    turn.isStarted = true;
    waiting--;
    turn.start();
  }

  async function perform<T>(started: Promise<void> | undefined, call: () => Promise<T>): Promise<T> {
    if (started) await started;
    try {
      return await call();
    } finally {
      handOver();
    }
  }

  return {
    /**
     * Runs one call in its turn.
     * @param key the question and its credentials; equal keys in flight share one call, and so must have one type of outcome
     * @param person who asked. A shared call has the best of its askers' turns
     * @returns the call's outcome, or `busy` if too many wait already
     */
    run<T>(key: string, person: string, call: () => Promise<T>): Promise<T | Busy> {
      const shared = inFlight[key];
      if (shared) {
        wait(shared.turn, person);
        return shared.result as Promise<T>;
      }
      if (waiting >= MOST_WAITING) return Promise.resolve({ kind: 'busy' });
      const { promise: started, resolve: start } = Promise.withResolvers<void>();
      const turn: Turn = { isStarted: running < limit, persons: new Set(), start };
      if (turn.isStarted) running++;
      else waiting++;
      wait(turn, person);
      const result = perform(turn.isStarted ? undefined : started, call).finally(() => delete inFlight[key]);
      inFlight[key] = { turn, result };
      return result;
    },
    counts: () => ({ running, waiting }),
  };
}

/** Takes the next call in turn. A call that another person's turn has started costs nobody a turn. */
function takeNext(queues: Map<string, Turn[]>): Turn | undefined {
  for (const [person, queue] of queues) {
    const turn = queue.find(({ isStarted }) => !isStarted);
    const rest = turn ? queue.slice(queue.indexOf(turn) + 1) : [];
    queues.delete(person);
    if (rest.length > 0) queues.set(person, rest); // Behind everyone else who waits.
    if (turn) return turn;
  }
  return undefined;
}
