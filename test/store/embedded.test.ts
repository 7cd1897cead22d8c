import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { StoreClosedError } from '../../src/store/away.ts';
import { type Backend, openEmbedded } from '../../src/store/embedded.ts';

/** Keeps the database busy for ever, as a full disk does. */
const ENDLESS = 'do $$ begin loop null; end loop; end $$';

type Database = NonNullable<Backend['bossOptions']['db']>;

let folder: string;
let backend: Backend;
let database: Database;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'embedded-'));
  backend = await openEmbedded(folder);
  database = databaseOf(backend);
  await database.executeSql('create table note (id serial primary key, text text unique)');
});

afterEach(async () => {
  await backend.close().catch(() => {}); // Some tests have closed it, or left it unable to.
  await rm(folder, { recursive: true });
});

function databaseOf({ bossOptions: { db } }: Backend): Database {
  if (db === undefined) throw new Error('the backend has no database');
  return db;
}

async function notes(): Promise<unknown[]> {
  const { rows } = await database.executeSql('select text from note order by id');
  return rows.map(({ text }: { text: string }) => text);
}

const add = (text: string) => database.executeSql('insert into note (text) values ($1)', [text]);

describe('the embedded database', () => {
  it('runs statements in the order of the calls, each whole', async () => {
    const texts = Array.from({ length: 50 }, (_, index) => `note ${index}`);
    await Promise.all(texts.map(add));
    expect(await notes()).toEqual(texts);
  });

  it('takes and gives values of every kind', async () => {
    const at = new Date('2026-01-02T03:04:05.678Z');
    const bytes = Buffer.from([0, 255, 7]);
    const { rows } = await database.executeSql(
      'select $1::timestamptz at, $2::bytea bytes, $3::jsonb json, $4::text[] list, $5::bigint big, $6::text none',
      [at, bytes, { a: [1, 'ü'] }, ['x', 'y"'], '9007199254740993', null],
    );
    expect(rows).toEqual([
      {
        at,
        bytes: Uint8Array.from(bytes),
        json: { a: [1, 'ü'] },
        list: ['x', 'y"'],
        big: 9007199254740993n,
        none: null,
      },
    ]);
  });

  it('runs a string of statements as the one transaction that it is, and gives its rows', async () => {
    const { rows } = await database.executeSql(
      "begin; insert into note (text) values ('a') returning text; insert into note (text) values ('b'); commit;",
    );
    expect(rows).toEqual([{ text: 'a' }]);
    expect(await notes()).toEqual(['a', 'b']);
  });

  it('undoes a string of statements that fails, and says why', async () => {
    await add('there');
    const failing = database.executeSql(
      "begin; insert into note (text) values ('new'); insert into note (text) values ('there'); commit;",
    );
    const next = notes();
    await expect(failing).rejects.toMatchObject({ code: '23505' });
    expect(await next).toEqual(['there']);
  });

  it('refuses what cannot be sent to it, and goes on', async () => {
    await expect(database.executeSql('select $1', [() => {}])).rejects.toThrow('could not be cloned');
    expect(await notes()).toEqual([]);
  });
});

describe('an embedded database that ends', () => {
  it('because it spins for ever is opened again, with its rows, and holds up nobody else', async () => {
    await add('kept');
    const process = monitorEventLoopDelay();
    process.enable();
    const ending = database.executeSql(ENDLESS);
    const behind = add('behind it');
    await expect(ending).rejects.toThrow(StoreClosedError);
    await expect(ending).rejects.toThrow(/did not answer for 10 s \(\d+ MB of its disk are free\)/);
    await expect(behind).rejects.toThrow(StoreClosedError);
    await expect(notes()).rejects.toThrow('not open again yet');
    await vi.waitFor(async () => expect(await notes()).toEqual(['kept']), { timeout: 20_000, interval: 100 });
    process.disable();
    expect(process.max / 1e6).toBeLessThan(2000); // Milliseconds; the statement itself takes for ever.
  });

  it('because it cannot write ends at once, and is opened again when it can', async () => {
    await add('kept');
    const log = join(folder, 'postgres', 'pg_wal');
    await rename(log, join(folder, 'elsewhere'));
    await database.executeSql('select pg_switch_wal() where $1', [true]);
    await expect(add('lost')).rejects.toThrow(/could not create file .* MB of its disk are free/);
    await expect(
      vi.waitFor(() => database.executeSql('select 1'), { timeout: 5000, interval: 100 }),
    ).rejects.toThrow();
    await rename(join(folder, 'elsewhere'), log);
    await vi.waitFor(async () => expect(await notes()).toEqual(['kept']), { timeout: 30_000, interval: 100 });
  });

  it('because its answer is too large for the memory leaves the process alive', async () => {
    const sql = "select repeat('x', 100) from generate_series(1, 3000000)";
    await expect(database.executeSql(sql)).rejects.toThrow(StoreClosedError);
    await vi.waitFor(async () => expect(await notes()).toEqual([]), { timeout: 20_000, interval: 100 });
  });

  it('is closed within some seconds while it spins, and opens again with its rows', async () => {
    await add('kept');
    const ending = database.executeSql(ENDLESS).catch((error: Error) => error.name);
    await delay(100);
    const begun = performance.now();
    await expect(backend.close()).rejects.toThrow('ended, not closed');
    expect(performance.now() - begun).toBeLessThan(5000);
    expect(await ending).toBe('StoreClosedError');
    await expect(database.executeSql('select 1')).rejects.toThrow('is closed');
    backend = await openEmbedded(folder);
    database = databaseOf(backend);
    expect(await notes()).toEqual(['kept']);
  });

  it('is not opened from files that cannot be read, and says so', async () => {
    await backend.close();
    await rm(join(folder, 'postgres', 'global'), { recursive: true });
    await expect(openEmbedded(folder)).rejects.toThrow(StoreClosedError);
  });
});
