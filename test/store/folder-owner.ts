import { createStore } from '../../src/store/store.ts';
import { createAutoreplies } from '../../src/store/tables.ts';

/** A process that has the folder of an embedded database, until it is killed. */
const store = await createStore(
  { directory: process.env.FOLDER ?? '' },
  {
    onError(error) {
      throw error;
    },
    clock: Date.now,
    onLost() {},
    onBack() {},
    onLastingFault() {},
    onOpen: async () => [],
  },
);
await createAutoreplies(store).turnOn('of the one that was killed');
process.stdout.write('open\n');
setInterval(() => {}, 60_000);
