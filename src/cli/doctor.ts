import { accessSync, constants, existsSync, lstatSync, statfsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { DATABASE_TLS } from '../../dialogs/commands/status.ts';
import { startFault } from '../app/start.ts';
import { openUpstreams } from '../app/upstreams.ts';
import { reachCure } from '../domain/cures.ts';
import { linesOf, type Read, readSettings } from '../settings.ts';
import { type DatabaseSettings, SCHEMA, TABLES_VERSION } from '../store/dialect.ts';
import * as faults from '../store/faults.ts';
import { onServer, serverTlsOf } from '../store/postgres.ts';
import { fileIn, isWhole, lockFolder, readVersion, refuseOld } from '../store/sqlite.ts';
import type { Command } from './command.ts';
import * as systems from './doctor/systems.ts';

const { works, warning, fails } = systems;

/**
 * `doctor [--post]`: makes each of the bot's own calls once with the present settings, and prints a table on stdout. Exit code:
 * 0 all work, 1 something does not, 2 settings or arguments are wrong.
 */
export const doctor: Command = async (args, environment) => {
  if (args.some((arg) => arg !== '--post')) return undefined;
  const read = readSettings(environment);
  let code = 0;
  for await (const row of examine(read, args.length > 0)) {
    process.stdout.write(renderRow(row));
    if (row.state === 'FAILS') code = 1;
  }
  return { code: 'problems' in read ? 2 : code, text: '' };
};

/** State, system and finding, then the next step. A screen of any width breaks these lines. */
export function renderRow({ system, state, what, next, below }: systems.Row): string {
  const text = [what, next && `next: ${next}`, below].filter(Boolean).join('\n').trim();
  return `${state.padEnd(9)}${system.padEnd(23)}${text.replaceAll(/\n\s*/g, '\n  ')}\n`;
}

/** Makes all calls at the same time, and yields the rows in the table's order. @param post posts one line to the room */
export async function* examine(read: Read, post: boolean): AsyncGenerator<systems.Row> {
  const system = 'settings';
  const lines = linesOf('problems' in read ? read.problems : read.settings.doubts);
  if ('problems' in read) return yield { system, ...fails(lines, 'set or correct them (docs/settings.md)') };
  const doubted = warning(lines, 'correct what is not meant; the bot starts anyway');
  yield { system, ...(lines ? doubted : works('all are accepted')) };
  const { settings } = read;
  const upstreams = openUpstreams(settings);
  const given = { settings, post, upstreams };
  const rows: Array<Promise<systems.Row>> = [];
  for (const each of systems.systemsOf(settings)) rows.push(systems.examineSystem(each, given, rows.at(-1)));
  rows.push(examineDatabase(settings.database).then((found) => ({ system: 'database', ...found })));
  Promise.all(rows).catch(() => {}); // Rejects below, when its turn has come.
  try {
    for (const row of rows) yield await row;
  } finally {
    await Promise.all(Object.values(upstreams).map((upstream) => upstream.close()));
  }
}

/** Opens the database as far as the bot needs it, and changes nothing. */
export async function examineDatabase(database: DatabaseSettings): Promise<systems.Finding> {
  const isFile = 'directory' in database;
  try {
    return isFile ? examineFile(resolve(database.directory)) : await examineServer(database);
  } catch (error) {
    const words = isFile || faults.lastingFaultOf(error) ? startFault(error) : undefined;
    if (words !== undefined) return fails(words);
    const isRefusal = faults.isRefusal(error);
    if (!isRefusal && !faults.isAway(error)) throw error;
    const code = (!isFile && faults.errorCode(error)) || faults.wordsOf(error);
    const serverCure = isRefusal ? 'ask those who run the server' : reachCure('DATABASE_URL', code);
    return fails(`${faults.awayState(error)} (${code})`, isFile ? FILE_CURE : serverCure);
  }
}

const FILE_CURE =
  'check the room on the disk of DATA_DIR, and which other program has nac-lookup-bot.db open';

/** Reads the embedded database, unless another process has it. Meanwhile no bot can start on it. */
function examineFile(folder: string): systems.Finding {
  refuseOld(folder);
  const path = fileIn(folder);
  let above = folder;
  // A link to nothing is there, too.
  while (lstatSync(above, { throwIfNoEntry: false }) === undefined) above = dirname(above);
  if (!existsSync(path)) accessSync(`${above}/.`, constants.W_OK | constants.X_OK); // The dot refuses a file.
  const { blocks, bavail } = statfsSync(above); // Some file systems have no blocks.
  if (blocks > 0 && bavail === 0) return fails(`the disk of DATA_DIR is full (${folder})`, 'make room there');
  if (!existsSync(path)) return works('the first start makes the embedded database in DATA_DIR');
  if (statSync(path).uid !== process.geteuid?.())
    return warning('the embedded database is of another user', "run the doctor as the bot's own user");
  try {
    using _lock = lockFolder(folder);
    using file = new DatabaseSync(path);
    if (readVersion(file) > TABLES_VERSION) throw new faults.LastingFaultError('newer release');
    if (!isWhole(file)) throw new faults.LastingFaultError('no SQLite');
    return works('the embedded database opens');
  } catch (error) {
    if (faults.lastingFaultOf(error) !== 'folder in use') throw error;
    return works('a bot holds the embedded database; /readyz of that bot says how it is');
  }
}

/** Tries the rights that the bot needs, and keeps nothing. */
async function examineServer(
  database: Extract<DatabaseSettings, { url: unknown }>,
): Promise<systems.Finding> {
  const row = `insert into ${SCHEMA}.kept (kind, key, at) values ('doctor', 'doctor', 0)`;
  await onServer(database.url, 'nac-lookup-bot doctor', (client) => client.query(row));
  const tls = serverTlsOf(database);
  const found = ['the bot has its rights', ...DATABASE_TLS[tls]].join('\n');
  const isChecked = tls === 'TLS' || tls === 'none needed';
  return isChecked ? works(found) : warning(found, 'add sslmode=verify-full to DATABASE_URL');
}
