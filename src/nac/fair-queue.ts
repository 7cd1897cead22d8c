/** Places for tasks, handed out in turn. */
export type Turns = {
  /** Runs a task when a place is free. @param person who asked; persons take turns */
  take<T>(person: string, task: () => Promise<T>): Taken<T>;
  counts(): { running: number; waiting: number };
};

export type Taken<T> = {
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
