import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { textOf } from '../../src/sandbox/chat.ts';
import { openReadyStage, openStage, type Stage } from '../stage.ts';
import { type PostgresServer, runIn, startPostgres } from '../store/postgres.ts';

const LOOKUP = 'lookup AA:BB:CC:DD:EE:FF';
const NEEDS_IT = ['alerts list', 'alerts here as night', 'posts', 'posts retry', 'disconnect'];
const OUTAGE_MS = 5000;

let postgres: PostgresServer;
let stage: Stage;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterEach(() => stage.close());
afterAll(() => postgres.close());

async function readyz(): Promise<{ status: number; database: string }> {
  const response = await fetch(`${stage.bot.url}/readyz`);
  const { parts } = (await response.json()) as { parts: { database: string } };
  return { status: response.status, database: parts.database };
}

/** The answers to one message among others. */
async function answersTo(text: string): Promise<string[]> {
  const id = randomUUID();
  await stage.say(text, { id });
  return stage.replies.filter(({ replyToId }) => replyToId === id).map(textOf);
}

type Line = { level: number; msg: string; reason?: string; err?: object };

const linesOf = ({ log }: Stage, from = 0): Line[] => log.slice(from).map((line) => JSON.parse(line));

/** The lines that an operator sees as trouble, or as its end. */
const toldOf = (lines: readonly Line[]) =>
  lines
    .filter(({ level, msg, err }) => level >= 40 || err !== undefined || msg.includes('database'))
    .map(({ msg }) => msg);

describe('a bot whose Postgres stops and starts under load', () => {
  it('stays ready, answers lookups, says what it cannot do, and logs one line each way', async () => {
    stage = await openReadyStage({ DATABASE_URL: postgres.url, ALERTS_TOKEN: 'token-for-alerts' });
    const { log } = stage;
    await vi.waitFor(() => expect(log.some((line) => line.includes('"database open"'))).toBe(true));
    const from = log.length;
    const load = new AbortController();
    const slowest = askAllTheTime(load.signal);
    slowest.catch(() => {}); // It is awaited below.
    await postgres.stop();
    await vi.waitFor(async () => expect((await readyz()).database).toBe('does not answer'), 5000);
    const until = Date.now() + OUTAGE_MS;
    while (Date.now() < until) {
      for (const text of NEEDS_IT)
        expect(await answersTo(text), text).toEqual([
          'I cannot reach my database right now, which this needs. Please try again in a moment.',
        ]);
      expect(await readyz()).toEqual({ status: 200, database: 'does not answer' });
      await delay(200);
    }
    await postgres.start();
    await vi.waitFor(async () => expect(await readyz()).toEqual({ status: 200, database: 'ok' }), 10_000);
    await vi.waitFor(async () => expect((await answersTo('posts')).join()).toContain('Posts: '), 5000);
    load.abort();
    expect(await slowest).toBeLessThan(3000);
    const lines = linesOf(stage, from);
    expect(toldOf(lines)).toEqual([
      expect.stringContaining('the database is away: quick lookups go on'),
      'the database is back',
    ]);
    expect(lines.filter(({ err }) => err)).toEqual([]);
  });
});

describe('a bot whose Postgres only reads', () => {
  it('refuses alerts, says so once, answers lookups, and goes on by itself when it can write', async () => {
    const url = await postgres.createDatabase('read_only');
    stage = await openReadyStage({ DATABASE_URL: url, ALERTS_TOKEN: 'token-for-alerts' });
    const from = stage.log.length;
    const setReadOnly = (value: 'on' | 'off') =>
      runIn(
        postgres.url,
        `alter database read_only set default_transaction_read_only = ${value};
         select pg_terminate_backend(pid) from pg_stat_activity where datname = 'read_only'`,
      );
    const alert = async () =>
      (
        await fetch(`${stage.bot.url}/api/alerts`, {
          method: 'POST',
          headers: { 'content-type': 'text/plain', authorization: 'Bearer token-for-alerts' },
          body: 'link down AA:BB:CC:DD:EE:FF',
        })
      ).status;
    await setReadOnly('on');
    await vi.waitFor(async () => expect((await readyz()).database).toBe('takes no changes'), 10_000);
    expect(await alert()).toBe(503);
    expect((await stage.say(LOOKUP)).texts).toEqual([expect.stringContaining('connected.')]);
    expect(await readyz()).toEqual({ status: 200, database: 'takes no changes' });
    await setReadOnly('off');
    await vi.waitFor(async () => expect((await readyz()).database).toBe('ok'), 10_000);
    expect(await alert()).toBe(202);
    const told = toldOf(linesOf(stage, from));
    // A connection that was opened just before the change still only reads, and is told of once more.
    expect(told.filter((line) => line === 'the database is back').length).toBeLessThanOrEqual(2);
    expect(told.at(-1)).toBe('the database is back');
  });
});

describe('a bot whose Postgres is away at the start', () => {
  it('waits for it and says so once; it is ready after 10 s without it, and opens it when it comes', async () => {
    await postgres.stop();
    stage = await openStage({ DATABASE_URL: postgres.url });
    expect((await readyz()).status).toBe(503);
    await vi.waitFor(async () => expect((await readyz()).status).toBe(200), 15_000);
    expect(await readyz()).toEqual({ status: 200, database: 'cannot be opened' });
    expect((await stage.say(LOOKUP)).texts).toEqual([expect.stringContaining('connected.')]);
    await postgres.start();
    await vi.waitFor(async () => expect((await readyz()).database).toBe('ok'), 20_000);
    await vi.waitFor(() =>
      expect(toldOf(linesOf(stage))).toEqual([
        expect.stringContaining('the database is away'),
        'database open',
      ]),
    );
  });
});

/** Asks for lookups until the signal comes, each answered; returns the slowest answer's milliseconds. */
async function askAllTheTime(signal: AbortSignal): Promise<number> {
  let slowest = 0;
  const ask = async (person: number) => {
    while (!signal.aborted) {
      const { status, ms } = await stage.say(LOOKUP, { from: { id: `user-${person}-${Date.now()}` } });
      expect(status).toBe(200);
      slowest = Math.max(slowest, ms);
      await delay(20);
    }
  };
  await Promise.all([1, 2, 3, 4].map(ask));
  return slowest;
}
