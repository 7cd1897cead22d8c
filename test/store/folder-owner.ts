import { createStore } from '../../src/store/store.ts';
import { createAutoreplies } from '../../src/store/tables.ts';

/** A process that has the folder of an embedded database, until it is killed. */
const { promise: opened, resolve: setOpened } = Promise.withResolvers<void>();
const store = await createStore(
  { directory: process.env.FOLDER ?? '' },
  {
    onError(error) {
      throw error;
    },
    async onOpen() {
      setOpened();
      return [];
    },
  },
);
store.open();
process.stdout.write('claimed\n');
await opened; // A call waits 2 s for that; a busy machine takes longer.
await createAutoreplies(store).turnOn('of the one that was killed');
process.stdout.write('open\n');
