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
  const waiting = new Map<string, Array<() => void>>();
  let running = 0;
  let waitingTasks = 0;

  function startNext(): void {
    const [next] = waiting;
    if (next === undefined || running >= limit) return;
    const [person, queue] = next;
    waiting.delete(person);
    const start = queue.shift();
    if (queue.length > 0) waiting.set(person, queue); // Behind everyone else who waits.
    running++;
    waitingTasks--;
    start?.();
  }

  async function take<T>(person: string, task: () => Promise<T>): Promise<T> {
    waitingTasks++;
    const place = new Promise<void>((resolve) => {
      const queue = waiting.get(person);
      if (queue) queue.push(resolve);
      else waiting.set(person, [resolve]);
    });
    startNext();
    await place;
    try {
      return await task();
    } finally {
      running--;
      startNext();
    }
  }

  return { take, counts: () => ({ running, waiting: waitingTasks }) };
}
