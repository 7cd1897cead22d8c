import { storable } from '../text/storable.ts';
import type { Store } from './store.ts';

/** Where alerts go, by name. `Place` is what the front end needs to find the conversation again, as plain data. */
export type Threads<Place> = {
  /** Gives a name to a place; a name that is in use moves to the new place. */
  save(name: string, place: Place): Promise<void>;
  find(name: string): Promise<Place | undefined>;
  /** All names, in order. */
  names(): Promise<string[]>;
  /** Returns false if no place had this name. */
  remove(name: string): Promise<boolean>;
};

/** @param parse reads a row; undefined if the row no longer fits: it then counts as not there */
export function createThreads<Place>(
  store: Pick<Store, 'query'>,
  parse: (data: unknown) => Place | undefined,
): Threads<Place> {
  return {
    async save(name, place) {
      await store.query(
        `insert into bot.thread (name, place) values ($1, $2)
         on conflict (name) do update set place = excluded.place, at = now()`,
        [name, JSON.stringify(storable(place))],
      );
    },
    async find(name) {
      if (storable(name) !== name) return undefined; // No thread can have this name, and Postgres would refuse the question.
      const [row] = await store.query<{ place: unknown }>('select place from bot.thread where name = $1', [
        name,
      ]);
      return row && parse(row.place);
    },
    async names() {
      const rows = await store.query<{ name: string }>('select name from bot.thread order by name');
      return rows.map(({ name }) => name);
    },
    async remove(name) {
      const rows = await store.query('delete from bot.thread where name = $1 returning name', [name]);
      return rows.length > 0;
    },
  };
}
