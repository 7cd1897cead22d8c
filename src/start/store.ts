import type { Logger } from 'pino';
import type { DatabaseSettings } from '../store/connection.ts';
import { createStore, type Store } from '../store/store.ts';
import type { Workers } from '../store/workers.ts';
import { backgroundFaults, endUnstarted } from './fault.ts';

const WORDS = {
  lost: 'the database is away: quick lookups go on; alerts are refused, and nothing is kept for later, until it is back',
};

/** Starts the workers of all queues. */
type StartWorkers = () => readonly Workers[];

/** A store that is about to open. */
export type Opening = {
  store: Store;
  /** Sets what starts the workers when the database is open. Opening waits for this call. */
  employ(start: StartWorkers): void;
};

/**
 * Makes the store. Ends the process if a server's database will not open however long the bot waits.
 * @param onOpened called once, when the database is open
 * @throws FolderInUseError, LastingFaultError, an error of the file system
 */
export async function openStore(
  settings: DatabaseSettings,
  log: Logger,
  onOpened: () => void,
): Promise<Opening> {
  const { promise: employed, resolve: employ } = Promise.withResolvers<StartWorkers>();
  const store = await createStore(settings, {
    onError: backgroundFaults(log),
    onLost: (reason) => log.error({ reason }, WORDS.lost),
    onBack: (awayMs) => log.info({ awayMs: Math.round(awayMs) }, 'the database is back'),
    onLastingFault: endUnstarted,
    async onOpen() {
      const start = await employed;
      const workers = start();
      log.info('database open');
      onOpened();
      return workers;
    },
  });
  return { store, employ };
}
