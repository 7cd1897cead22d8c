import { statSync } from 'node:fs';
import { chmod, chown, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { startFault } from '../../src/app/start-fault.ts';
import { openProcessStage, openReadyStage, openStage, type Stage } from '../stage.ts';
import { type PostgresServer, runIn, startPostgres } from '../store/postgres.ts';

let stage: Stage | undefined;
afterEach(async () => {
  await stage?.close();
  stage = undefined;
});

describe('a bot that its Postgres will never let in', () => {
  let postgres: PostgresServer;
  beforeAll(async () => {
    postgres = await startPostgres();
    await runIn(
      postgres.url,
      `create role guest login password 'canary-guest';
       create role member login password 'canary-member';
       grant connect, create on database nac_lookup to member;
       create role stranger login password 'canary-stranger';
       revoke connect on database nac_lookup from public`,
    );
  });
  afterAll(() => postgres.close());

  /** The address with another user, password or database, or with a parameter. */
  const urlWith = (changes: Partial<URL>) => Object.assign(new URL(postgres.url), changes).href;

  it.each<[what: string, changes: Partial<URL>, sentence: string]>([
    [
      'a wrong password',
      { password: 'canary-wrong' },
      'the database server refuses the user name or password in DATABASE_URL: correct them there, or set the password anew',
    ],
    [
      'an unknown user',
      { username: 'canary-nobody' },
      'the database server refuses the user name or password in DATABASE_URL: correct them there, or set the password anew',
    ],
    [
      'an unknown database',
      { pathname: '/canary-none' },
      'the database that DATABASE_URL names does not exist on the server: create it, or name another',
    ],
    [
      'a user who may not connect',
      { username: 'stranger', password: 'canary-stranger' },
      'the user in DATABASE_URL lacks a right in the database: grant CONNECT and CREATE on it, and make this user the owner of the schema nac_lookup_bot',
    ],
    [
      'TLS asked of a server that has none',
      { search: 'sslmode=verify-full' },
      'the connection to the database server cannot be secured: check sslmode and sslrootcert in DATABASE_URL, and the certificate of the server',
    ],
    [
      'an authority in a file that is not there',
      { search: 'sslmode=verify-full&sslrootcert=/canary/none.pem' },
      'DATABASE_URL cannot be used: write special characters as %XX, and name only files that this user can read',
    ],
  ])('does not start, and says why: %s', async (_, changes, sentence) => {
    expect(await endOf({ DATABASE_URL: urlWith(changes) })).toBe(sentence);
    expect(stage?.log.join('\n')).not.toMatch(/canary|"level":[45]0/);
  });

  it('says which rights are missing, and needs no others', async () => {
    await runIn(postgres.url, 'grant connect on database nac_lookup to guest');
    const guest = urlWith({ username: 'guest', password: 'canary-guest' });
    expect(await endOf({ DATABASE_URL: guest })).toContain('grant CONNECT and CREATE on it');
    await stage?.close();
    stage = await openReadyStage({
      DATABASE_URL: urlWith({ username: 'member', password: 'canary-member' }),
    });
    await stage.say('alerts here as night');
    expect((await stage.say('alerts list')).texts.join()).toContain('night');
  });

  it('goes on if that happens while it runs, says why, and is back with the right password', async () => {
    await runIn(postgres.url, "create role rotated login password 'canary-first' in role member");
    await runIn(postgres.url, 'grant connect, create on database nac_lookup to rotated');
    stage = await openReadyStage({
      DATABASE_URL: urlWith({ username: 'rotated', password: 'canary-first' }),
    });
    const setPassword = (password: string) =>
      runIn(
        postgres.url,
        `alter role rotated password '${password}';
         select pg_terminate_backend(pid) from pg_stat_activity where usename = 'rotated'`,
      );
    await setPassword('canary-second');
    const reason = /"reason":"password authentication failed for user .*the database is away/;
    await vi.waitFor(() => expect(stage?.log.join('\n')).toMatch(reason), 10_000);
    expect((await stage.say('alerts list')).texts).toEqual([expect.stringContaining('I cannot reach')]);
    await setPassword('canary-first');
    await vi.waitFor(() => expect(stage?.log.join('\n')).toContain('the database is back'), 10_000);
  });
});

/** Whether another user than root can load the bot. */
const mayOthersRead =
  process.getuid?.() !== 0 || pathsTo(import.meta.dirname).every((path) => (statSync(path).mode & 0o001) > 0);

function pathsTo(path: string): string[] {
  return path === dirname(path) ? [path] : [...pathsTo(dirname(path)), path];
}

const FILE = 'nac-lookup-bot.db';

describe('a bot that cannot use the files of its embedded database', () => {
  it.each<[what: string, change: (folder: string) => Promise<void>, sentence: string]>([
    [
      'the file is no SQLite',
      (folder) => writeFile(join(folder, FILE), 'no database'.repeat(100)),
      'nac-lookup-bot.db in DATA_DIR is no SQLite database, or is damaged: put back a copy, or set another folder',
    ],
    [
      'a newer release made the file',
      async (folder) => {
        const file = new DatabaseSync(join(folder, FILE));
        file.exec('update meta set version = version + 1');
        file.close();
      },
      'a newer release of the bot made nac-lookup-bot.db in DATA_DIR: start that release, or put back an older copy',
    ],
    [
      'release 0.1.0 has its data there',
      async (folder) => void (await mkdir(join(folder, 'postgres'))),
      'DATA_DIR holds data of release 0.1.0, which this release cannot read: let 0.1.0 empty its queues, then set another folder; people connect again, and alerts need "alerts here as" again',
    ],
  ])('does not start, and says why: %s', async (_, change, sentence) => {
    expect(startFault(await failureWith(change))).toBe(sentence);
  });

  it.runIf(mayOthersRead)('exits with 2 and says why: it may not write there', async () => {
    const failure = await failureWith(
      async (folder) => {
        if (process.getuid?.() === 0) await chown(folder, NOBODY, NOBODY);
        else await chmod(join(folder, FILE), 0o400);
      },
      (settings) => openProcessStage({ ...AS_NOBODY, ...settings }),
    );
    expect(String(failure)).toMatch(/ended with 2:/);
    expect(String(failure)).toContain('this user may not listen on PORT or may not write to DATA_DIR');
  });
});

const NOBODY = 65_534;

/** Root may write everywhere; another user can still load the bot. */
const AS_NOBODY: Record<string, string> =
  process.getuid?.() === 0
    ? { NODE_OPTIONS: `--import=data:text/javascript,process.setgid(${NOBODY});process.setuid(${NOBODY})` }
    : {};

/** What ends a bot that listens. */
async function endOf(settings: Record<string, string>): Promise<string | undefined> {
  stage = await openStage(settings);
  return startFault(await stage.bot.failure);
}

/** Why a bot does not start after a change of its database's files. @param start opens the bot, and rejects */
async function failureWith(
  change: (folder: string) => Promise<void>,
  start: (settings: Record<string, string>) => Promise<unknown> = openStage,
): Promise<unknown> {
  stage = await openReadyStage();
  const { DATA_DIR = '' } = stage.sandbox.environment;
  await stage.bot.stop();
  await change(DATA_DIR);
  return start({ DATA_DIR }).then(
    () => 'it started',
    (error: unknown) => error,
  );
}
