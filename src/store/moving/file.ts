import { createHash, type Hash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { z } from 'zod';
import { parseJson } from '../../text/json.ts';
import { MoveError } from './error.ts';
import { SECTION_NAMES, SECTIONS, type SectionName } from './sections.ts';

/** One row of an export. */
export type ExportedRow = { table: SectionName; row: Record<string, unknown> };

export type RowCounts = Record<SectionName, number>;

export function noRows(): RowCounts {
  return Object.fromEntries(SECTION_NAMES.map((table) => [table, 0])) as RowCounts;
}

/** The first line. `release` and `at` are for people. */
export type Header = { release: string; at: string; rows: RowCounts };

const FORMAT = 'nac-lookup-bot export';

/** Raised with any change of a section. A later release reads earlier versions; an earlier release refuses later ones. */
const VERSION = 1;

/**
 * Writes an export: a JSON object a line in UTF-8. The header is first, with the number of rows of each table; then the rows;
 * then the end, with the SHA-256 of all bytes before it. The file gets its name when it is whole and on the disk, and only its
 * owner may read it.
 * @throws MoveError if the name is taken, or the file cannot be written
 */
export async function writeExport(
  path: string,
  header: Header,
  rows: AsyncIterable<ExportedRow>,
): Promise<void> {
  if (existsSync(path)) throw new MoveError(`${path} is there already: name a new file`);
  const unfinished = `${path}.${process.pid}.unfinished`;
  const written = <Result>(step: Promise<Result>) =>
    step.catch((error) => Promise.reject(fileFault(path, error, 'written')));
  const file = await written(open(unfinished, 'wx', 0o600));
  try {
    const hash = createHash('sha256');
    for await (const line of linesOf(header, rows)) {
      hash.update(line);
      await written(file.appendFile(line));
    }
    await written(file.appendFile(endLine(hash)));
    await written(file.sync());
    await written(rename(unfinished, path));
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}

async function* linesOf(header: Header, rows: AsyncIterable<ExportedRow>): AsyncGenerator<string> {
  yield toLine({ format: FORMAT, version: VERSION, ...header });
  for await (const row of rows) yield toLine(row);
}

const toLine = (value: object) => `${JSON.stringify(value)}\n`;

const endLine = (hash: Hash) => toLine({ end: { sha256: hash.digest('hex') } });

const kindSchema = z.object({ format: z.literal(FORMAT), version: z.int(), release: z.string() });
const headerSchema = z.strictObject({
  format: z.literal(FORMAT),
  version: z.literal(VERSION),
  release: z.string(),
  at: z.string(),
  rows: z.record(z.enum(SECTION_NAMES), z.int().nonnegative()),
});
const rowSchema = z.strictObject({ table: z.enum(SECTION_NAMES), row: z.unknown() });

/**
 * Reads an export. The rows are not proven before the last one has come and the generator has ended.
 * @throws MoveError if the file cannot be read, is no export, is damaged, cut off or of a newer release
 */
export async function* readExport(path: string): AsyncGenerator<ExportedRow> {
  const hash = createHash('sha256');
  let left: RowCounts | undefined;
  let end: string | undefined;
  let number = 0;
  for await (const line of splitLines(path)) {
    if (end !== undefined) throw damaged(path, number);
    number += 1;
    if (left === undefined) left = readHeader(path, line);
    else {
      const row = readRow(line);
      if (row === undefined) end = line;
      else {
        left[row.table] -= 1;
        yield row;
      }
    }
    if (end === undefined) hash.update(`${line}\n`);
  }
  if (left === undefined) throw new MoveError(`${path} is empty`);
  if (`${end}\n` !== endLine(hash) || Object.values(left).some((count) => count !== 0))
    throw damaged(path, number);
}

function readHeader(path: string, line: string): RowCounts {
  const kind = kindSchema.safeParse(parseJson(line)).data;
  if (kind === undefined) throw new MoveError(`${path} is no export of this bot`);
  if (kind.version > VERSION)
    throw new MoveError(`release ${kind.release} wrote ${path}: import it with that release, or a later one`);
  const header = headerSchema.safeParse(parseJson(line)).data;
  if (header === undefined) throw damaged(path, 1);
  return header.rows;
}

/** Returns undefined for a line that is no row: the end, or damage. */
function readRow(line: string): ExportedRow | undefined {
  const { table, row } = rowSchema.safeParse(parseJson(line)).data ?? {};
  const read = table && SECTIONS[table].row.safeParse(row).data;
  return table && read && { table, row: read };
}

function damaged(path: string, line: number): MoveError {
  return new MoveError(`${path} is damaged or cut off, as line ${line} shows`);
}

/** Node's own readers of lines also split at U+2028, which may stand in a row. */
async function* splitLines(path: string): AsyncGenerator<string> {
  let rest = '';
  try {
    for await (const chunk of createReadStream(path, 'utf8')) {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      yield* lines;
    }
  } catch (error) {
    throw fileFault(path, error, 'read');
  }
  if (rest !== '') yield rest;
}

/** An error of the file system in words; any other error as it is. */
function fileFault(path: string, error: unknown, what: string): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException;
  return code === undefined || syscall === undefined
    ? error
    : new MoveError(`${path} cannot be ${what} (${code})`, { cause: error });
}
