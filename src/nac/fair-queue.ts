import type { Busy } from '../domain/outcome.ts';

/** Places for tasks, handed out in turn. */
export type Turns = {
  /** Runs a task when a place is free. @param person who asked; persons take turns */
  take<T>(person: string, task: () => Promise<T>): Taken<T>;
  counts(): { running: number; waiting: number };
};

type Taken<T> = {
  result: Promise<T>;
  /** Lets the task start in this person's turn too, if that comes first. */
  share(person: string): void;
};

type Waiting = { isStarted: boolean; persons: Set<string>; start(): void };

/**
 * Runs at most `limit` tasks at once. Waiting tasks start round robin by person, so one person's many tasks never block
 * another's. Each person's tasks start in the order asked.
 */
export function createTurns(limit: number): Turns {
  const queues = new Map<string, Waiting[]>();
  let running = 0;
  let waiting = 0;

  function enqueue(person: string, task: Waiting): void {
    if (task.isStarted || task.persons.has(person)) return;
    task.persons.add(person);
    const queue = queues.get(person);
    if (queue) queue.push(task);
    else queues.set(person, [task]);
  }

  function handOver(): void {
    const task = takeNext(queues);
    if (task === undefined) {
      running--;
      return;
    }
    task.isStarted = true;
    waiting--;
    task.start();
  }

  function wait(person: string): { task: Waiting; started: Promise<void> } {
    const { promise: started, resolve: start } = Promise.withResolvers<void>();
    const task = { isStarted: false, persons: new Set<string>(), start };
    waiting++;
    enqueue(person, task);
    return { task, started };
  }

  async function run<T>(started: Promise<void> | undefined, task: () => Promise<T>): Promise<T> {
    if (started) await started;
    try {
      return await task();
    } finally {
      handOver();
    }
  }

  return {
    take(person, task) {
      if (running < limit) {
        running++;
        return { result: run(undefined, task), share() {} };
      }
      const place = wait(person);
      return { result: run(place.started, task), share: (other) => enqueue(other, place.task) };
    },
    counts: () => ({ running, waiting }),
  };
}

/** Takes the next task in turn. A task that another person's turn has started costs nobody a turn. */
function takeNext(queues: Map<string, Waiting[]>): Waiting | undefined {
  for (const [person, queue] of queues) {
    const task = queue.find(({ isStarted }) => !isStarted);
    const rest = task ? queue.slice(queue.indexOf(task) + 1) : [];
    queues.delete(person);
    if (rest.length > 0) queues.set(person, rest); // Behind everyone else who waits.
    if (task) return task;
  }
  return undefined;
}

/** The most calls that wait for a place. The limits per minute keep the number well below. */
const MOST_WAITING = 5000;

/**
 * Shields the NAC, which is slow and fragile: runs one call to the NAC in its turn.
 * @param key the question and its credentials; equal keys in flight share one call
 * @param person who asked. A shared call has the best of its askers' turns
 * @returns the call's outcome, or `busy` if too many wait already
 */
type Guard<T> = (key: string, person: string, call: () => Promise<T>) => Promise<T | Busy>;

/** @param turns the places for calls; guards of different questions can share them */
export function createGuard<T>(turns: Turns): Guard<T> {
  // Not a Map: V8 links each table that a Map has outgrown to the next. Through these links, old outcomes survive every
  // garbage collection but the full ones.
  const inFlight: Record<string, Taken<T>> = Object.create(null);

  return (key, person, call) => {
    const shared = inFlight[key];
    if (shared) {
      shared.share(person);
      return shared.result;
    }
    if (turns.counts().waiting >= MOST_WAITING) return Promise.resolve({ kind: 'busy' });
    const taken = turns.take(person, call);
    const result = taken.result.finally(() => delete inFlight[key]);
    inFlight[key] = { ...taken, result };
    return result;
  };
}
