import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { readyzOf } from '../serve.ts';
import { skipTest } from '../skip-test.ts';
import { type Bot, startBot } from '../start-bot.ts';
import { type PostgresServer, startPostgres } from '../store/postgres-server.ts';

const LOOKUP = 'lookup AA:BB:CC:DD:EE:FF';
const NEEDS_IT = ['alerts list', 'alerts here as night', 'disconnect'];
const NO_DATABASE = 'I cannot reach my database right now, which this needs. Please try again in a moment.';
const AWAY = expect.stringMatching(/^database away: .*quick lookups go on/);

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
    expect(bot.log.join('\n')).toMatch(/"reason":"connect ECONNREFUSED .*database away/);
  });
});
