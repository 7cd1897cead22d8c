import { FolderInUseError, lockFolder } from '../../src/store/lock.ts';

const kept: unknown[] = [];

/** A process that tries to claim each folder that it is told of, says how that went, and keeps what it got. */
process.on('message', async (folder: string) => {
  try {
    kept.push(await lockFolder(folder));
    process.send?.('got');
  } catch (error) {
    if (!(error instanceof FolderInUseError)) throw error;
    process.send?.('in use');
  }
});
