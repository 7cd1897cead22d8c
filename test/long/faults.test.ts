import { json } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { answer, serve } from '../serve.ts';
import { untilOpen } from '../start-bot.ts';
import { newDatabase } from '../store/postgres.ts';
import { rssOf } from '../usage-of.ts';
import { openFaultStage, print } from './faults-stage.ts';
import { isFull } from './length.ts';

const MINUTES = 60_000;
type Restarts = [how: 'kill' | 'stop', times: number, replicas: number, lookups: number, database: string];

describe('faults', { timeout: (isFull ? 15 : 3) * MINUTES }, () => {
  const atLength: Restarts[] = [
    ['kill', 1, 1, 200, 'embedded'],
    ['kill', 1, 1, 200, 'Postgres'],
    ['kill', 10, 1, 6, 'embedded'],
    ['stop', 10, 1, 6, 'embedded'],
    ['kill', 10, 1, 6, 'Postgres'],
    ['kill', 10, 3, 60, 'Postgres'],
  ];
  const inCI: Restarts[] = [['kill', 1, 1, 40, 'embedded']];

  it.each(isFull ? atLength : inCI)(
    'a %s, %i times in a row, of %i processes: %i lookups are answered (%s)',
    async (how, times, replicas, count, database) => {
      const DATABASE_URL = database === 'embedded' ? '' : await newDatabase();
      const settings = { DATABASE_URL, NAC_CONCURRENCY: String(count) };
      const stage = await openFaultStage(count, 12_000, settings);
      for (let bots = 0; bots < replicas; bots++) await untilOpen((await stage.start()).url);
      const [alerted = '', ...addresses] = stage.addresses;
      const sending = Promise.all(addresses.map(stage.lookUp));
      await stage.alert(`link down ${alerted}`);
      await vi.waitFor(() => expect(stage.stillAsking()).toBeGreaterThan(count / 4), 20_000);
      const postsFor = (each: string) => stage.posts().filter((post) => post.includes(each)).length;
      const unposted = () => stage.addresses.filter((each) => postsFor(each) === 0);
      for (let time = 0; time < times; time++) {
        const before = stage.calls.length;
        await stage.end(how);
        await stage.start();
        // Jobs were taken up, or none is left.
        const goesOn = () => stage.calls.length > before || unposted().length === 0;
        await vi.waitFor(() => expect(goesOn()).toBe(true), 40_000);
        await delay(1000); // The fault comes a second after.
      }
      const ids = await sending;
      await stage.answered(ids, 90_000);
      await vi.waitFor(() => expect(unposted()).toEqual([]), 90_000);
      print(`${how} ${times} times, ${replicas} on ${database}`, {
        lookups: addresses.length,
        'answered twice': stage.answeredTwice(ids),
        'posts doubled': stage.addresses.filter((each) => postsFor(each) > 1).length,
      });
    },
  );

  it.runIf(isFull)('work that outlasts a lease, on two replicas: each alert is done once', async () => {
    const [alerts, devices] = [30, 20];
    const stage = await openFaultStage(alerts * devices, 10_000, { DATABASE_URL: await newDatabase() });
    const { url } = await stage.start();
    await stage.start();
    await untilOpen(url);
    for (let index = 0; index < alerts; index++)
      await stage.alert(stage.addresses.slice(index * devices, (index + 1) * devices).join(' '));
    const posted = (address: string) =>
      stage.posts().filter((post) => post.includes(address) && !post.includes('Still asking')).length;
    await vi.waitFor(
      () => expect(stage.addresses.filter((each) => posted(each) === 0)).toEqual([]),
      14 * MINUTES,
    );
    const calls = stage.calls.length;
    expect(stage.addresses.filter((each) => posted(each) > 1)).toEqual([]);
    expect(calls).toBe(stage.addresses.length);
    print('work that outlasts a lease', { alerts, devices: stage.addresses.length, calls });
  });

  it('a webhook that is down under load: no post is missing', async () => {
    const [count, downMs] = isFull ? [300, 60_000] : [40, 6000];
    const texts: string[] = [];
    let isDown = true;
    const WEBHOOK_URL = await serve(async (request, response) => {
      const { text } = (await json(request)) as { text: string };
      if (!isDown) texts.push(text);
      answer(response, isDown ? 503 : 200, {}, '');
    });
    const stage = await openFaultStage(count, 0, { WEBHOOK_URL });
    await untilOpen((await stage.start()).url);
    const until = Date.now() + downMs;
    for (const address of stage.addresses) {
      await stage.lookUp(address);
      await delay(Math.max(0, Math.min(downMs / count, until - Date.now()))); // Spreads the load over the outage.
    }
    isDown = false;
    const missing = () => stage.addresses.filter((each) => !texts.some((text) => text.startsWith(each)));
    await vi.waitFor(() => expect(missing()).toEqual([]), isFull ? 5 * MINUTES : 60_000);
    print('webhook down', { lookups: count, seconds: downMs / 1000, 'posts doubled': texts.length - count });
  });

  it('a soak: memory stays flat, no job is left', async () => {
    const count = isFull ? 20_000 : 1500;
    const stage = await openFaultStage(50, 0, { NAC_CONCURRENCY: '16' });
    const bot = await stage.start();
    const rss: number[] = [];
    let sent = 0;
    const ask = async () => {
      while (sent < count) {
        const n = sent++;
        await stage.lookUp(stage.addresses[n % 50]);
        if (n % (count / 20) === 0) rss.push(rssOf(bot));
      }
    };
    await Promise.all(Array.from({ length: 16 }, ask));
    await stage.send('status');
    expect(String(stage.replies.at(-1)?.activity.text)).toContain('Posts: 0 waiting, 0 given up.');
    const mean = (part: readonly number[]) => part.reduce((sum, each) => sum + each, 0) / part.length;
    const [second, last] = [mean(rss.slice(5, 10)), mean(rss.slice(15, 20))];
    print('soak', { lookups: count, 'MB in the second quarter': second, 'MB in the last': last });
    // A short run still fills its caches; the full run shows whether memory stays flat.
    expect(last / second).toBeLessThan(isFull ? 1.15 : 1.5);
  });
});
