import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { startProcess } from '../../src/sandbox/process.ts';
import { type RunningBot, startBot } from '../../src/sandbox/sandbox.ts';
import { type PostgresServer, startPostgres } from '../store/postgres.ts';
import { openReadyStage, type Stage } from './bot.ts';

const SLOW = '00:1B:54:00:00:07';
const SILENT = '00:1B:54:00:0B:06';

let folder: string;
let postgres: PostgresServer;
let stage: Stage | undefined;
let second: RunningBot | undefined;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'moving-'));
  postgres = await startPostgres();
});
afterEach(async () => {
  await second?.kill();
  await stage?.close();
});
afterAll(async () => {
  await postgres.close();
  await rm(folder, { recursive: true });
});

/** Runs `npm run export` or `npm run import` with nothing set but these. Returns what it prints, or how it failed. */
async function move(verb: string, path: string, env: Record<string, string>): Promise<string> {
  const lines: string[] = [];
  const failure = await startProcess({
    args: [fileURLToPath(new URL(`../../src/cli/${verb}.ts`, import.meta.url)), path],
    env,
    upWhen: () => undefined,
    onLine: (line) => lines.push(line),
  }).catch((error: Error) => error.message.split('.ts ')[1]);
  return failure === 'ended with 0:\n' ? lines.join('\n') : String(failure);
}

describe('a bot killed in the middle of jobs', { timeout: 180_000 }, () => {
  it('goes on elsewhere after export and import, and loses none', async () => {
    // No call about the silent device ends before the test does.
    const patient = { NAC_TIMEOUT_MS: '120000' };
    stage = await openReadyStage({ ALERTS_TOKEN: 'token-for-alerts', ...patient });
    const { DATA_DIR = '' } = stage.sandbox.environment;
    const file = join(folder, 'export.jsonl');
    await stage.say('alerts here as night', { id: 'name' });
    await sendAlert(stage, `down: ${SILENT}`);
    await vi.waitFor(() => expect(callsAbout(SILENT)).toBe(1), 10_000);
    expect(await move('export', file, { DATA_DIR })).toBe(
      'ended with 1:\nThe export failed: a bot uses the folder in DATA_DIR: stop that bot first.\n',
    );
    await Promise.all(['one', 'two', 'three'].map((id) => stage?.say(`lookup ${SLOW}`, { id })));
    await stage.bot.kill();

    expect(await move('export', file, { DATA_DIR })).toBe(
      `Exported to ${file}: names of threads 1, autoreplies 0, welcomes 0, personal chats 0, incidents 0, kept sign-ins 0, unfinished and dead jobs 4, done jobs 0.`,
    );
    expect((await readFile(file, 'utf8')).match(/"queue":"\w+"|"deaths":1/g)?.toSorted()).toEqual([
      '"deaths":1', // The alert was under way.
      '"queue":"alert"',
      ...['"queue":"lookup"', '"queue":"lookup"', '"queue":"lookup"'],
    ]);
    expect(await move('import', file, { DATABASE_URL: postgres.url })).toMatch(
      /^Imported from .*: names of threads 1, .*, unfinished and dead jobs 4, done jobs 0\.$/,
    );

    const before = stage.replies.length;
    second = await startBot(
      {
        ...stage.sandbox.environment,
        ...patient,
        PORT: '0',
        ALLOWED_CHANNELS: '*',
        DATABASE_URL: postgres.url,
      },
      () => {},
    );
    await vi.waitFor(() => expect(stage?.replies.slice(before)).toHaveLength(3), 60_000);
    expect(
      stage.replies
        .slice(before)
        .map(({ activity }) => activity.replyToId)
        .toSorted(),
    ).toEqual(['one', 'three', 'two']);
    await vi.waitFor(() => expect(callsAbout(SILENT)).toBe(2), 30_000);
    expect(await move('import', file, { DATABASE_URL: postgres.url })).toMatch(
      /^ended with 1:\nThe import failed: the database is not empty \(/,
    );
  });
});

function callsAbout(address: string): number {
  return stage?.sandbox.nacCalls.filter(({ path }) => path.includes(address)).length ?? 0;
}

async function sendAlert({ bot }: Stage, text: string): Promise<void> {
  const { status } = await fetch(`${bot.url}/api/alerts/night`, {
    method: 'POST',
    headers: { authorization: 'Bearer token-for-alerts', 'content-type': 'application/json' },
    body: JSON.stringify({ text }),
  });
  expect(status).toBe(202);
}

describe('the commands', () => {
  it.each([
    ['export', { DATABASE_URL: 'mysql://canary' }, 'ended with 2:\nDATABASE_URL must be a Postgres address'],
    [
      'export',
      { DATABASE_URL: 'postgres://canary@127.0.0.1:1/x' },
      'ended with 1:\nThe export failed: the database cannot be reached (connect ECONNREFUSED 127.0.0.1:1).\n',
    ],
    ['import', { DATABASE_URL: 'postgres://canary@127.0.0.1:1/x' }, 'ended with 1:\nThe import failed: '],
    [
      'export',
      { DATA_DIR: '/nonexistent/canary' },
      'ended with 1:\nThe export failed: there is no database in /nonexistent/',
    ],
  ])('say in one sentence why nothing was done: %s %j', async (verb, env, words) => {
    const said = await move(verb, join(folder, 'none.jsonl'), env);
    expect(said.startsWith(words), said).toBe(true);
    expect(said.trimEnd().split('\n')).toHaveLength(2);
  });

  it('say which settings are wrong, and how they are called', async () => {
    const wrong = Object.assign(new URL(postgres.url), { password: 'canary' }).href;
    const said = await move('export', join(folder, 'none.jsonl'), { DATABASE_URL: wrong });
    expect(said).toMatch(
      /^ended with 2:\nThe export failed: the database server refuses the user name or password/,
    );
    expect(said).not.toContain('canary');
    expect(await move('import', '', {})).toContain('The import failed: ');
  });
});
