import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { Secret } from '../../src/domain/secret.ts';
import { startProcess } from '../../src/sandbox/process.ts';
import type { DatabaseSettings } from '../../src/store/connection.ts';
import { StoreClosedError } from '../../src/store/faults.ts';
import { FolderInUseError } from '../../src/store/sqlite.ts';
import { createAutoreplies, createSealedCredentials, createThreads } from '../../src/store/tables.ts';
import { ENGINES, type Engine, opened, openStore, type TestStore } from './engines.ts';
import { startPostgres } from './postgres.ts';

const stores: TestStore[] = [];
afterEach(async () => {
  await Promise.all(stores.splice(0).map((store) => store.close(1000)));
});

async function open(database: DatabaseSettings): Promise<TestStore> {
  const store = await openStore(database);
  stores.push(store);
  return store;
}

describe.each(ENGINES)('a store in %s', (_name, start) => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await start();
  });
  afterAll(() => engine.close());

  it('opens when it is asked to, and says so', async () => {
    const store = await open(await engine.database());
    expect(store.state()).toBe('opening');
    await opened(store);
    expect(store.state()).toBe('ok');
    expect(store.errors).toEqual([]);
  });

  it('keeps what it has over a restart', async () => {
    const database = await engine.database();
    const before = await open(database);
    await opened(before);
    await createAutoreplies(before).turnOn('kept');
    await stores.splice(0)[0]?.close(1000);
    const after = await open(database);
    await opened(after);
    expect(await createAutoreplies(after).isOn('kept')).toBe(true);
  });

  it('knows any text as a key', async () => {
    const store = await open(await engine.database());
    await opened(store);
    const autoreplies = createAutoreplies(store);
    for (const key of ["o'neill", 'ü \0 \ud800 $1', 'x'.repeat(2000), '']) {
      await autoreplies.turnOn(key);
      expect(await autoreplies.isOn(key)).toBe(true);
    }
  });

  it('keeps sealed credentials, byte for byte and until their time', async () => {
    const store = await open(await engine.database());
    await opened(store);
    const sealed = createSealedCredentials(store, Date.now);
    const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
    expect(await sealed.read('alex')).toBeUndefined();
    await sealed.write('alex', bytes, Date.now() + 60_000);
    expect(Uint8Array.from((await sealed.read('alex')) ?? [])).toEqual(bytes);
    await sealed.write('alex', bytes.slice(7), Date.now() + 60_000);
    expect(Uint8Array.from((await sealed.read('alex')) ?? [])).toEqual(bytes.slice(7));
    await sealed.write('old', bytes, Date.now() - 1);
    expect(await sealed.read('old')).toBeUndefined();
    await sealed.write("o'neill", bytes, Date.now() + 60_000);
    await sealed.reseal('alex', bytes, bytes.slice(9));
    expect(Uint8Array.from((await sealed.read('alex')) ?? [])).toEqual(bytes.slice(7)); // It had changed meanwhile.
    await sealed.reseal('alex', bytes.slice(7), bytes.slice(9));
    expect(Uint8Array.from((await sealed.read('alex')) ?? [])).toEqual(bytes.slice(9));
    await sealed.remove('alex');
    await sealed.reseal('alex', bytes.slice(9), bytes);
    expect(await sealed.read('alex')).toBeUndefined();
  });

  it('keeps threads by their names', async () => {
    const store = await open(await engine.database());
    await opened(store);
    const threads = createThreads(store, z.object({ room: z.string() }));
    expect(await threads.names()).toEqual([]);
    await threads.save('night', { room: 'first' });
    await threads.save('day', { room: 'ü"\\' });
    await threads.save('night', { room: 'second' });
    expect(await threads.names()).toEqual(['day', 'night']);
    expect(await threads.find('night')).toEqual({ room: 'second' });
    expect(await threads.find('day')).toEqual({ room: 'ü"\\' });
    await store.query(`update ${store.dialect.kept} set data = '[]' where key = 'day'`);
    expect(await threads.find('day')).toBeUndefined();
    expect([await threads.remove('night'), await threads.remove('night')]).toEqual([true, false]);
    expect(await threads.find('night')).toBeUndefined();
  });

  it('keeps the conversations with autoreply', async () => {
    const store = await open(await engine.database());
    await opened(store);
    const autoreplies = createAutoreplies(store);
    expect(await autoreplies.isOn('19:a')).toBe(false);
    await autoreplies.turnOn('19:a');
    await autoreplies.turnOn('19:a');
    expect([await autoreplies.isOn('19:a'), await autoreplies.isOn('19:b')]).toEqual([true, false]);
    await autoreplies.turnOff('19:a');
    expect(await autoreplies.isOn('19:a')).toBe(false);
  });
});

describe('a store on a server', { timeout: 60_000 }, () => {
  it('has its tables made once by several processes that start at once', async () => {
    const server = await startPostgres();
    const all = await Promise.all(Array.from({ length: 4 }, () => open({ url: new Secret(server.url) })));
    await Promise.all(all.map(opened));
    expect(await all[0]?.query('select version from nac_lookup_bot.meta')).toHaveLength(1);
    expect(all.flatMap(({ errors }) => errors)).toEqual([]);
    await Promise.all(stores.splice(0).map((store) => store.close(1000)));
    await server.close();
  });

  it('says that the server does not answer, and is ok again when it is back', async () => {
    const server = await startPostgres();
    const store = await open({ url: new Secret(server.url) });
    await opened(store);
    await createAutoreplies(store).turnOn('kept');
    await server.stop();
    await vi.waitFor(() => expect(store.state()).toBe('does not answer'), 3000); // Nobody has asked.
    for (let count = 0; count < 5; count++)
      await expect(store.query('select 1')).rejects.toThrow(StoreClosedError);
    await server.start();
    await vi.waitFor(() => expect(store.state()).toBe('ok'), 10_000);
    expect(await createAutoreplies(store).isOn('kept')).toBe(true);
    expect(store.outages).toEqual([expect.stringMatching(/^lost: ./), 'back']);
    expect(store.errors).toEqual([]);
    await Promise.all(stores.splice(0).map((each) => each.close(1000)));
    await server.close();
  });

  it('opens when a server that was away at the start comes', async () => {
    const server = await startPostgres();
    await server.stop();
    const store = await open({ url: new Secret(server.url) });
    store.open();
    await vi.waitFor(() => expect(store.state()).toBe('cannot be opened'), 10_000);
    await expect(store.query('select 1')).rejects.toThrow(StoreClosedError);
    await server.start();
    await opened(store);
    expect(store.outages).toEqual([expect.stringContaining('lost: connect ECONNREFUSED')]);
    expect(store.errors).toEqual([]);
    await Promise.all(stores.splice(0).map((each) => each.close(1000)));
    await server.close();
  });
});

describe("the embedded database's folder", { timeout: 30_000 }, () => {
  let directory: string;
  beforeAll(async () => {
    directory = join(await mkdtemp(join(tmpdir(), 'folder-')), 'data');
  });
  afterAll(() => rm(join(directory, '..'), { recursive: true }));

  it('is made if it is not there, and only the owner can reach it and its files', async () => {
    const umask = process.umask(0);
    const store = await open({ directory });
    await createAutoreplies(store).turnOn('here');
    const modes = await Promise.all(
      ['.', ...(await readdir(directory))].map(async (name) => [
        name,
        ((await lstat(join(directory, name))).mode & 0o777).toString(8),
      ]),
    );
    process.umask(umask);
    expect(Object.fromEntries(modes)).toEqual({
      '.': '700',
      lock: '600',
      'nac-lookup-bot.db': '600',
      'nac-lookup-bot.db-shm': '600',
      'nac-lookup-bot.db-wal': '600',
    });
  });

  it('is refused to a second store while the first has it', async () => {
    await open({ directory });
    await expect(openStore({ directory })).rejects.toThrow(FolderInUseError);
    await stores.splice(0)[0]?.close(1000);
    await opened(await open({ directory }));
  });

  it('is refused while another process has it, and taken over from a killed process', async () => {
    const owner = await startOwner(directory, 'open');
    await expect(openStore({ directory })).rejects.toThrow(FolderInUseError);
    await owner.kill();
    const store = await open({ directory });
    expect(await createAutoreplies(store).isOn('of the one that was killed')).toBe(true);
  });
});

/** Starts a process that takes the folder of an embedded database, and waits until it has come so far. */
function startOwner(folder: string, state: 'open') {
  return startProcess({
    args: [fileURLToPath(new URL('folder-owner.ts', import.meta.url))],
    env: { FOLDER: folder },
    upWhen: (line) => line === state || undefined,
  });
}
