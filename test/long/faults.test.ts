import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { textOf } from '../../src/sandbox/chat.ts';
import type { Device } from '../../src/sandbox/devices.ts';
import { listen } from '../../src/sandbox/listen.ts';
import { createNac, type NacCall, SERVICE_ACCOUNT } from '../../src/sandbox/nac.ts';
import { type RunningBot, type Sandbox, startBot, startSandbox } from '../../src/sandbox/sandbox.ts';
import { sessionXml } from '../../src/sandbox/session-xml.ts';
import { untilOpen } from '../stage.ts';
import { fillUp, newDatabase, startPostgres } from '../store/postgres.ts';
import { rssOf } from '../usage-of.ts';
import { type Channel, openChannel, print } from './channel.ts';
import { isFull } from './length.ts';

const MINUTES = 60_000;

/** What CI's two minutes leave out; the tests in `test/e2e` show each of these promises once. */
const itAtLength = it.runIf(isFull);

const closers: Array<() => Promise<void>> = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

describe('faults', { timeout: (isFull ? 15 : 3) * MINUTES }, () => {
  it.each(isFull ? ['embedded', 'Postgres'] : ['embedded'])(
    'a process killed with lookups in flight (%s): every lookup is answered, every post arrives',
    async (database) => {
      const count = isFull ? 200 : 40;
      const stage = await open({
        ...(await databaseSettings(database)),
        NAC_URL: await slowNac(count, 9500),
        NAC_CONCURRENCY: String(count),
      });
      let bots = [await stage.start()];
      const sending = addressesOf(count).map((address) =>
        stage.channel.send(`lookup ${address}`, () => bots),
      );
      await vi.waitFor(() => expect(stillAsking(stage.channel)).toBeGreaterThan(count / 4), 20_000);
      const [killed] = bots.splice(0);
      await killed?.kill();
      bots = [await stage.start()];
      const ids = await Promise.all(sending);
      await answered(stage.channel, ids, 90_000);
      const posts = postsOf(stage.sandbox);
      expect(addressesOf(count).filter((address) => !posts.some((post) => post.startsWith(address)))).toEqual(
        [],
      );
      print(`killed in flight, ${database}`, {
        lookups: count,
        unanswered: 0,
        'answered twice': answeredTwice(stage.channel, ids),
        'posts missing': 0,
        'posts doubled': posts.length - count,
      });
    },
  );

  it.each([
    ['SIGKILL', isFull ? 10 : 1, 'embedded'],
    ...(isFull
      ? ([
          ['SIGTERM', 10, 'embedded'],
          ['SIGKILL', 10, 'Postgres'],
        ] as const)
      : []),
  ] as const)(
    'restarts in a row by %s, each while jobs are worked on: no job dies, everyone is told (%i, %s)',
    async (signal, times, database) => {
      const count = 5;
      const nac = await countingNac(count + 1, 15_000);
      const stage = await open({
        ...(await databaseSettings(database)),
        NAC_URL: nac.url,
        NAC_CONCURRENCY: '20',
        ALERTS_TOKEN: 'token-for-alerts',
      });
      let bot = await stage.start();
      const [alerted = '', ...addresses] = addressesOf(count + 1);
      const sending = addresses.map((address) => stage.channel.send(`lookup ${address}`, () => [bot]));
      await vi.waitFor(() => expect(stillAsking(stage.channel)).toBe(count), 20_000);
      await alert(bot, `link down ${alerted}`);
      const ids = await Promise.all(sending);
      for (let time = 0; time < times; time++) {
        const before = nac.calls.length;
        await (signal === 'SIGTERM' ? bot.stop() : bot.kill());
        bot = await stage.start();
        await vi.waitFor(() => expect(nac.calls.length).toBeGreaterThan(before), 40_000); // It has taken jobs up.
        await delay(1000); // The fault comes a second after.
      }
      await answered(stage.channel, ids, 90_000);
      const posts = () => postsOf(stage.sandbox);
      await vi.waitFor(() => expect(posts().some((post) => post.includes(alerted))).toBe(true), 90_000);
      const postsFor = (each: string) => posts().filter((post) => post.includes(each)).length;
      print(`${signal} in a row, ${database}`, {
        restarts: times,
        lookups: count,
        alerts: 1,
        'lost or untold': 0,
        'answered twice': answeredTwice(stage.channel, ids),
        'posts doubled': [alerted, ...addresses].filter((each) => postsFor(each) > 1).length,
      });
    },
  );

  itAtLength('work that outlasts a lease, on two replicas: each alert is done once', async () => {
    const url = await newDatabase();
    const [alerts, devices] = [30, 20];
    const nac = await countingNac(alerts * devices, 10_000);
    const stage = await open({
      DATABASE_URL: url,
      NAC_URL: nac.url,
      ALERTS_TOKEN: 'token-for-alerts',
    });
    const bots = [await stage.start(), await stage.start()];
    await untilOpen(bots[0]?.url ?? '');
    const addresses = addressesOf(alerts * devices);
    for (let index = 0; index < alerts; index++) {
      const text = addresses.slice(index * devices, (index + 1) * devices).join(' ');
      await alert(bots[0], text);
    }
    const posted = (address: string) =>
      postsOf(stage.sandbox).filter((post) => post.includes(address) && !post.includes('Still asking'))
        .length;
    await vi.waitFor(
      () => expect(addresses.filter((address) => posted(address) === 0)).toEqual([]),
      14 * MINUTES,
    );
    const calls = nac.calls.length;
    expect(addresses.filter((address) => posted(address) > 1)).toEqual([]);
    expect(calls).toBe(addresses.length);
    print('work that outlasts a lease', {
      alerts,
      devices: addresses.length,
      calls,
      'posts doubled': 0,
    });
  });

  it('a webhook that is down under load: no post is missing', async () => {
    const [count, downMs] = isFull ? [300, 60_000] : [40, 6000];
    const texts: string[] = [];
    let isDown = true;
    const webhook = await listen(
      createServer(async (request, response) => {
        const { text } = (await json(request)) as { text: string };
        if (!isDown) texts.push(text);
        response.writeHead(isDown ? 503 : 200);
        response.end();
      }),
    );
    closers.push(webhook.close);
    const stage = await open({ NAC_URL: await slowNac(count, 0), WEBHOOK_URL: webhook.url });
    const bots = [await stage.start()];
    await untilOpen(bots[0]?.url ?? '');
    const until = Date.now() + downMs;
    for (const address of addressesOf(count)) {
      await stage.channel.send(`lookup ${address}`, () => bots);
      await delay(Math.max(0, Math.min(downMs / count, until - Date.now()))); // Spreads the load over the outage.
    }
    isDown = false;
    const missing = () =>
      addressesOf(count).filter((address) => !texts.some((text) => text.startsWith(address)));
    await vi.waitFor(() => expect(missing()).toEqual([]), isFull ? 5 * MINUTES : 60_000);
    print('webhook down', {
      lookups: count,
      seconds: downMs / 1000,
      'posts missing': 0,
      'posts doubled': texts.length - count,
    });
  });

  itAtLength(
    'a Postgres that restarts under load: quick lookups are answered meanwhile, kept lookups afterwards',
    async () => {
      const postgres = await startPostgres();
      closers.push(postgres.close);
      const slow = 10;
      const stage = await open({
        DATABASE_URL: postgres.url,
        NAC_URL: await slowNac(slow, 12_000),
        NAC_CONCURRENCY: '20',
      });
      const bots = [await stage.start()];
      const ready = async () => (await fetch(`${bots[0]?.url}/readyz`)).status;
      await untilOpen(bots[0]?.url ?? '');
      const kept = Promise.all(
        addressesOf(slow).map((address) => stage.channel.send(`lookup ${address}`, () => bots)),
      );
      await vi.waitFor(() => expect(stillAsking(stage.channel)).toBe(slow), 20_000);
      await postgres.stop();
      const begun = Date.now();
      await stage.channel.send('help', () => bots);
      const quickMs = Date.now() - begun;
      expect(await ready()).toBe(200);
      await postgres.start();
      await untilOpen(bots[0]?.url ?? '');
      await answered(stage.channel, await kept, 60_000);
      expect(quickMs).toBeLessThan(2000);
      print('Postgres restarted', { lookups: slow, unanswered: 0, 'quick answer meanwhile, ms': quickMs });
    },
  );

  itAtLength('a full database: nothing is promised, and quick lookups are answered', async () => {
    const url = await newDatabase();
    const stage = await open({ DATABASE_URL: url, NAC_URL: await slowNac(1, 10_000) });
    const bots = [await stage.start()];
    await untilOpen(bots[0]?.url ?? '');
    await fillUp(url);
    const [slow] = addressesOf(1);
    const id = await stage.channel.send(`lookup ${slow}`, () => bots); // Acknowledged only after the answer.
    expect(stage.channel.answersOf(id)).toBe(1);
    expect(stillAsking(stage.channel)).toBe(0);
    print('database full', { lookups: 1, unanswered: 0, promised: 0 });
  });

  itAtLength(
    'replicas whose clocks are 25 s and 60 s off: each lookup is one call, one post, one answer',
    async () => {
      const url = await newDatabase();
      const count = 10;
      const nac = await countingNac(count, 12_000);
      const stage = await open({ DATABASE_URL: url, NAC_URL: nac.url, NAC_CONCURRENCY: '20' });
      const bots: RunningBot[] = [];
      for (const offMs of [0, 25_000, -60_000]) bots.push(await stage.start('info', shiftedBy(offMs)));
      for (const { url } of bots) await untilOpen(url);
      const ids = await Promise.all(
        addressesOf(count).map((address) => stage.channel.send(`lookup ${address}`, () => bots)),
      );
      await answered(stage.channel, ids, 60_000);
      await delay(15_000); // Whoever took a job for his own would have asked the NAC and answered by now.
      const posts = postsOf(stage.sandbox).length;
      const answers = ids.reduce((sum, id) => sum + stage.channel.answersOf(id), 0);
      print('clocks off', { lookups: count, calls: nac.calls.length, posts, answers });
      expect({ calls: nac.calls.length, posts, answers }).toEqual({ calls: 10, posts: 10, answers: 10 });
    },
  );

  itAtLength('three replicas, one killed every few seconds: each message is answered', async () => {
    const url = await newDatabase();
    const [runMs, everyMs] = [60_000, 4000];
    const stage = await open({ DATABASE_URL: url, NAC_URL: await slowNac(50, 200) });
    const bots = [await stage.start(), await stage.start(), await stage.start()];
    const until = Date.now() + runMs;
    const ids: string[] = [];
    const ask = async () => {
      for (let n = 0; Date.now() < until; n++) {
        ids.push(await stage.channel.send(`lookup ${addressesOf(50)[n % 50]}`, () => bots));
      }
    };
    const kill = async () => {
      let kills = 0;
      while (Date.now() < until) {
        await delay(everyMs); // The fault itself.
        const [victim] = bots.splice(0, 1);
        await victim?.kill();
        kills++;
        bots.push(await stage.start());
      }
      return kills;
    };
    const [kills] = await Promise.all([kill(), ...Array.from({ length: 6 }, ask)]);
    await answered(stage.channel, ids, 60_000);
    const twice = answeredTwice(stage.channel, ids);
    print('replicas killed', { lookups: ids.length, kills, unanswered: 0, 'answered twice': twice });
  });

  it('a soak: memory stays flat, no job is left', async () => {
    const count = isFull ? 20_000 : 1500;
    const stage = await open({ NAC_URL: await slowNac(50, 0), NAC_CONCURRENCY: '16', LOG_LEVEL: 'warn' });
    const [bot] = [await stage.start('info')];
    const rss: number[] = [];
    let sent = 0;
    const ask = async () => {
      while (sent < count) {
        const n = sent++;
        await stage.channel.send(`lookup ${addressesOf(50)[n % 50]}`, () => [bot]);
        if (n % (count / 20) === 0) rss.push(rssOf(bot));
      }
    };
    await Promise.all(Array.from({ length: 16 }, ask));
    await stage.channel.send('posts', () => [bot]);
    expect(String(stage.channel.replies.at(-1)?.activity.text)).toBe('Posts: 0 waiting, 0 given up.');
    const mean = (part: readonly number[]) => part.reduce((sum, each) => sum + each, 0) / part.length;
    const [second, last] = [mean(rss.slice(5, 10)), mean(rss.slice(15, 20))];
    print('soak', {
      lookups: count,
      'RSS second quarter, MB': second.toFixed(0),
      'RSS last quarter, MB': last.toFixed(0),
    });
    // A short run still fills its caches; the full run shows whether memory stays flat.
    expect(last / second).toBeLessThan(isFull ? 1.15 : 1.5);
  });
});

/** Sends an alert, which a bot must take. */
async function alert(bot: RunningBot | undefined, text: string): Promise<void> {
  const headers = { 'content-type': 'application/json', authorization: 'Bearer token-for-alerts' };
  const body = JSON.stringify({ text });
  expect((await fetch(`${bot?.url}/api/alerts`, { method: 'POST', headers, body })).status).toBe(202);
}

async function databaseSettings(database: string): Promise<Record<string, string>> {
  return database === 'embedded' ? {} : { DATABASE_URL: await newDatabase() };
}

async function open(settings: Record<string, string>) {
  const [sandbox, channel] = [await startSandbox(), await openChannel()];
  closers.push(sandbox.close, channel.close);
  return {
    sandbox,
    channel,
    async start(LOG_LEVEL = 'info', more: Record<string, string> = {}): Promise<RunningBot> {
      const bot = await startBot({
        ...sandbox.environment,
        PORT: '0',
        OPS_PORT: '0',
        ...settings,
        ...more,
        LOG_LEVEL,
      });
      closers.push(bot.kill);
      return bot;
    },
  };
}

/** Settings for a bot whose computer's clock is off. */
function shiftedBy(ms: number): Record<string, string> {
  const code = `const now = Date.now; Date.now = () => now() + (${ms})`;
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(code)}` };
}

/** A NAC that knows `count` devices and answers after `delayMs`. */
async function slowNac(count: number, delayMs: number): Promise<string> {
  return (await countingNac(count, delayMs)).url;
}

async function countingNac(
  count: number,
  delayMs: number,
): Promise<{ url: string; calls: readonly NacCall[] }> {
  const devices = addressesOf(count).map((address): Device => {
    return {
      address,
      what: '',
      answer: { kind: 'session', xml: sessionXml({ calling_station_id: address }), delayMs },
    };
  });
  const { server, calls } = createNac({ accounts: [SERVICE_ACCOUNT], devices });
  const { url, close } = await listen(server);
  closers.push(close);
  return { url, calls };
}

function addressesOf(count: number): string[] {
  const byte = (value: number) => value.toString(16).padStart(2, '0').toUpperCase();
  return Array.from({ length: count }, (_, index) => `00:1B:54:77:${byte(index >> 8)}:${byte(index & 255)}`);
}

async function answered(channel: Channel, ids: readonly string[], withinMs: number): Promise<void> {
  await vi.waitFor(() => expect(ids.filter((id) => channel.answersOf(id) === 0)).toEqual([]), {
    timeout: withinMs,
    interval: 200,
  });
}

const answeredTwice = (channel: Channel, ids: readonly string[]) =>
  ids.filter((id) => channel.answersOf(id) > 1).length;

function stillAsking({ replies }: Channel): number {
  return replies.filter((reply) => textOf(reply).startsWith('Still asking')).length;
}

function postsOf({ room }: Sandbox): string[] {
  return room.posts().map(({ text }) => text);
}
