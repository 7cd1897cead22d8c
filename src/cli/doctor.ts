import { accessSync, constants, existsSync, lstatSync, statfsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openUpstreams, startFault } from '../app/start.ts';
import { linesOf, type Read, readSettings } from '../settings.ts';
import { type DatabaseSettings, SCHEMA, TABLES_VERSION } from '../store/dialect.ts';
import { LastingFaultError, lastingFaultOf } from '../store/faults.ts';
import { onServer } from '../store/postgres.ts';
import { fileIn, isWhole, lockFolder, readVersion, refuseOld } from '../store/sqlite.ts';
import { type Command, reasonFor } from './command.ts';
import { examineSystem, type Finding, fails, systemsOf, warning, works } from './doctor/systems.ts';

/**
 * `doctor [--post]`: makes each of the bot's own calls once with the present settings, and prints a table on stdout. Exit code:
 * 0 all work, 1 something does not, 2 settings or arguments are wrong.
 */
export const doctor: Command = async (args, environment) => {
  if (args.some((arg) => arg !== '--post')) return undefined;
  const read = readSettings(environment);
  let code = 0;
  for await (const [system, found] of examine(read, args.length > 0)) {
    process.stdout.write(renderRow(system, found));
    if (found.state === 'FAILS') code = 1;
  }
  return { code: 'problems' in read ? 2 : code, text: '' };
};

/** State, system and finding, then the next step. A screen of any width breaks these lines. */
export function renderRow(system: string, { state, what, next }: Finding): string {
  const text = next ? `${what.trim()}\nnext: ${next}` : what;
  return `${state.padEnd(9)}${system.padEnd(23)}${text.replaceAll(/\n\s*/g, '\n  ')}\n`;
}

/** Makes all calls at the same time, and yields the rows in the table's order. @param post posts one line to the room */
export async function* examine(read: Read, post: boolean): AsyncGenerator<[string, Finding]> {
  if ('problems' in read)
    return yield ['settings', fails(linesOf(read.problems), 'set or correct them (docs/settings.md)')];
  const { settings } = read;
  const doubted = warning(linesOf(settings.doubts), 'correct what is not meant; the bot starts anyway');
  yield ['settings', settings.doubts.length > 0 ? doubted : works('all are accepted')];
  const upstreams = openUpstreams(settings);
  const rows = new Map<string, Promise<Finding>>();
  for (const each of systemsOf(settings))
    rows.set(each.system, examineSystem(each, { settings, post, upstreams }, rows.get('NAC')));
  rows.set('database', examineDatabase(settings.database));
  for (const [system, found] of rows) yield [system, await found];
  await Promise.all(Object.values(upstreams).map((upstream) => upstream.close()));
}

/** Opens the database as far as the bot needs it, and changes nothing. */
export async function examineDatabase(database: DatabaseSettings): Promise<Finding> {
  const isFile = 'directory' in database;
  try {
    if (isFile) return examineFile(resolve(database.directory));
    const row = `insert into ${SCHEMA}.kept (kind, key, at) values ('doctor', 'doctor', 0)`;
    await onServer(database.url, 'nac-lookup-bot doctor', (client) => client.query(row));
    return works('the bot has its rights');
  } catch (error) {
    const words = isFile ? startFault(error) : undefined;
    const { code, reason } = words === undefined ? reasonFor(error) : { code: 2, reason: words };
    return code === 2 ? fails(reason) : fails(reason, isFile ? FILE_CURE : SERVER_CURE);
  }
}

const FILE_CURE =
  'check the room on the disk of DATA_DIR, and which other program has nac-lookup-bot.db open';
const SERVER_CURE = 'check the host and the port in DATABASE_URL, and that the server runs and has room';

/** Reads the embedded database, unless another process has it. Meanwhile no bot can start on it. */
function examineFile(folder: string): Finding {
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
    if (readVersion(file) > TABLES_VERSION) throw new LastingFaultError('newer release');
    if (!isWhole(file)) throw new LastingFaultError('no SQLite');
    return works('the embedded database opens');
  } catch (error) {
    if (lastingFaultOf(error) !== 'folder in use') throw error;
    return works('a bot holds the embedded database; /readyz of that bot says how it is');
  }
}
