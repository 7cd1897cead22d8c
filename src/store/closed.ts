import { statfs } from 'node:fs/promises';

/** The database has not been opened yet, cannot be, has ended, or does not answer. */
export class StoreClosedError extends Error {
  override readonly name = 'StoreClosedError';
}

/** The task's result. A task that takes longer goes on, but nobody waits for it. @throws StoreClosedError then */
export async function within<Result>(ms: number, task: Promise<Result>, otherwise: string): Promise<Result> {
  const { promise: tooLong, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new StoreClosedError(otherwise)), ms);
  try {
    return await Promise.race([task, tooLong]);
  } finally {
    clearTimeout(timer);
  }
}

/** The error with the free space of a folder's disk: a full one is the usual cause, and mostly the database cannot say so. */
export async function withSpace(error: unknown, folder: string): Promise<StoreClosedError> {
  const why = error instanceof Error ? error.message : String(error);
  const space = await statfs(folder).then(
    ({ bavail, bsize }) => `${Math.floor((bavail * bsize) / 1_000_000)} MB of its disk are free`,
    (fault: Error) => `its folder cannot be looked at: ${fault.message}`,
  );
  return new StoreClosedError(`${why} (${space})`, { cause: error });
}
