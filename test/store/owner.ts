import { lastingFaultOf } from '../../src/store/faults.ts';
import { lockFolder } from '../../src/store/sqlite.ts';

const kept: unknown[] = [];

/** A process that tries to claim each folder named to it, reports the result, and keeps its claims until it is killed. */
process.on('message', (folder: string) => {
  try {
    kept.push(lockFolder(folder));
    process.send?.('got');
  } catch (error) {
    if (lastingFaultOf(error) !== 'folder in use') throw error;
    process.send?.('in use');
  }
});
