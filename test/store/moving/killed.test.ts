import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { startProcess } from '../../../src/sandbox/process.ts';
import type { DatabaseSettings } from '../../../src/store/connection.ts';
import { type ExportedRow, noRows, writeExport } from '../../../src/store/moving/file.ts';
import { importFrom } from '../../../src/store/moving/import.ts';
import { openSession } from '../../../src/store/moving/session.ts';
import { ENGINES } from '../engines.ts';

const run = promisify(execFile);

const MAIN = fileURLToPath(new URL('../../../src/start/import.ts', import.meta.url));

/** Far more than a pipe and a stream hold, so that a part of these was inserted when most of them were read. */
const ROWS = 8000;

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'killed-'));
  file = join(folder, 'export.jsonl');
  const rows = (async function* (): AsyncGenerator<ExportedRow> {
    for (let n = 0; n < ROWS; n++)
      yield { table: 'autoreply', row: { conversation: `19:${n}`.padEnd(100, 'x') } };
  })();
  await writeExport(file, { release: '1', at: '', rows: { ...noRows(), autoreply: ROWS } }, rows);
});
afterEach(() => rm(folder, { recursive: true }));

describe.each(ENGINES)('an import into %s', (_name, start) => {
  it('that is killed in the middle leaves nothing, and can be done again', async () => {
    const engine = await start();
    const database = await engine.database();
    const text = await readFile(file);
    const pipe = join(folder, 'pipe');
    await run('mkfifo', [pipe]);
    const lines: string[] = [];
    const importing = await Promise.all([
      startImport(pipe, database, lines),
      writeFile(pipe, text), // The first reading, which proves the file.
    ]);
    await hasBegun(database);
    const half = createWriteStream(pipe);
    half.on('error', () => {}); // Its reader is killed.
    half.write(text.subarray(0, Math.floor(text.length * 0.8)));
    await once(half, 'drain');
    await importing[0].kill();
    half.destroy();
    expect(lines).toEqual([]);
    await vi.waitFor(async () => expect(await countIn(database)).toBe(0), 10_000);
    expect(await importFrom(file, database)).toMatchObject({ autoreply: ROWS });
    expect(await countIn(database)).toBe(ROWS);
    await engine.close();
  });
});

function startImport(path: string, database: DatabaseSettings, lines: string[]) {
  const setting: Record<string, string> =
    'url' in database ? { DATABASE_URL: database.url.reveal() } : { DATA_DIR: database.directory };
  return startProcess({
    program: process.execPath,
    args: ['--import', 'data:text/javascript,console.log("started")', MAIN, path],
    env: setting,
    upWhen: (line) => (line === 'started' ? true : undefined),
    onLine: (line) => line !== 'started' && lines.push(line),
  });
}

/** Waits until the import has read the file once and has come to the database. */
async function hasBegun(database: DatabaseSettings): Promise<void> {
  await vi.waitFor(async () => expect(await isTouched(database)).toBe(true), {
    timeout: 30_000,
    interval: 50,
  });
}

async function isTouched(database: DatabaseSettings): Promise<boolean> {
  if (!('url' in database)) return existsSync(join(database.directory, 'lock'));
  const client = new pg.Client(database.url.reveal());
  await client.connect();
  const { rows } = await client.query("select from pg_namespace where nspname = 'bot'");
  await client.end();
  return rows.length > 0;
}

async function countIn(database: DatabaseSettings): Promise<number> {
  const { query, close } = await openSession(database);
  const rows = await query<{ count: number }>('select count(*)::int as count from bot.autoreply');
  await close();
  return rows[0]?.count ?? -1;
}
