/** Places for tasks, taken in turn. */
export type Turns = {
  /** Runs a task when a place is free; `person` is whose turn it takes. */
  take<T>(person: string, task: () => Promise<T>): Promise<T>;
  counts(): { running: number; waiting: number };
};

/**
 * At most `limit` tasks at once. Those that wait go one by one in turn of persons, so that one person's many never
 * stand before another's one; within a person, in order of asking.
 */
export function createTurns(limit: number): Turns {
  const queues = new Map<string, Array<() => void>>();
  let running = 0;
  let waiting = 0;

  /** Ends when a place was handed over. */
  function wait(person: string): Promise<void> {
    waiting++;
    return new Promise((start) => {
      const queue = queues.get(person);
      if (queue) queue.push(start);
      else queues.set(person, [start]);
    });
  }

  /** Gives a place to whoever is next. */
  function handOver(): void {
    const [next] = queues;
    if (next === undefined) {
      running--;
      return;
    }
    const [person, queue] = next;
    queues.delete(person);
    const start = queue.shift();
    if (queue.length > 0) queues.set(person, queue); // Behind everyone else who waits.
    waiting--;
    start?.();
  }

  async function take<T>(person: string, task: () => Promise<T>): Promise<T> {
    if (running < limit) running++;
    else await wait(person);
    try {
      return await task();
    } finally {
      handOver();
    }
  }

  return { take, counts: () => ({ running, waiting }) };
}
