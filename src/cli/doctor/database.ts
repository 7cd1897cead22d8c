import { accessSync, constants, existsSync, lstatSync, statfsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { DATABASE_TLS } from '../../../dialogs/commands/status.ts';
import { startFault } from '../../app/start.ts';
import { reachCure } from '../../domain/cures.ts';
import { type DatabaseSettings, isNewer, SCHEMA } from '../../store/dialect.ts';
import * as faults from '../../store/faults.ts';
import * as server from '../../store/postgres.ts';
import { fileIn, isWhole, lockFolder, readVersion, refuseOld } from '../../store/sqlite.ts';
import { type Diagnosis, fails, warning, works } from './table.ts';

/** Opens the database as far as the bot needs it, and changes nothing. */
export async function examineDatabase(database: DatabaseSettings): Promise<Diagnosis> {
  const isFile = 'directory' in database;
  try {
    return isFile ? examineFile(resolve(database.directory)) : await examineServer(database);
  } catch (error) {
    const isLasting = faults.lastingFaultOf(error) !== undefined;
    const words = isLasting || isFile ? startFault(error) : undefined;
    if (words !== undefined) return fails(words);
    const isRefusal = faults.isRefusal(error);
    if (!isRefusal && !faults.isAway(error)) throw error;
    const state = faults.stateOf(error);
    if (isFile) return fails(`${state} (${faults.wordsOf(error)})`, FILE_CURE);
    const code = faults.codeOf(error) ?? faults.wordsOf(error);
    const next = isRefusal ? 'ask those who run the server' : reachCure('DATABASE_URL', code);
    return fails(`${state} (${code})`, next);
  }
}

const FILE_CURE =
  'check the room on the disk of DATA_DIR, and which other program has nac-lookup-bot.db open';

/** Reads the embedded database, unless another process has it. Meanwhile no bot can start on it. */
function examineFile(folder: string): Diagnosis {
  refuseOld(folder);
  const [path, above] = [fileIn(folder), nearest(folder)];
  if (!existsSync(path)) accessSync(`${above}/.`, constants.W_OK | constants.X_OK); // The dot refuses a file.
  const { blocks, bavail } = statfsSync(above); // Some file systems have no blocks.
  if (blocks > 0 && bavail === 0) return fails(`the disk of DATA_DIR is full (${folder})`, 'make room there');
  if (!existsSync(path)) return works('the first start makes the embedded database in DATA_DIR');
  if (statSync(path).uid !== process.geteuid?.())
    return warning('the embedded database is of another user', "run the doctor as the bot's own user");
  try {
    using _lock = { [Symbol.dispose]: lockFolder(folder).release };
    using file = new DatabaseSync(path);
    if (isNewer(readVersion(file))) throw new faults.LastingFaultError('newer release');
    if (!isWhole(file)) throw new faults.LastingFaultError('no SQLite');
    return works('the embedded database opens');
  } catch (error) {
    if (faults.lastingFaultOf(error) !== 'folder in use') throw error;
    return works('a bot holds the embedded database; /readyz of that bot says how it is');
  }
}

function nearest(path: string): string {
  const isThere = lstatSync(path, { throwIfNoEntry: false }) !== undefined; // A link to nothing is there, too.
  return isThere || path === dirname(path) ? path : nearest(dirname(path));
}

/** Tries the rights that the bot needs, in a transaction that is rolled back. */
async function examineServer(database: Extract<DatabaseSettings, { url: unknown }>): Promise<Diagnosis> {
  const { Client } = (await import('pg')).default;
  const client = new Client(server.connectionTo(database.url, 'nac-lookup-bot doctor'));
  client.on('error', () => {}); // The call under way rejects too.
  try {
    await client.connect();
    await client.query('begin');
    await server.makeTables(client);
    await client.query(`insert into ${SCHEMA}.kept (kind, key, at) values ('doctor', 'doctor', 0)`);
    await client.query('rollback');
    const tls = server.serverTlsOf(database);
    const found = ['the bot has its rights', ...DATABASE_TLS[tls]].join('\n');
    const isChecked = tls === 'TLS' || tls === 'none needed';
    return isChecked ? works(found) : warning(found, 'add sslmode=verify-full to DATABASE_URL');
  } finally {
    await client.end().catch(() => {}); // The check is over.
  }
}
