import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { textOf } from '../../src/sandbox/chat.ts';
import type { RunningBot } from '../../src/sandbox/sandbox.ts';
import { sessionXml } from '../../src/sandbox/session-xml.ts';
import { type Bot, type BotOptions, startBotProcess } from '../start-bot.ts';
import { newDatabase } from '../store/postgres.ts';
import { rssOf } from '../usage-of.ts';
import { isFull } from './length.ts';

type Process = Bot<RunningBot>;
type Restarts = [how: 'kill' | 'stop', times: number, replicas: number, lookups: number, database: string];

const MINUTES = 60_000;

/** Starts a bot whose NAC knows every device, and answers after `delayMs`. */
function start(delayMs: number, settings: BotOptions['settings'] = {}, options: BotOptions = {}) {
  const nac = (address: string) => delay(delayMs, sessionXml({ calling_station_id: address }));
  return startBotProcess({ nac, settings: { NAC_HISTORY: '0', ...settings }, ...options });
}

const hex = (byte: number) => byte.toString(16).toUpperCase().padStart(2, '0');
const devices = (count: number) =>
  Array.from({ length: count }, (_, n) => `00:1B:54:77:${hex(n >> 8)}:${hex(n & 255)}`);

/** Sends a message to any of these bots until one acknowledges it, as the channel does. Returns its id. */
async function send(bots: readonly Process[], text: string): Promise<string> {
  const [id, person] = [randomUUID(), randomInt(1000)]; // So many people that nobody exceeds a minute's limit.
  const conversation = { id: `a:chat-${person}`, conversationType: 'personal', tenantId: 'sandbox-tenant' };
  const changes = { id, conversation, from: { id: `user-${person}` }, timestamp: new Date().toISOString() };
  for (let tries = 0; tries < 60; tries++) {
    const answered = await bots[randomInt(bots.length)]?.say(text, changes).catch(() => undefined);
    if (answered?.status === 200) return id;
    await delay(500);
  }
  throw new Error(`message ${id} was never acknowledged`);
}

const answersTo = (id: string, bots: readonly Process[]) =>
  bots
    .flatMap(({ replies }) => replies)
    .filter((reply) => reply.activity.replyToId === id && textOf(reply).includes('connected.')).length;

const postsFor = (address: string, bots: readonly Process[]) =>
  bots.flatMap((bot) => bot.posts()).filter((post) => post.includes(address)).length;

function print(scenario: string, figures: Readonly<Record<string, number>>): void {
  const list = Object.entries(figures).map(([name, value]) => `${name} ${Math.round(value)}`);
  process.stdout.write(`faults: ${scenario}: ${list.join(', ')}\n`);
}

describe('faults', { timeout: (isFull ? 15 : 3) * MINUTES }, () => {
  const atLength: Restarts[] = [
    ['kill', 1, 1, 200, 'embedded'],
    ['kill', 1, 1, 200, 'Postgres'],
    ['kill', 10, 1, 6, 'embedded'],
    ['stop', 10, 1, 6, 'embedded'],
    ['kill', 10, 1, 6, 'Postgres'],
    ['kill', 10, 3, 60, 'Postgres'],
  ];

  it.each(isFull ? atLength : atLength.slice(0, 1).map(([, ...rest]): Restarts => ['kill', ...rest]))(
    'a %s, %i times in a row, of %i processes: %i lookups are answered (%s)',
    async (how, times, replicas, count, database) => {
      const DATABASE_URL = database === 'embedded' ? '' : await newDatabase();
      const settings = { DATABASE_URL, NAC_CONCURRENCY: String(count) };
      const bots = await Promise.all(Array.from({ length: replicas }, () => start(12_000, settings)));
      const [alerted = '', ...addresses] = devices(count);
      const sending = Promise.all(addresses.map((address) => send(bots, `lookup ${address}`)));
      expect((await bots[0]?.alert(`link down ${alerted}`))?.status).toBe(202);
      const calls = () => bots.reduce((sum, bot) => sum + bot.calls.length, 0);
      await vi.waitFor(() => expect(calls()).toBeGreaterThan(count / 4), 20_000);
      await delay(4000); // Some lookups have become jobs.
      const unposted = () => devices(count).filter((each) => postsFor(each, bots) === 0);
      for (let time = 0; time < times; time++) {
        const before = calls();
        const bot = bots[time % replicas];
        if (how === 'stop') await bot?.app.stop();
        await bot?.restart();
        // Jobs were taken up, or none is left.
        await vi.waitFor(() => expect(calls() > before || unposted().length === 0).toBe(true), 40_000);
        await delay(1000); // The fault comes a second after.
      }
      const ids = await sending;
      await vi.waitFor(() => expect(ids.filter((id) => answersTo(id, bots) === 0)).toEqual([]), 90_000);
      await vi.waitFor(() => expect(unposted()).toEqual([]), 90_000);
      print(`${how} ${times} times, ${replicas} on ${database}`, {
        lookups: addresses.length,
        'answered twice': ids.filter((id) => answersTo(id, bots) > 1).length,
        doubled: devices(count).filter((each) => postsFor(each, bots) > 1).length,
      });
    },
  );

  it('a webhook that is down under load: no post is missing', async () => {
    const [count, downMs] = isFull ? [300, 60_000] : [40, 6000];
    let isDown = true;
    const bot = await start(0, {}, { room: () => (isDown ? 503 : undefined) });
    const until = Date.now() + downMs;
    for (const address of devices(count)) {
      await send([bot], `lookup ${address}`);
      await delay(Math.max(0, Math.min(downMs / count, until - Date.now()))); // Spreads the load over the outage.
    }
    isDown = false;
    const missing = () => devices(count).filter((each) => postsFor(each, [bot]) === 0);
    await vi.waitFor(() => expect(missing()).toEqual([]), isFull ? 5 * MINUTES : 60_000);
    print('webhook down', {
      lookups: count,
      seconds: downMs / 1000,
      doubled: bot.posts().length - count,
    });
  });

  it('a soak: memory stays flat, no job is left', async () => {
    const count = isFull ? 20_000 : 1500;
    const bot = await start(0, { NAC_CONCURRENCY: '16' });
    const rss: number[] = [];
    let sent = 0;
    const ask = async () => {
      while (sent < count) {
        const n = sent++;
        await send([bot], `lookup ${devices(50)[n % 50]}`);
        if (n % (count / 20) === 0) rss.push(rssOf(bot.app));
      }
    };
    await Promise.all(Array.from({ length: 16 }, ask));
    expect((await bot.say('status')).texts.join()).toContain('Posts: 0 waiting, 0 given up.');
    const mean = (part: readonly number[]) => part.reduce((sum, each) => sum + each, 0) / part.length;
    const [second, last] = [mean(rss.slice(5, 10)), mean(rss.slice(15, 20))];
    print('soak', { lookups: count, 'MB in the second quarter': second, 'MB in the last': last });
    // A short run still fills its caches; the full run shows whether memory stays flat.
    expect(last / second).toBeLessThan(isFull ? 1.15 : 1.5);
  });
});
