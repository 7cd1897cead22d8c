import { storable } from '../text/storable.ts';
import type { Store } from './store.ts';

/** Where people installed the bot for themselves. `Place` is what the front end needs to find the chat again, as plain data. */
export type StoredChats<Place> = {
  save(person: string, place: Place): Promise<void>;
  find(person: string): Promise<Place | undefined>;
  remove(person: string): Promise<void>;
};

/** @param parse reads a row; undefined if the row no longer fits: it then counts as not there */
export function createStoredChats<Place>(
  store: Pick<Store, 'query'>,
  parse: (data: unknown) => Place | undefined,
): StoredChats<Place> {
  return {
    async save(person, place) {
      await store.query(
        `insert into bot.personal_chat (person, place) values ($1, $2)
         on conflict (person) do update set place = excluded.place`,
        [person, JSON.stringify(storable(place))],
      );
    },
    async find(person) {
      const [row] = await store.query<{ place: unknown }>(
        'select place from bot.personal_chat where person = $1',
        [person],
      );
      return row && parse(row.place);
    },
    async remove(person) {
      await store.query('delete from bot.personal_chat where person = $1', [person]);
    },
  };
}
