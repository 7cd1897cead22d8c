import type { SealedStore } from '../credentials/people.ts';
import type { Store } from './store.ts';

/** People's sealed credentials in the database, so that a restart or another replica need not ask again. */
export function createSealedCredentials(store: Pick<Store, 'query'>): SealedStore {
  return {
    async read(owner) {
      const [row] = await store.query<{ sealed: Uint8Array }>(
        'select sealed from bot.sealed_credential where owner = $1 and until > now()',
        [owner],
      );
      return row?.sealed;
    },
    async write(owner, sealed, until) {
      await store.query('delete from bot.sealed_credential where until <= now()');
      await store.query(
        `insert into bot.sealed_credential (owner, sealed, until) values ($1, $2, $3)
         on conflict (owner) do update set sealed = excluded.sealed, until = excluded.until`,
        [owner, sealed, new Date(until)],
      );
    },
    async reseal(owner, from, to) {
      await store.query('update bot.sealed_credential set sealed = $3 where owner = $1 and sealed = $2', [
        owner,
        from,
        to,
      ]);
    },
    async remove(owner) {
      await store.query('delete from bot.sealed_credential where owner = $1', [owner]);
    },
  };
}
