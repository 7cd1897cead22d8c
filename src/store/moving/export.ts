import type { DatabaseSettings } from '../engine.ts';
import type { Query } from '../sql.ts';
import { MoveError } from './error.ts';
import { type ExportedRow, noRows, type RowCounts, writeExport } from './file.ts';
import { BOSS_SCHEMA, LEFT_OUT, SECTION_NAMES, SECTIONS } from './sections.ts';
import { openSession } from './session.ts';

/** How many rows one statement fetches. */
const BATCH = 500;

/**
 * Writes all that a database keeps to a new file, as it was at one moment. Changes nothing in the database.
 * @param release of this bot, for whoever reads the file
 * @returns how many rows of each kind
 * @throws MoveError, and what `openSession` and the database throw
 */
export async function exportTo(
  path: string,
  database: DatabaseSettings,
  release: string,
): Promise<RowCounts> {
  const { query, close } = await openSession(database);
  try {
    await query('begin isolation level repeatable read read only');
    await checkTables(query);
    const rows = await countRows(query);
    await writeExport(path, { release, at: new Date().toISOString(), rows }, readRows(query));
    return rows;
  } finally {
    await close();
  }
}

/** @throws MoveError if the tables are not those of this release */
async function checkTables(query: Query): Promise<void> {
  const columns = await query<{ name: string }>(
    `select table_name || '.' || column_name as name from information_schema.columns where table_schema = 'bot'`,
  );
  const there = columns.map(({ name }) => name);
  if (there.length === 0) throw new MoveError('no bot has ever used this database');
  const unknown = findUnknown(there);
  const known = await query<{ version: number }>('select version from pgboss.version');
  if (unknown.length > 0 || known.some(({ version }) => version > BOSS_SCHEMA))
    throw new MoveError(`a newer release of the bot has used this database: export with that release`);
  const missing = expectedColumns().some((name) => !there.includes(name));
  if (missing || known.some(({ version }) => version < BOSS_SCHEMA))
    throw new MoveError(
      'an older release of the bot made this database: export with that release, or start this one on it once',
    );
}

/** Returns the columns that are neither exported nor left out. @param columns as `table.column` */
export function findUnknown(columns: readonly string[]): string[] {
  const expected = expectedColumns();
  return columns.filter((name) => {
    const [table = ''] = name.split('.');
    return !expected.includes(name) && !Object.hasOwn(LEFT_OUT, table) && !Object.hasOwn(LEFT_OUT, name);
  });
}

function expectedColumns(): string[] {
  return SECTION_NAMES.filter((table) => table !== 'job').flatMap((table) =>
    Object.keys(SECTIONS[table].row.shape).map((column) => `${table}.${column}`),
  );
}

async function countRows(query: Query): Promise<RowCounts> {
  const counts = noRows();
  for (const table of SECTION_NAMES) {
    const [row] = await query<{ count: number }>(
      `select count(*)::int as count from (${SECTIONS[table].select}) as exported`,
    );
    counts[table] = row?.count ?? 0;
  }
  return counts;
}

async function* readRows(query: Query): AsyncGenerator<ExportedRow> {
  for (const table of SECTION_NAMES) {
    await query(
      `declare ${table}_rows cursor for select to_jsonb(exported) as row from (${SECTIONS[table].select}) as exported`,
    );
    let fetched: Array<Pick<ExportedRow, 'row'>>;
    do {
      fetched = await query(`fetch ${BATCH} from ${table}_rows`);
      for (const { row } of fetched) yield { table, row };
    } while (fetched.length === BATCH);
  }
}
