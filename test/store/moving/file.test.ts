import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ExportedRow, noRows, readExport, writeExport } from '../../../src/store/moving/file.ts';
import { importFrom } from '../../../src/store/moving/import.ts';

const ROWS: ExportedRow[] = Array.from({ length: 50 }, (_, n) => ({
  table: 'autoreply',
  row: { conversation: `19:\u2028ü${n}` },
}));

const JOB = {
  queue: 'lookup',
  id: '6f1d9c1e-52b5-4b7c-9d0e-8f5b8d8d3f11',
  data: null,
  created_on: '2026-01-02T03:04:05Z',
  start_after: '2026-01-02T03:04:05Z',
  deaths: 0,
};

let folder: string;
let text: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'export-'));
  text = await written(ROWS);
});
afterAll(() => rm(folder, { recursive: true }));

/** The text of an export. */
async function written(rows: readonly ExportedRow[]): Promise<string> {
  const path = join(folder, 'written');
  const counts = noRows();
  for (const { table } of rows) if (Object.hasOwn(counts, table)) counts[table] += 1;
  await writeExport(path, { release: '1.2.3', at: '2026-01-02T03:04:05Z', rows: counts }, asAsync(rows));
  const made = await readFile(path, 'utf8');
  await rm(path);
  return made;
}

async function* asAsync<T>(values: readonly T[]): AsyncGenerator<T> {
  yield* values;
}

/** Reads a file with this text, and returns its rows or why it is refused. */
async function read(content: string | Buffer): Promise<ExportedRow[] | string> {
  const path = join(folder, 'read');
  await writeFile(path, content);
  try {
    const rows: ExportedRow[] = [];
    for await (const row of readExport(path)) rows.push(row);
    return rows;
  } catch (error) {
    return String(error).replace(path, 'FILE');
  }
}

const DAMAGED = expect.stringMatching(/^MoveError: FILE is (?:damaged or cut off, as line|no export|empty)/);

describe('the file of an export', () => {
  it('gives the rows that were written', async () => {
    expect(await read(text)).toEqual(ROWS);
    expect(await read(await written([]))).toEqual([]);
  });

  it('is refused wherever it is cut off', async () => {
    for (
      let length = 0;
      length < text.length - 1;
      length += length > 100 && length < text.length - 200 ? 97 : 1
    )
      expect(await read(text.slice(0, length))).toEqual(DAMAGED);
  });

  it('is refused whichever byte was changed', async () => {
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; at += at > 100 && at < bytes.length - 200 ? 31 : 1) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 1;
      if (at === bytes.length - 1) continue; // The last line's end.
      expect(await read(changed), `byte ${at}`).toEqual(expect.stringMatching(/^MoveError: /));
    }
  });

  it.each<[string, (lines: string[]) => string[]]>([
    ['without a row', (lines) => lines.toSpliced(5, 1)],
    ['with a row twice', (lines) => lines.toSpliced(5, 0, lines[5] ?? '')],
    ['with rows in another order', (lines) => lines.with(5, lines[6] ?? '').with(6, lines[5] ?? '')],
    ['without the header', (lines) => lines.slice(1)],
    ['with something after the end', (lines) => [...lines, '{}']],
    ['with two files in one', (lines) => [...lines, ...lines]],
    ['with the line ends of another system', (lines) => lines.map((line) => `${line}\r`)],
  ])('is refused %s', async (_, change) => {
    const lines = text.trimEnd().split('\n');
    expect(await read(`${change(lines).join('\n')}\n`)).toEqual(DAMAGED);
  });

  it.each<[string, object]>([
    ['an unknown table', { table: 'later', row: {} }],
    ['an unknown column', { table: 'autoreply', row: { conversation: '19:a', colour: 'red' } }],
    ['a missing column', { table: 'welcome', row: { conversation: '19:a' } }],
    ['a value of another kind', { table: 'autoreply', row: { conversation: 7 } }],
    ['a time that is none', { table: 'welcome', row: { conversation: '19:a', at: 'yesterday' } }],
    ['an unknown queue', { table: 'job', row: { ...JOB, queue: 'audit' } }],
  ])('is refused with %s, whole and in good order as it is', async (_, row) => {
    expect(await read(await written([...ROWS, row as ExportedRow]))).toBe(
      'MoveError: FILE is damaged or cut off, as line 52 shows',
    );
  });

  it('is refused if a newer release wrote it, which is named', async () => {
    const newer = text.replace('"version":1,"release":"1.2.3"', '"version":2,"release":"9.0.0"');
    expect(await read(newer)).toBe(
      'MoveError: release 9.0.0 wrote FILE: import it with that release, or a later one',
    );
  });

  it.each(['', 'PGDMP\u0001\u0010', '{}', 'null', '[1]\n'])(
    'is refused if it is something else: %j',
    async (other) => {
      expect(await read(other)).toEqual(DAMAGED);
    },
  );

  it('is refused before anything is made', async () => {
    const path = join(folder, 'cut');
    await writeFile(path, text.slice(0, -20));
    await expect(importFrom(path, { directory: join(folder, 'data') })).rejects.toThrow('damaged or cut off');
    await expect(importFrom(join(folder, 'none'), { directory: join(folder, 'data') })).rejects.toThrow(
      'none cannot be read (ENOENT)',
    );
    expect(await readdir(folder)).not.toContain('data');
  });

  it('does not stay if the writing fails', async () => {
    const path = join(folder, 'failing');
    const failing = (async function* (): AsyncGenerator<ExportedRow> {
      yield* ROWS;
      throw new Error('the database went');
    })();
    const header = { release: '1', at: '', rows: noRows() };
    await expect(writeExport(path, header, failing)).rejects.toThrow('the database went');
    await expect(writeExport(join(folder, 'no', 'folder'), header, asAsync(ROWS))).rejects.toThrow(
      '(ENOENT)',
    );
    expect((await readdir(folder)).filter((name) => name.startsWith('failing'))).toEqual([]);
  });
});
