import { statSync } from 'node:fs';
import { chmod, chown, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { startFault } from '../../src/app/start-fault.ts';
import { openProcessStage, openReadyStage, openStage, type Stage } from '../stage.ts';
import { createUser, newDatabase, runIn } from '../store/postgres.ts';

let stage: Stage | undefined;
afterEach(async () => {
  await stage?.close();
  stage = undefined;
});

describe('a bot on a Postgres', () => {
  it('does not start if the server will never let it in, and says why without a secret', async () => {
    stage = await openStage({ DATABASE_URL: await createUser(await newDatabase(), 'guest', 'none') });
    expect(startFault(await stage.bot.failure)).toContain('lacks a right in the database');
    expect(stage.log.join('\n')).not.toMatch(/canary|"level":[45]0/);
  });

  it('needs the rights to connect and to create, and no others', async () => {
    stage = await openReadyStage({
      DATABASE_URL: await createUser(await newDatabase(), 'member', 'connect, create'),
    });
    await stage.say('alerts here as night');
    expect((await stage.say('alerts list')).texts.join()).toContain('night');
  });

  it('goes on if its password is refused while it runs, says why, and is back with the right one', async () => {
    const database = await newDatabase();
    const url = await createUser(database, 'rotated', 'connect, create');
    const { username, password } = new URL(url);
    stage = await openReadyStage({ DATABASE_URL: url });
    const setPassword = (changed: string) =>
      runIn(
        database,
        `alter role ${username} password '${changed}';
         select pg_terminate_backend(pid) from pg_stat_activity where usename = '${username}'`,
      );
    const isLogged = (words: RegExp) =>
      vi.waitFor(() => expect(stage?.log.join('\n')).toMatch(words), 10_000);
    await setPassword('canary-second');
    await isLogged(/"reason":"password authentication failed for user .*the database is away/);
    expect((await stage.say('alerts list')).texts).toEqual([expect.stringContaining('I cannot reach')]);
    await setPassword(password);
    await isLogged(/the database is back/);
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
