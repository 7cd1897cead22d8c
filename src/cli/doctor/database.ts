import { startFault } from '../../app/start-fault.ts';
import { isAway, wordsOf } from '../../store/away.ts';
import { type ServerTls, serverTlsOf } from '../../store/server-tls.ts';
import type { Examination } from './examination.ts';
import { checkFile, type FileCheck } from './file-check.ts';
import { type Diagnosis, type Finding, fails, warning, works } from './finding.ts';
import { type AccountRest, checkServer, type ServerCheck } from './server-check.ts';

/** @property resting the accounts that rest for the bots on this database */
export type DatabaseFindings = { findings: Finding[]; resting: readonly AccountRest[] };

/** Opens the database as far as the bot needs it, and changes nothing. */
export async function examineDatabase({
  settings: { database },
}: Pick<Examination, 'settings'>): Promise<DatabaseFindings> {
  try {
    if ('directory' in database) return found(sayFile(checkFile(database.directory)));
    const check = await checkServer(database.url);
    return found(sayServer(check, serverTlsOf(database)), check.kind === 'ready' ? check.resting : []);
  } catch (error) {
    return found(sayFault(error));
  }
}

function found(diagnosis: Diagnosis, resting: DatabaseFindings['resting'] = []): DatabaseFindings {
  return { findings: [{ system: 'database', ...diagnosis }], resting };
}

function sayFault(error: unknown): Diagnosis {
  const words = startFault(error);
  if (words !== undefined) return fails(words);
  if (!isAway(error)) throw error;
  return fails(
    `the embedded database does not open: ${wordsOf(error)}`,
    'make room on its disk; if there is room, put back a copy of DATA_DIR, or set another folder',
  );
}

function sayFile(check: FileCheck): Diagnosis {
  switch (check) {
    case 'opens':
      return works('the embedded database opens');
    case 'held':
      return works(
        'a bot holds the embedded database, so it was not opened; /readyz of that bot says how it is',
      );
    case 'not made':
      return works('the first start makes the embedded database in DATA_DIR');
    case "another user's":
      return warning(
        'the embedded database belongs to another user, so it was not opened',
        "run the doctor as the bot's own user",
      );
  }
}

function sayServer(check: ServerCheck, tls: ServerTls): Diagnosis {
  switch (check.kind) {
    case 'ready': {
      const tables = check.hasTables ? 'its tables are there' : 'the first start makes its tables';
      return withTls(`Postgres ${check.version} gives the bot its rights; ${tables}`, tls);
    }
    case 'read only':
      return fails('the server takes no changes (a standby?)', 'name the primary server in DATABASE_URL');
    case 'away':
      return sayAway(check.code);
  }
}

function withTls(what: string, tls: ServerTls): Diagnosis {
  switch (tls) {
    case 'none needed':
    case 'TLS':
      return works(what);
    case 'unchecked TLS':
      return warning(`${what}\nnobody checks its certificate`, 'set sslmode=verify-full in DATABASE_URL');
    case 'no TLS':
      return warning(`${what}\nnothing protects the way to it`, 'add sslmode=verify-full to DATABASE_URL');
  }
}

function sayAway(code: string | undefined): Diagnosis {
  if (code !== undefined && /^(?=.*\d)[0-9A-Z]{5}$/.test(code))
    return fails(
      `the server lets nobody in for now (SQLSTATE ${code})`,
      "ask those who run the server; Appendix A of Postgres' manual says what the code means",
    );
  return fails(
    code === undefined ? 'the server does not answer (time-out)' : `the server is not reached (${code})`,
    'check host and port in DATABASE_URL, the firewall on the way, and whether the server runs',
  );
}
