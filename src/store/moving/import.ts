import type { DatabaseSettings } from '../engine.ts';
import { makeQueue, QUEUE_NAMES } from '../queues.ts';
import type { Query } from '../sql.ts';
import { createStore } from '../store.ts';
import { MoveError } from './error.ts';
import { type ExportedRow, noRows, type RowCounts, readExport } from './file.ts';
import { BOSS_SCHEMA, SECTION_NAMES, SECTIONS, type SectionName } from './sections.ts';
import { hasFiles, openSession, type Session } from './session.ts';

/** How many rows one statement inserts. */
const BATCH = 500;

const UNKNOWN =
  'the database went away at the last step, so that all or nothing is there: import again, which is refused if all is there';

/**
 * Puts all rows of an export into an empty database, in one transaction. Makes the tables, and the files of an embedded
 * database, if they are missing. Reads the file twice: nothing is touched before the whole file is known to be good.
 * @returns how many rows of each kind; kept sign-ins whose time is over are left out
 * @throws MoveError, and what `openSession` and the database throw: nothing was imported, unless the message says otherwise
 */
export async function importFrom(path: string, database: DatabaseSettings): Promise<RowCounts> {
  for await (const _ of readExport(path)); // Proves the file.
  if (hasFiles(database)) await inSession(database, refuseUnlessEmpty);
  await makeTables(database);
  return inSession(database, async (query) => {
    await query('begin');
    await refuseUnlessEmpty(query);
    const counts = noRows();
    for await (const { table, rows } of inBatches(readExport(path)))
      counts[table] += (await query(SECTIONS[table].insert, [JSON.stringify(rows)])).length;
    await query('commit').catch((cause) => {
      throw new MoveError(UNKNOWN, { cause });
    });
    return counts;
  });
}

async function inSession<Result>(
  database: DatabaseSettings,
  work: (query: Query) => Promise<Result>,
): Promise<Result> {
  const session: Session = await openSession(database);
  try {
    return await work(session.query);
  } finally {
    await session.close();
  }
}

/** @throws MoveError if a table that is exported has a row */
async function refuseUnlessEmpty(query: Query): Promise<void> {
  const there = await query<{ name: string }>(
    `select table_schema || '.' || table_name as name from information_schema.tables
     where table_schema = 'bot' and table_name = any($1::text[]) or table_schema = 'pgboss' and table_name = 'job'`,
    [SECTION_NAMES],
  );
  for (const { name } of there) {
    const rows = await query(`select from ${name} limit 1`);
    if (rows.length > 0)
      throw new MoveError(`the database is not empty (${name} has rows): name an empty one`);
  }
}

/** Makes the tables and queues as a start of the bot does. @throws MoveError if a newer release made them */
async function makeTables(database: DatabaseSettings): Promise<void> {
  const { promise: made, resolve, reject } = Promise.withResolvers<void>();
  const store = await createStore(database, {
    onError: reject,
    onLost: (reason) => reject(new MoveError(`the database is away: ${reason}`)),
    onLastingFault: reject,
    async onOpen(boss) {
      if ((await boss.schemaVersion()) !== BOSS_SCHEMA)
        throw new MoveError('a newer release of the bot made the tables of this database');
      for (const name of QUEUE_NAMES) await makeQueue(boss, name);
      resolve();
      return [];
    },
  });
  store.open();
  try {
    await made;
    await store.query('select'); // A store that is not quite open would go on opening after its close.
  } finally {
    await store.close(0);
  }
}

/** Joins neighbouring rows of one table. */
async function* inBatches(
  rows: AsyncIterable<ExportedRow>,
): AsyncGenerator<{ table: SectionName; rows: Array<ExportedRow['row']> }> {
  let batch: { table: SectionName; rows: Array<ExportedRow['row']> } | undefined;
  for await (const { table, row } of rows) {
    if (batch !== undefined && (batch.table !== table || batch.rows.length === BATCH)) {
      yield batch;
      batch = undefined;
    }
    batch ??= { table, rows: [] };
    batch.rows.push(row);
  }
  if (batch !== undefined) yield batch;
}
