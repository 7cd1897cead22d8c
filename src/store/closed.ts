import { statfs } from 'node:fs/promises';
import { endsWithin } from '../time/within.ts';

/** The database is not open yet, cannot be opened, has ended, or does not answer. */
export class StoreClosedError extends Error {
  override readonly name = 'StoreClosedError';
}

/** The task's result. A task that takes longer goes on, but nobody waits for it. @throws StoreClosedError then */
export async function within<Result>(ms: number, task: Promise<Result>, otherwise: string): Promise<Result> {
  if (await endsWithin(task, ms)) return task;
  throw new StoreClosedError(otherwise);
}

/** The error with the free space of the folder's disk: a full disk is the usual cause, and the database rarely says so. */
export async function withSpace(error: unknown, folder: string): Promise<StoreClosedError> {
  const why = error instanceof Error ? error.message : String(error);
  const space = await statfs(folder).then(
    ({ bavail, bsize }) => `${Math.floor((bavail * bsize) / 1_000_000)} MB of its disk are free`,
    (fault: Error) => `its folder cannot be read: ${fault.message}`,
  );
  return new StoreClosedError(`${why} (${space})`, { cause: error });
}
