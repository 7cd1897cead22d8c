/** Places for tasks, handed out in turn. */
export type Turns = {
  /** Runs a task when a place is free. @param person who asked; persons take turns */
  take<T>(person: string, task: () => Promise<T>): Promise<T>;
  counts(): { running: number; waiting: number };
};

/**
 * Runs at most `limit` tasks at once. Waiting tasks start round robin by person, so one person's many tasks never block
 * another's. Each person's tasks start in the order asked.
 */
export function createTurns(limit: number): Turns {
  const queues = new Map<string, Array<() => void>>();
  let running = 0;
  let waiting = 0;

  /** Resolves when a place was handed over. */
  function wait(person: string): Promise<void> {
    waiting++;
    return new Promise((start) => {
      const queue = queues.get(person);
      if (queue) queue.push(start);
      else queues.set(person, [start]);
    });
  }

  /** Hands the place to the next person who waits. */
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
