import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Client } from 'pg';
import { startFault } from '../../app/start.ts';
import type { Secret } from '../../domain/secret.ts';
import type { Settings } from '../../settings.ts';
import { isNewer, POSTGRES } from '../../store/dialect.ts';
import {
  isAway,
  isRefusal,
  LastingFaultError,
  lastingFaultOf,
  stateOf,
  wordsOf,
} from '../../store/faults.ts';
import * as server from '../../store/postgres.ts';
import { fileIn, lockFolder, readVersion, refuseOld } from '../../store/sqlite.ts';
import { type Diagnosis, fails, warning, works } from './table.ts';

/** Opens the database as far as the bot needs it, and changes nothing. */
export async function examineDatabase({ database }: Pick<Settings, 'database'>): Promise<Diagnosis> {
  try {
    if ('directory' in database) return examineFile(database.directory);
    return warnOf(server.serverTlsOf(database), await examineServer(database.url));
  } catch (error) {
    const lasting = lastingFaultOf(error);
    const words = startFault(lasting === undefined ? error : new LastingFaultError(lasting));
    if (words !== undefined) return fails(words);
    if (!isAway(error) && !isRefusal(error)) throw error;
    if ('url' in database) return sayAway(error);
    return fails(
      `the embedded database does not open: ${wordsOf(error)}`,
      'make room on its disk; if there is room, put back a copy of DATA_DIR, or set another folder',
    );
  }
}

/** Reads the embedded database, unless another process has it. Meanwhile no bot can start on it. */
function examineFile(folder: string): Diagnosis {
  refuseOld(folder);
  const path = fileIn(folder);
  if (!existsSync(path)) {
    accessSync(`${nearest(folder)}/.`, constants.W_OK | constants.X_OK); // The dot refuses a file.
    return works('the first start makes the embedded database in DATA_DIR');
  }
  if (statSync(path).uid !== process.geteuid?.())
    return warning(
      'the embedded database belongs to another user, so it was not opened',
      "run the doctor as the bot's own user",
    );
  try {
    using _lock = { [Symbol.dispose]: lockFolder(folder).release };
    using file = new DatabaseSync(path);
    if (isNewer(readVersion(file))) throw new LastingFaultError('newer release');
    return works('the embedded database opens');
  } catch (error) {
    if (lastingFaultOf(error) !== 'folder in use') throw error;
    return works(
      'a bot holds the embedded database, so it was not opened; /readyz of that bot says how it is',
    );
  }
}

/** Returns the folder itself, or the nearest above that exists. */
function nearest(folder: string): string {
  const path = resolve(folder);
  return existsSync(path) || path === dirname(path) ? path : nearest(dirname(path));
}

/** Tries the rights that the bot needs, in a transaction that is rolled back. */
async function examineServer(url: Secret): Promise<Diagnosis> {
  const { Client } = (await import('pg')).default;
  let client: Client | undefined;
  try {
    client = new Client(server.connectionTo(url, 'nac-lookup-bot doctor'));
    client.on('error', () => {}); // The call under way rejects too.
    await client.connect();
    await server.refuseOld(client);
    const version = await client.query<{ v: string }>("select current_setting('server_version') as v");
    const hasTables = (await client.query(POSTGRES.isMade)).rows.length > 0;
    await client.query('begin');
    await server.makeTables(client);
    await client.query(`delete from ${POSTGRES.kept} where kind = 'doctor'`);
    await client.query('rollback');
    const tables = hasTables ? 'its tables are there' : 'the first start makes its tables';
    return works(`Postgres ${version.rows[0]?.v} gives the bot its rights; ${tables}`);
  } finally {
    await client?.end().catch(() => {}); // The check is over.
  }
}

/** Warns of a connection that others could read. */
function warnOf(tls: server.ServerTls, diagnosis: Diagnosis): Diagnosis {
  const { what } = diagnosis;
  if (tls === 'unchecked TLS')
    return warning(`${what}\nnobody checks its certificate`, 'set sslmode=verify-full in DATABASE_URL');
  if (tls === 'no TLS')
    return warning(`${what}\nnothing protects the way to it`, 'add sslmode=verify-full to DATABASE_URL');
  return diagnosis;
}

function sayAway(error: unknown): Diagnosis {
  if (stateOf(error) === 'takes no changes')
    return fails('the server takes no changes (a standby?)', 'name the primary server in DATABASE_URL');
  const { code = 'time-out' } = error as { code?: string };
  return isRefusal(error)
    ? fails(`the server lets nobody in for now (SQLSTATE ${code})`, 'ask those who run the server')
    : fails(
        `the server is not reached (${code})`,
        'check host and port in DATABASE_URL, the firewall on the way, and whether the server runs',
      );
}
