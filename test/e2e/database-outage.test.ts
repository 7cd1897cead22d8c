import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { textOf } from '../../src/sandbox/chat.ts';
import { openReadyStage, openStage, type Stage } from '../stage.ts';
import { newDatabase, type PostgresServer, setReadOnly, startPostgres } from '../store/postgres.ts';

const LOOKUP = 'lookup AA:BB:CC:DD:EE:FF';
const NEEDS_IT = ['alerts list', 'alerts here as night', 'posts', 'posts retry', 'disconnect'];
const OUTAGE_MS = 3000;

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

const isState = (database: string) =>
  vi.waitFor(async () => expect(await readyz()).toEqual({ status: 200, database }), 20_000);

/** The answers to one message among others. */
async function answersTo(text: string): Promise<string[]> {
  const id = randomUUID();
  await stage.say(text, { id });
  return stage.replies.filter(({ replyToId }) => replyToId === id).map(textOf);
}

/** The lines since then that an operator sees as trouble, or as its end. */
const told = (from = 0): string[] =>
  stage.log
    .slice(from)
    .map((line) => JSON.parse(line) as { level: number; msg: string; err?: object })
    .filter(({ level, msg, err }) => level >= 40 || err !== undefined || msg.includes('database'))
    .map(({ msg, err }) => (err === undefined ? msg : `${msg}: an error`));

const AWAY = expect.stringContaining('the database is away: quick lookups go on');

describe('a bot whose Postgres', { timeout: 90_000 }, () => {
  it('stops and starts under load stays ready, answers lookups, says what it cannot do, and logs one line each way', async () => {
    stage = await openReadyStage({ DATABASE_URL: postgres.url, ALERTS_TOKEN: 'token-for-alerts' });
    await vi.waitFor(() => expect(told()).toEqual(['database open']));
    const from = stage.log.length;
    const load = new AbortController();
    const slowest = askAllTheTime(load.signal);
    slowest.catch(() => {}); // It is awaited below.
    await postgres.stop();
    await isState('does not answer');
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
    await isState('ok');
    await vi.waitFor(async () => expect((await answersTo('posts')).join()).toContain('Posts: '), 5000);
    load.abort();
    expect(await slowest).toBeLessThan(3000);
    expect(told(from)).toEqual([AWAY, 'the database is back']);
  });

  it('only reads refuses alerts, answers lookups, and goes on by itself when it can write', async () => {
    const url = await newDatabase();
    stage = await openReadyStage({ DATABASE_URL: url, ALERTS_TOKEN: 'token-for-alerts' });
    const from = stage.log.length;
    const headers = { 'content-type': 'text/plain', authorization: 'Bearer token-for-alerts' };
    const alert = async () => {
      const body = 'link down AA:BB:CC:DD:EE:FF';
      return (await fetch(`${stage.bot.url}/api/alerts`, { method: 'POST', headers, body })).status;
    };
    await setReadOnly(url, 'on');
    await isState('takes no changes');
    expect(await alert()).toBe(503);
    expect((await stage.say(LOOKUP)).texts).toEqual([expect.stringContaining('connected.')]);
    await setReadOnly(url, 'off');
    await isState('ok');
    expect(await alert()).toBe(202);
    // A connection that was opened just before the change still only reads, and is told of once more.
    expect(told(from).filter((line) => line === 'the database is back').length).toBeLessThanOrEqual(2);
    expect(told(from).at(-1)).toBe('the database is back');
  });

  it('is away at the start says so once, is ready after 10 s without it, and opens it when it comes', async () => {
    await postgres.stop();
    stage = await openStage({ DATABASE_URL: postgres.url });
    expect((await readyz()).status).toBe(503);
    await isState('cannot be opened');
    expect((await stage.say(LOOKUP)).texts).toEqual([expect.stringContaining('connected.')]);
    await postgres.start();
    await isState('ok');
    await vi.waitFor(() => expect(told()).toEqual([AWAY, 'database open']));
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
