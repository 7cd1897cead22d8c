/** Whether a task ends within a time; the task goes on either way. Rejects if the task rejects in time. */
export async function endsWithin(task: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), Math.max(0, ms));
  });
  try {
    return await Promise.race([task.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Returns a task's value if the task ends within a time, else undefined; the task goes on. Rejects if it rejects in time. */
export async function valueWithin<T>(task: Promise<T>, ms: number): Promise<T | undefined> {
  return (await endsWithin(task, ms)) ? task : undefined;
}
