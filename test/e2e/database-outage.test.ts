import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { startBot as startMain } from '../../src/sandbox/sandbox.ts';
import { readyzOf } from '../serve.ts';
import { skipTest } from '../skip-test.ts';
import { type Bot, startBot, startBotProcess, untilOpen } from '../start-bot.ts';
import { type PostgresServer, startPostgres } from '../store/postgres-server.ts';
import { until } from '../test-clock.ts';

const LOOKUP = 'lookup AA:BB:CC:DD:EE:FF';
const NEEDS_IT = ['alerts list', 'alerts here as night', 'disconnect'];
const NO_DATABASE = 'I cannot reach my database right now, which this needs. Please try again in a moment.';
const AWAY = expect.stringMatching(/^database (?!ok).*quick lookups go on/);

const expectState = async (bot: Bot, database: string) =>
  expect(await readyzOf(bot)).toMatchObject({ code: 200, parts: { database } });
const isState = (bot: Bot, database: string) => vi.waitFor(() => expectState(bot, database), 20_000);

const troubles = ({ log }: Bot, from = 0): string[] =>
  log
    .slice(from)
    .map((line) => JSON.parse(line) as { level: number; msg: string; err?: object })
    .filter(({ level, msg, err }) => level >= 40 || err !== undefined || msg.includes('database'))
    .map(({ msg, err }) => (err === undefined ? msg : `${msg}: an error`));

/** Asks for lookups until the signal comes, each answered; returns the slowest answer's milliseconds. */
async function askAllTheTime({ say }: Bot, signal: AbortSignal): Promise<number> {
  let slowest = 0;
  for (let person = 0; !signal.aborted; person += 4) {
    const asked = [0, 1, 2, 3].map((n) => say(LOOKUP, { from: { id: `user-${person + n}` } }));
    for (const { status, ms } of await Promise.all(asked)) {
      expect(status).toBe(200);
      slowest = Math.max(slowest, ms);
    }
  }
  return slowest;
}

describe('a bot whose Postgres', { timeout: 90_000 }, () => {
  let postgres: PostgresServer;
  beforeEach(async () => {
    postgres ??= await startPostgres().catch(({ message }: Error) => skipTest(message));
  });
  afterAll(() => postgres?.close());

  it('stops and starts under load is logged once each way', async () => {
    const bot = await startBot({ settings: { DATABASE_URL: postgres.url } });
    await vi.waitFor(() => expect(troubles(bot)).toEqual(['database ok']));
    const from = bot.log.length;
    const load = new AbortController();
    const slowest = askAllTheTime(bot, load.signal);
    slowest.catch(() => {}); // It is awaited below.
    await postgres.stop();
    await isState(bot, 'does not answer');
    const until = Date.now() + 3000;
    for (let person = 0; Date.now() < until; person++) {
      const from = { id: `admin-${person}` }; // One person may send 120 messages a minute.
      for (const text of NEEDS_IT) expect((await bot.say(text, { from })).texts, text).toContain(NO_DATABASE);
      await expectState(bot, 'does not answer');
    }
    await postgres.start();
    await isState(bot, 'ok');
    await vi.waitFor(async () => expect((await bot.say('status')).texts.join()).toContain('Posts: '), 5000);
    load.abort();
    expect(await slowest).toBeLessThan(3000);
    expect(troubles(bot, from)).toEqual([AWAY, 'database ok']);
  });

  it('is away at the start is ready after 10 s, and opens it later', async () => {
    await postgres.stop();
    const bot = await startBot({ settings: { DATABASE_URL: postgres.url }, waits: false });
    expect((await readyzOf(bot)).code).toBe(503);
    await isState(bot, 'cannot be opened');
    expect(await bot.ask(LOOKUP)).toContain('connected.');
    await postgres.start();
    await isState(bot, 'ok');
    await vi.waitFor(() => expect(troubles(bot)).toEqual([AWAY, 'database ok']));
    expect(bot.log.join('\n')).toMatch(/"reason":"connect ECONNREFUSED .*database cannot be opened/);
  });
});

const run = promisify(execFile);
const MAIN = join(import.meta.dirname, '../../src/main.ts');
const ALERT = 'link down AA:BB:CC:DD:EE:FF';

/** Lets no file of a process grow beyond so many bytes, which is a full disk to it and needs no root. */
const limitFiles = (pid: number | undefined, bytes: number | 'unlimited') =>
  run('prlimit', [`--pid=${pid}`, `--fsize=${bytes}:`]);

function littleMoreIn(folder = ''): number {
  const sizeOf = (name: string) => statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0;
  return Math.max(sizeOf('nac-lookup-bot.db'), sizeOf('nac-lookup-bot.db-wal')) + 200_000;
}

const databaseOf = async (bot: { url: string }) => (await readyzOf(bot)).parts.database;

it.runIf(process.platform === 'linux')(
  'a bot with a full disk answers, loses nothing, and goes on later',
  { timeout: 90_000 },
  async () => {
    const bot = await startBotProcess();
    const { url, app } = bot;
    const linesWith = (words: string) => bot.log.filter((line) => line.includes(words));

    await limitFiles(app.child.pid, littleMoreIn(bot.sandbox.environment.DATA_DIR));
    const kept: string[] = [];
    for (let round = 0; (await databaseOf(bot)) === 'ok'; round++) {
      const name = randomBytes(500).toString('hex');
      const conversation = { id: 'night', name, conversationType: 'personal' };
      const { texts } = await bot.say(`alerts here as night-${round}`, { conversation });
      if (!texts[0]?.includes('I cannot reach my database')) kept.push(`night-${round}`);
    }
    expect(kept.length).toBeGreaterThan(10);
    expect(await fetch(`${url}/healthz`)).toMatchObject({ status: 200 });
    const late = { timestamp: new Date(Date.now() - 60_000).toISOString() }; // So late that it is to become a job.
    for (const changes of [{}, late]) {
      const { texts, ms } = await bot.say(LOOKUP, changes);
      expect(texts).toEqual([expect.stringContaining('connected.')]);
      expect(ms).toBeLessThan(10_000);
    }
    expect((await bot.alert(ALERT)).status).toBe(503);
    await limitFiles(app.child.pid, 'unlimited');
    await untilOpen(url);
    expect((await bot.alert(ALERT)).status).toBe(202);
    await until(() => expect(linesWith('database ok')).toHaveLength(2)); // Lines are written in batches.
    expect(linesWith('quick lookups go on')).toHaveLength(1);
    const list = await bot.ask('alerts list');
    expect(kept.filter((name) => !list.includes(name))).toEqual([]);

    const stopping = performance.now();
    await app.stop();
    expect(app.child.exitCode).toBe(0);
    expect(performance.now() - stopping).toBeLessThan(12_000);

    const full = { program: 'prlimit', args: ['--fsize=0:', process.execPath, MAIN] };
    const next = await startMain({ ...bot.sandbox.environment, PORT: '0' }, () => {}, full);
    onTestFinished(next.kill);
    expect(await databaseOf(next)).not.toBe('ok');
    await limitFiles(next.child.pid, 'unlimited');
    await untilOpen(next.url);
  },
);
