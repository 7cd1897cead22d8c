import { statSync } from 'node:fs';
import { chmod, chown } from 'node:fs/promises';
import { dirname, join } from 'node:path';
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

it.runIf(mayOthersRead)('a bot that may not write to its folder exits with 2, and says why', async () => {
  stage = await openReadyStage();
  const { DATA_DIR = '' } = stage.sandbox.environment;
  await stage.bot.stop();
  if (process.getuid?.() === 0) await chown(DATA_DIR, NOBODY, NOBODY);
  else await chmod(join(DATA_DIR, 'nac-lookup-bot.db'), 0o400);
  const failure = await openProcessStage({ ...AS_NOBODY, DATA_DIR }).catch((error: unknown) => error);
  expect(String(failure)).toMatch(/ended with 2:/);
  expect(String(failure)).toContain('this user may not listen on PORT or may not write to DATA_DIR');
});

const NOBODY = 65_534;

/** Root may write everywhere; another user can still load the bot. */
const AS_NOBODY: Record<string, string> =
  process.getuid?.() === 0
    ? { NODE_OPTIONS: `--import=data:text/javascript,process.setgid(${NOBODY});process.setuid(${NOBODY})` }
    : {};
