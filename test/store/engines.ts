import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi } from 'vitest';
import { systemClock } from '../../src/app/clock.ts';
import type { Work, Worker } from '../../src/domain/jobs.ts';
import { Secret } from '../../src/domain/secret.ts';
import type { DatabaseSettings } from '../../src/store/connection.ts';
import { createStore, type Store, type StoreOptions } from '../../src/store/store.ts';
import { type PostgresServer, startPostgres } from './postgres.ts';

/** One of the two databases; everything above the store is the same for both. */
export type Engine = {
  /** A new, empty database. */
  database(): Promise<DatabaseSettings>;
  /** The server, if there is one. */
  server: PostgresServer | undefined;
  close(): Promise<void>;
};

export const ENGINES: ReadonlyArray<readonly [name: string, start: () => Promise<Engine>]> = [
  ['the embedded database', startEmbedded],
  ['a Postgres server', startServer],
];

async function startEmbedded(): Promise<Engine> {
  const directories: string[] = [];
  return {
    async database() {
      const directory = await mkdtemp(join(tmpdir(), 'store-'));
      directories.push(directory);
      return { directory };
    },
    server: undefined,
    async close() {
      await Promise.all(directories.map((each) => rm(each, { recursive: true, force: true })));
    },
  };
}

async function startServer(): Promise<Engine> {
  const server = await startPostgres();
  let count = 0;
  return {
    async database() {
      count += 1;
      return { url: new Secret(await server.createDatabase(`store_${count}`)) };
    },
    server,
    close: () => server.close(),
  };
}

export type TestStore = Store & {
  errors: unknown[];
  /** What the store told of outages. */
  outages: string[];
};

/** A store on a database, with the errors that it reported. It begins to work with the first call. */
export async function openStore(
  database: DatabaseSettings,
  {
    onOpen = async () => [],
    clock = systemClock.steady,
  }: Partial<Pick<StoreOptions, 'onOpen' | 'clock'>> = {},
): Promise<TestStore> {
  const errors: unknown[] = [];
  const outages: string[] = [];
  const store = await createStore(database, {
    onError: (error) => errors.push(error),
    onLost: (reason) => outages.push(`lost: ${reason}`),
    onBack: () => outages.push('back'),
    onLastingFault: ({ fault }) => outages.push(fault),
    onOpen,
    clock,
  });
  return { ...store, errors, outages };
}

/** Opens a store, and waits until it is open. */
export async function opened(store: Store): Promise<void> {
  store.open();
  await vi.waitFor(
    async () => {
      const state = store.state();
      if (state !== 'ok') throw new Error(`the database is ${state}`);
    },
    { timeout: 20_000, interval: 20 },
  );
}

/** A clock that a test sets. */
export type TestClock = { now: number; apply(): Promise<void> };

/** Opens a store whose `now_ms` a test sets: in the process, or on the server. */
export async function openWithClock(
  database: DatabaseSettings,
): Promise<{ store: TestStore; clock: TestClock }> {
  const clock = { now: 1_000_000, apply: async () => {} };
  const store = await openStore(database, { clock: () => clock.now });
  await opened(store);
  if ('url' in database) {
    await store.query('create table public.test_clock (ms bigint)');
    await store.query('insert into public.test_clock values (1000000)');
    await store.query(
      `create or replace function nac_lookup_bot.now_ms() returns bigint language sql stable
       as $$ select ms from public.test_clock $$`,
    );
    clock.apply = async () => void (await store.query('update public.test_clock set ms = $1', [clock.now]));
  }
  return { store, clock };
}

/** A worker that tells nobody of its dead jobs. */
export function workerOf<Data>(work: Work<Data>): Worker<Data> {
  return { work, onDead: async () => {} };
}
