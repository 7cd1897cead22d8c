import type { Value } from '../../src/store/dialect.ts';
import { createStore } from '../../src/store/store.ts';

export type Order = { id: number; sql?: string; values?: Value[] };
export type Report = { id: number; rows?: unknown[]; error?: string; state: string };

/** A process with an embedded database that runs the statements it is told to, and says how each went. */
const store = await createStore(
  { directory: process.env.FOLDER ?? '' },
  { onError() {}, clock: Date.now, onLost() {}, onBack() {}, onLastingFault() {}, onOpen: async () => [] },
);
store.open();

process.on('message', async ({ id, sql, values = [] }: Order) => {
  const report = (message: Pick<Report, 'rows' | 'error'>) =>
    process.send?.({ id, state: store.state(), ...message });
  try {
    report({ rows: sql === undefined ? [] : await store.query(sql, values) });
  } catch (error) {
    report({ error: String(error) });
  }
});
