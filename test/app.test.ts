import { getActiveResourcesInfo } from 'node:process';
import { describe, expect, it, vi } from 'vitest';
import { startFault } from '../src/app/start.ts';
import { freePort } from '../src/sandbox/listen.ts';
import { type LastingFault, LastingFaultError } from '../src/store/faults.ts';
import { opsPort, readyzOf } from './serve.ts';
import { FAST, openStage, stageForTest } from './stage.ts';
import { openFaultyProxy } from './store/faulty-proxy.ts';
import { newDatabase } from './store/postgres.ts';

const LOOKUP = 'lookup AA:BB:CC:DD:EE:FF';
const FREE = String(await freePort(0));
const ANSWERED = { status: 200, texts: [expect.stringContaining('connected.')] };

describe('an app', () => {
  it('answers while another of the same process stops, and shares neither repeats nor metrics with it', async () => {
    const [one, other] = await Promise.all([stageForTest({ OPS_PORT: await opsPort() }), openStage()]);
    const same = { id: 'same message' };
    for (const stage of [one, other]) expect(await stage.say(LOOKUP, same)).toMatchObject(ANSWERED);
    expect(other.bot.opsUrl).toBeUndefined();
    expect((await fetch(new URL('/x', one.bot.opsUrl))).status).toBe(404);
    const stopping = other.close();
    expect(await one.say(LOOKUP)).toMatchObject(ANSWERED);
    await stopping;
    expect(await one.say(LOOKUP)).toMatchObject(ANSWERED);
    expect(one.sandbox.nacCalls).toHaveLength(3);
  });

  it('leaves no handle, timer or listener behind, a hundred times over', { timeout: 120_000 }, async () => {
    const openAndClose = async () => (await openStage()).close();
    await openAndClose(); // Loads what is loaded once.
    const before = await vi.waitFor(footprint); // Waiting has timers of its own, here and below.
    for (let count = 0; count < 100; count++) await openAndClose();
    const grown = () => Object.entries(footprint()).filter(([name, count]) => count > (before[name] ?? 0));
    await vi.waitFor(() => expect(grown()).toEqual([]), 10_000);
  });
});

describe('an app that cannot start says why:', () => {
  type Running = { PORT: string; DATA_DIR: string };
  it.each<[what: string, settings: Partial<Running> & { OPS_PORT?: string }, sentence: RegExp]>([
    ['a DATA_DIR that is a file', { DATA_DIR: import.meta.filename }, /^DATA_DIR names a file, or a path/],
    ['too long a DATA_DIR', { DATA_DIR: `/tmp/${'a'.repeat(300)}` }, /^the path in DATA_DIR is too long/],
    ['a DATA_DIR in use', { DATA_DIR: 'used' }, /^another bot uses the folder in DATA_DIR/],
    ['a PORT in use', { PORT: 'used' }, /^PORT is in use by another program, or equals OPS_PORT/],
    ['an OPS_PORT equal to PORT', { PORT: FREE, OPS_PORT: FREE }, /or equals OPS_PORT/],
  ])('%s', async (_, settings, sentence) => {
    const { bot, sandbox } = await stageForTest();
    const used: Running = { PORT: new URL(bot.url).port, DATA_DIR: sandbox.environment.DATA_DIR ?? '' };
    for (const name of ['PORT', 'DATA_DIR'] as const)
      if (settings[name] === 'used') settings[name] = used[name];
    expect(startFault(await openStage(settings).catch((error: unknown) => error))).toMatch(sentence);
  });
});

const lasting = (fault: LastingFault) => new LastingFaultError(fault);
it.each<[unknown, sentence: RegExp]>([
  [lasting('user refused'), /does not let the user in DATABASE_URL in from here: .*pg_hba\.conf/],
  [lasting('no such database'), /does not exist on the server: create it/],
  [lasting('no TLS'), /cannot be secured: check sslmode and sslrootcert in DATABASE_URL/],
  [lasting('address unreadable'), /^DATABASE_URL cannot be used: write special characters as %XX/],
  [lasting('files not writable'), /may not write to the files in DATA_DIR: change the rights/],
  [lasting('newer release'), /^a newer release of the bot made .* in DATA_DIR: start that release/],
  [{ code: 'EACCES' }, /^this user may not listen on PORT or may not write to DATA_DIR/],
  [{ code: 'EROFS' }, /^this user may not listen on PORT or may not write to DATA_DIR/],
  [{ code: 'EADDRNOTAVAIL' }, /^HOST is no address of this machine/],
  [{ code: 'ENOENT' }, /^the folder in DATA_DIR cannot be made or used/],
  [{ code: 'ENOSPC' }, /^the disk of DATA_DIR is full: make room$/],
  [new TypeError('a bug'), /^undefined$/],
])('a start that ends with %o: %s', (error, sentence) => {
  expect(String(startFault(error))).toMatch(sentence);
});

it('an app answers, stays ready, and stops while its database hangs', { timeout: 60_000 }, async () => {
  const proxy = await openFaultyProxy(await newDatabase());
  const stage = await openStage({ DATABASE_URL: proxy.url });
  proxy.stall();
  const old = { timestamp: new Date(Date.now() - 60_000).toISOString() }; // So late that it must become a job.
  const { texts, ms } = await stage.say(LOOKUP, old);
  expect(texts).toEqual([expect.stringContaining('connected.')]);
  const parts = { database: 'does not answer' };
  expect(await readyzOf(stage.bot)).toMatchObject({ code: 200, parts });
  expect(ms).toBeLessThan(10_000);
  const told = performance.now();
  await stage.close();
  expect(performance.now() - told).toBeLessThan(8000);
});

describe('an app that is told to stop', () => {
  it('goes on for STOP_DELAY_MS, so that a balancer can see at /readyz that it stops', async () => {
    const stage = await stageForTest({ STOP_DELAY_MS: '1000' });
    const told = performance.now();
    const stopped = stage.bot.stop();
    expect(await readyzOf(stage.bot)).toMatchObject({ code: 503, status: 'not ready' });
    expect(await stage.say(LOOKUP)).toMatchObject(ANSWERED);
    await stopped;
    expect(performance.now() - told).toBeGreaterThan(950);
  });

  it('hands a lookup that takes too long to its database, and answers it after the next start', async () => {
    const timing = { ...FAST.timing, lastTurnsMs: 5000 };
    const stage = await stageForTest({}, { pace: FAST.pace, timing });
    const turn = stage.say('lookup 00:1B:54:00:00:07'); // Takes 2.5 s.
    await vi.waitFor(() => expect(stage.sandbox.nacCalls).toHaveLength(1));
    const restarted = stage.restart();
    expect(await turn).toMatchObject({ status: 200, texts: [expect.stringContaining('Still asking')] });
    await restarted;
    await vi.waitFor(() => expect(stage.replies).toHaveLength(2), 20_000);
    expect(stage.log.join()).not.toMatch(/does not answer lookups|do not reach|is away/); // Its end is no outage.
  });
});

/** Counts what keeps a process awake, and the listeners on it. */
function footprint(): Record<string, number> {
  const resources = Map.groupBy(getActiveResourcesInfo(), (name) => name);
  const listeners = process.eventNames().map((name) => [`on ${String(name)}`, process.listenerCount(name)]);
  return Object.fromEntries([...[...resources].map(([name, each]) => [name, each.length]), ...listeners]);
}
