import { expect, it } from 'vitest';
import { TIMING } from '../../src/domain/timing.ts';
import { textOf } from '../../src/sandbox/chat.ts';
import { sessionXml } from '../../src/sandbox/session-xml.ts';
import { startBot, startBotProcess } from '../start-bot.ts';
import { newDatabase, runIn } from '../store/postgres.ts';
import { until } from '../test-clock.ts';

const CONNECTED = sessionXml({});

const OPEN = "where queue = 'watch' and state = 'open'";
const watchesIn = (url: string) => runIn(url, `select id from nac_lookup_bot.job ${OPEN}`);

async function makeDue(url: string): Promise<void> {
  const isBusy = `select id from nac_lookup_bot.job ${OPEN} and (lease is not null or data like E'%\\n%')`;
  await until(async () => expect(await runIn(url, isBusy)).toEqual([]));
  const dueAt = `regexp_replace(data, '"dueAt":\\d+', '"dueAt":0', 'g')`;
  await runIn(url, `update nac_lookup_bot.job set due = 0, data = ${dueAt} ${OPEN}`);
}

const STEPS = ['call', 'post', 'posted', 'reply'] as const;

it('a killed process loses no change, and repeats only what the chat has', { timeout: 120_000 }, async () => {
  const url = await newDatabase();
  const connected = new Set<string>();
  let killAt: (typeof STEPS)[number] | undefined;
  async function reach(step: typeof killAt): Promise<boolean> {
    if (killAt !== step) return false;
    killAt = undefined;
    await bot.app.kill?.();
    return true;
  }
  const bot = await startBotProcess({
    settings: { DATABASE_URL: url },
    async nac(address, path) {
      if (!path.includes('/mnt/Session/') || !connected.has(address)) return undefined;
      await reach('call');
      return CONNECTED;
    },
    async room() {
      if (await reach('post')) return 0;
      await reach('posted');
      return undefined;
    },
  });
  bot.chat.server.prependListener('request', () => void reach('reply'));
  for (const [index, step] of STEPS.entries()) {
    const device = `00:1B:54:00:70:0${index}`;
    await bot.say(`watch ${device}`);
    connected.add(device);
    killAt = step;
    const before = bot.replies.length;
    await makeDue(url);
    await until(() => expect(killAt).toBeUndefined());
    await bot.app.kill?.();
    await runIn(url, `update nac_lookup_bot.job set lease = null, lease_until = null, due = 0 ${OPEN}`);
    await bot.restart();
    await until(async () => expect(await watchesIn(url)).toEqual([]));
    const told = bot.replies.slice(before).map(textOf);
    expect(told.every((text) => text.startsWith('connected. '))).toBe(true);
    expect([step, told.length]).toEqual([step, step === 'reply' ? 2 : 1]);
    const posts = bot.posts().filter((text) => text.includes(device));
    expect([step, posts.length]).toEqual([step, step === 'posted' ? 2 : 1]);
  }
});

it('two processes ask once for each device, and send each change once', async () => {
  const url = await newDatabase();
  const connected = new Set<string>();
  const calls: string[] = [];
  const nac = (address: string) => {
    calls.push(address);
    return connected.has(address) ? CONNECTED : undefined;
  };
  const options = { settings: { DATABASE_URL: url }, nac, timing: { watchMs: 50 } };
  const [one, two] = [await startBot(options), await startBot(options)];
  const devices = Array.from({ length: 10 }, (_, index) => `00:1B:54:00:71:0${index}`);
  await one.say(`watch ${devices.slice(0, 5).join(' ')}`);
  await two.say(`watch ${devices.slice(5).join(' ')}`, { from: { id: 'user-2', aadObjectId: 'megan' } });
  for (const device of devices) connected.add(device);
  calls.length = 0;
  await makeDue(url);
  await until(async () => expect(await watchesIn(url)).toEqual([]));
  expect(calls.toSorted()).toEqual(devices);
  expect([one.replies.length, two.replies.length]).toEqual([6, 6]);
  expect([...one.posts(), ...two.posts()]).toHaveLength(10);
});

it('two processes let a person begin five watches at most', async () => {
  const options = { settings: { DATABASE_URL: await newDatabase() } };
  const [one, two] = [await startBot(options), await startBot(options)];
  const asking = Array.from({ length: 10 }, (_, index) =>
    (index % 2 ? one : two).say(`watch 00:1B:54:00:71:0${index}`),
  );
  await Promise.all(asking);
  const texts = [...one.replies, ...two.replies].map(textOf);
  expect(texts.filter((text) => text.startsWith('Watching'))).toHaveLength(5);
});

it('a hundred watches cost the NAC one call at a time, at their pace', async () => {
  expect(TIMING.watchMs).toBe(2000);
  const bot = await startBot({ nac: {}, timing: { watchMs: 200 } });
  for (let person = 0; person < 20; person++) {
    const devices = Array.from({ length: 5 }, (_, index) => `00:1B:54:00:7${index}:${10 + person}`);
    const from = { id: `user-${person}`, aadObjectId: `id-${person}` };
    await bot.say(`watch ${devices.join(' ')}`, { from });
  }
  const before = bot.calls.length;
  expect(before).toBe(100);
  const begunAt = performance.now();
  await bot.clock.skip(60_000);
  await until(() => expect(bot.calls.length).toBeGreaterThanOrEqual(before + 5));
  const calls = bot.calls.length - before;
  expect(performance.now() - begunAt).toBeGreaterThanOrEqual((calls - 1) * 200 - 20);
  const refused = await bot.ask('watch 00:1B:54:00:72:99');
  expect(refused).toContain('because 100 devices are watched already: please ask again later.');
});
