import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { systemClock } from '../app/start.ts';
import { parseJson } from '../domain/text.ts';
import type { Engine } from '../store/dialect.ts';
import { COPY_MS, openPostgres } from '../store/postgres.ts';
import { claimFolder, fileIn, openSqlite } from '../store/sqlite.ts';
import { databaseCommand, UsageError } from './command.ts';

const WAITS = { callMs: COPY_MS, statementMs: COPY_MS, connectionMs: COPY_MS };
/** A shorter text is in too many rows that are not about the person. */
const MIN_CHARACTERS = 4;

/** `erase ID`: removes a person from the database, and from the pages that it no longer uses. */
export const erase = databaseCommand('erase', async (id, database) => {
  if (id.length < MIN_CHARACTERS) throw new UsageError(`an id has ${MIN_CHARACTERS} characters or more`);
  if ('url' in database) {
    const engine = await openPostgres(database.url, WAITS);
    return await eraseRows(id, engine, ['vacuum full job', 'vacuum full kept']).finally(engine.close);
  }
  const { directory } = database;
  if (!existsSync(fileIn(directory))) throw new UsageError(`there is no database in ${directory} (DATA_DIR)`);
  using _lock = claimFolder(directory);
  const engine = openSqlite(directory, systemClock);
  const report = await eraseRows(id, engine).finally(engine.close);
  using file = new DatabaseSync(fileIn(directory));
  file.exec('vacuum; pragma wal_checkpoint(truncate)');
  return report;
});

type Row = { place: 'job' | 'kept'; key: string; kind: string; data: string };

const ROWS = `select 'job' as place, cast(seq as text) as key, queue as kind, data from job
  union all select 'kept', key, kind, coalesce(data, '') from kept`;
const WHERE = { job: 'queue = $1 and seq = cast($2 as bigint)', kept: 'kind = $1 and key = $2' };

async function eraseRows(id: string, { query }: Engine, vacuum: readonly string[] = []): Promise<string> {
  const rows = await query<Row>(ROWS);
  const aliases = rows.flatMap(({ data }) => aliasesIn(data, id));
  const terms = [...new Set([id, ...aliases])].sort((one, other) => other.length - one.length);
  let [removed, rewritten] = [0, 0];
  for (const row of rows) {
    const { place, key, kind, data } = row;
    const rest = withoutPerson(data, terms);
    if (isOwn(row, rest, terms)) {
      await query(`delete from ${place} where ${WHERE[place]}`, [kind, key]);
      removed++;
    } else if (rest !== data) {
      await query(`update ${place} set data = $3 where ${WHERE[place]}`, [kind, key, rest]);
      rewritten++;
    }
  }
  for (const statement of vacuum) await query(statement);
  if (removed + rewritten === 0) return `The database does not name ${id}.`;
  const also = terms.length > 1 ? `${id} is also ${terms.filter((term) => term !== id).join(', ')}. ` : '';
  return `${also}Rows removed: ${removed}, rewritten: ${rewritten}.`;
}

function isOwn({ place, key, kind, data }: Row, rest: string, terms: readonly string[]): boolean {
  if (['lookup', 'reply'].includes(kind)) return rest !== data;
  if (place === 'kept' && terms.includes(key)) return true;
  const isPlaced = (text: string) => text.includes('"conversation":');
  return (place === 'kept' || kind === 'watch') && isPlaced(data) && !isPlaced(rest);
}

/** A row's other names for the person: ids, the name, the personal chat. */
function aliasesIn(text: string, id: string): string[] {
  const row = Object(parseJson(text.split('\n', 1)[0] ?? ''));
  const data = Object(row.data ?? row);
  const { user, conversation } = Object(Object(data.place ?? data).reference);
  const names = [Object(user).id, Object(user).aadObjectId, Object(user).name, data.person];
  if (!names.includes(id)) return [];
  const { conversationType, id: chat } = Object(conversation);
  const all = [...names, conversationType === 'personal' && chat];
  return all.filter((each) => each && typeof each === 'string');
}

const ERASED = '[erased]';

/** A row's text without the person: JSON in each line. Another text, such as a sealed credential, stays as it is. */
function withoutPerson(text: string, terms: readonly string[]): string {
  const lines = text.split('\n');
  if (lines.some((line) => parseJson(line) === undefined)) return text;
  const whole = terms.map(RegExp.escape).join('|');
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])(?:${whole})(?![\\p{L}\\p{N}])`, 'giu');
  const without = (_: string, value: unknown) => {
    if (typeof value === 'string') return value.replace(pattern, ERASED);
    const { id, aadObjectId } = Object(value);
    return id === ERASED || aadObjectId === ERASED ? undefined : value;
  };
  return lines.map((line) => JSON.stringify(JSON.parse(line, without))).join('\n');
}
