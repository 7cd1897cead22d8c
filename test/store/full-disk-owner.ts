import { createStore } from '../../src/store/store.ts';

export type Order = { id: number; sql?: string };
export type Report = { id: number; rows?: unknown[]; error?: string };

/** A process with an embedded database that runs the statements it is told to, and says how each went. */
const store = await createStore(
  { directory: process.env.FOLDER ?? '' },
  { onError() {}, onOpen: async () => [] },
);
const report = (message: Report) => process.send?.(message);

process.on('message', async ({ id, sql }: Order) => {
  try {
    report({ id, rows: sql === undefined ? [] : await store.query(sql) });
  } catch (error) {
    report({ id, error: String(error) });
  }
});
