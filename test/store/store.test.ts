import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { startProcess } from '../../src/sandbox/process.ts';
import { StoreClosedError } from '../../src/store/away.ts';
import type { DatabaseSettings } from '../../src/store/connection.ts';
import { FolderInUseError } from '../../src/store/lock.ts';
import { migrate } from '../../src/store/migrations.ts';
import { createAutoreplies, createSealedCredentials, createThreads } from '../../src/store/tables.ts';
import { Secret } from '../../src/text/secret.ts';
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

const steps = async (store: TestStore) =>
  (await store.query<{ step: number }>('select step from bot.migration order by step')).map(
    ({ step }) => step,
  );

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

  it('opens with the first call too', async () => {
    const store = await open(await engine.database());
    await vi.waitFor(async () => expect(await store.query('select 1 as one')).toEqual([{ one: 1 }]), 10_000);
  });

  it('takes each migration once, over restarts and repeated calls', async () => {
    const database = await engine.database();
    const first = await open(database);
    await opened(first);
    const taken = await steps(first);
    expect(taken.length).toBeGreaterThan(0);
    await migrate(first.query);
    expect(await steps(first)).toEqual(taken);
    await createAutoreplies(first).turnOn('kept');
    await stores.splice(0)[0]?.close(1000);
    const second = await open(database);
    await opened(second);
    expect(await steps(second)).toEqual(taken);
    expect(await createAutoreplies(second).isOn('kept')).toBe(true);
  });

  it('keeps sealed credentials, byte for byte and until their time', async () => {
    const store = await open(await engine.database());
    await opened(store);
    const sealed = createSealedCredentials(store);
    const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
    expect(await sealed.read('alex')).toBeUndefined();
    await sealed.write('alex', bytes, Date.now() + 60_000);
    expect(Uint8Array.from((await sealed.read('alex')) ?? [])).toEqual(bytes);
    await sealed.write('alex', bytes.slice(7), Date.now() + 60_000);
    expect(Uint8Array.from((await sealed.read('alex')) ?? [])).toEqual(bytes.slice(7));
    await sealed.write('old', bytes, Date.now() - 1);
    expect(await sealed.read('old')).toBeUndefined();
    await sealed.write("o'neill", bytes, Date.now() + 60_000);
    expect(await store.query('select owner from bot.sealed_credential order by owner')).toEqual([
      { owner: 'alex' },
      { owner: "o'neill" },
    ]);
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
    const threads = createThreads<{ room: string }>(store, (data) =>
      typeof data === 'object' && data !== null && 'room' in data ? { room: String(data.room) } : undefined,
    );
    expect(await threads.names()).toEqual([]);
    await threads.save('night', { room: 'first' });
    await threads.save('day', { room: 'ü"\\' });
    await threads.save('night', { room: 'second' });
    expect(await threads.names()).toEqual(['day', 'night']);
    expect(await threads.find('night')).toEqual({ room: 'second' });
    expect(await threads.find('day')).toEqual({ room: 'ü"\\' });
    await store.query("update bot.thread set place = '[]' where name = 'day'");
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
  it('is migrated once by several processes that start at once', async () => {
    const server = await startPostgres();
    const all = await Promise.all(Array.from({ length: 4 }, () => open({ url: new Secret(server.url) })));
    await Promise.all(all.map(opened));
    const [first] = all;
    const taken = first ? await steps(first) : [];
    expect(taken.length).toBeGreaterThan(0);
    expect(taken).toEqual(taken.map((_, index) => index + 1));
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

  it('is made if it is not there, and only the owner can reach its files', async () => {
    await opened(await open({ directory }));
    const entries = await readdir(directory, { recursive: true });
    const folders = await Promise.all(
      ['.', ...entries].map(async (entry) => ({ entry, is: await lstat(join(directory, entry)) })),
    );
    // PGlite gives its files modes of its own; others are kept out because they cannot pass any folder.
    const modes = folders.flatMap(({ is }) => (is.isDirectory() ? [(is.mode & 0o777).toString(8)] : []));
    expect(modes.length).toBeGreaterThan(10);
    expect(new Set(modes)).toEqual(new Set(['700']));
  });

  it('is free again when a store is closed while it makes the files', async () => {
    const empty = join(directory, '..', 'closed-early');
    const first = await open({ directory: empty });
    first.open();
    const isBegun = async () => (await readdir(empty)).some((name) => name.startsWith('postgres'));
    await vi.waitUntil(isBegun, { timeout: 20_000, interval: 1 });
    await stores.splice(0)[0]?.close(1000);
    await opened(await open({ directory: empty }));
    expect(first.errors).toEqual([]);
  });

  it('is not taken for a database while it is half made, however often the process is killed', {
    timeout: 180_000,
  }, async () => {
    const killed = join(directory, '..', 'killed');
    const countIn = async (name: string) =>
      (await readdir(join(killed, name), { recursive: true }).catch(() => [])).length;
    const left: string[] = [];
    for (let round = 0; round < 10; round++) {
      const owner = await startOwner(killed, 'claimed');
      const isThere = async () =>
        (await countIn('postgres.unfinished')) > round * 100 || (await countIn('postgres')) > 0;
      await vi.waitUntil(isThere, { timeout: 60_000, interval: 1 });
      await owner.kill();
      left.push(...(await readdir(killed)));
    }
    expect(left).toContain('postgres.unfinished');
    const store = await open({ directory: killed });
    await opened(store);
    await createAutoreplies(store).turnOn('after all');
    expect(await readdir(killed)).not.toContain('postgres.unfinished');
    expect(store.errors).toEqual([]);
  });

  it('is refused to a second store while the first has it', async () => {
    const first = await open({ directory });
    await expect(openStore({ directory })).rejects.toThrow(FolderInUseError);
    await opened(first);
    await expect(openStore({ directory })).rejects.toThrow(FolderInUseError);
    await stores.splice(0)[0]?.close(1000);
    await opened(await open({ directory }));
  });

  it('is refused while another process has it, and taken over from a killed process', async () => {
    const owner = await startOwner(directory, 'open');
    await expect(openStore({ directory })).rejects.toThrow(FolderInUseError);
    await owner.kill();
    const store = await open({ directory });
    await opened(store);
    expect(await createAutoreplies(store).isOn('of the one that was killed')).toBe(true);
  });
});

/** Starts a process that takes the folder of an embedded database, and waits until it has come so far. */
function startOwner(folder: string, state: 'claimed' | 'open') {
  return startProcess({
    args: [fileURLToPath(new URL('folder-owner.ts', import.meta.url))],
    env: { FOLDER: folder },
    upWhen: (line) => line === state || undefined,
  });
}
