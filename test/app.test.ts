import { getActiveResourcesInfo } from 'node:process';
import { expect, it, vi } from 'vitest';
import { startFault } from '../src/app/start.ts';
import { freePort } from '../src/sandbox/listen.ts';
import { type LastingFault, LastingFaultError } from '../src/store/faults.ts';
import { opsPort, readyzOf } from './serve.ts';
import { startBot } from './start-bot.ts';

const LOOKUP = 'lookup AA:BB:CC:DD:EE:FF';
const FREE = String(await freePort(0));
const ANSWERED = { status: 200, texts: [expect.stringContaining('connected.')] };

it('an app shares no repeats, metrics or end with another in its process', async () => {
  const settings = { OPS_PORT: await opsPort() };
  const [one, other] = await Promise.all([startBot({ settings }), startBot()]);
  const same = { id: 'same message' };
  for (const bot of [one, other]) expect(await bot.say(LOOKUP, same)).toMatchObject(ANSWERED);
  expect(other.app.opsUrl).toBeUndefined();
  expect((await fetch(new URL('/x', one.app.opsUrl))).status).toBe(404);
  const stopping = other.stop();
  expect(await one.say(LOOKUP)).toMatchObject(ANSWERED);
  await stopping;
  expect(await one.say(LOOKUP)).toMatchObject(ANSWERED);
});

it('an app leaves no handle, timer or listener, a hundred times over', { timeout: 120_000 }, async () => {
  const startAndStop = async () => (await startBot()).stop();
  await startAndStop(); // Loads what is loaded once.
  const before = await vi.waitFor(footprint); // Waiting has timers of its own, here and below.
  for (let count = 0; count < 100; count++) await startAndStop();
  const grown = () => Object.entries(footprint()).filter(([name, count]) => count > (before[name] ?? 0));
  await vi.waitFor(() => expect(grown()).toEqual([]), 10_000);
});

type Running = { PORT: string; DATA_DIR: string };
it.each<[what: string, settings: Partial<Running> & { OPS_PORT?: string }, sentence: RegExp]>([
  ['too long a DATA_DIR', { DATA_DIR: `/tmp/${'a'.repeat(300)}` }, /^the folder in DATA_DIR cannot be/],
  ['a DATA_DIR in use', { DATA_DIR: 'used' }, /^another bot uses the folder in DATA_DIR/],
  ['a PORT in use', { PORT: 'used' }, /^PORT is in use by another program, or equals OPS_PORT/],
  ['an OPS_PORT equal to PORT', { PORT: FREE, OPS_PORT: FREE }, /or equals OPS_PORT/],
])('an app that cannot start says why: %s', async (_, settings, sentence) => {
  const { url, sandbox } = await startBot();
  const used: Running = { PORT: new URL(url).port, DATA_DIR: sandbox.environment.DATA_DIR ?? '' };
  for (const name of ['PORT', 'DATA_DIR'] as const)
    if (settings[name] === 'used') settings[name] = used[name];
  expect(startFault(await startBot({ settings }).catch((error: unknown) => error))).toMatch(sentence);
});

const lasting = (fault: LastingFault) => new LastingFaultError(fault);
it.each<[unknown, sentence: RegExp]>([
  [lasting('user refused'), /does not let the user in DATABASE_URL in from here: .*pg_hba\.conf/],
  [lasting('no such database'), /does not exist on the server: create it/],
  [lasting('no TLS'), /cannot be secured: check sslmode and sslrootcert in DATABASE_URL/],
  [lasting('address unreadable'), /^DATABASE_URL cannot be used: write special characters as %XX/],
  [lasting('files not writable'), /may not write to the files in DATA_DIR: change the rights/],
  [lasting('newer release'), /^a newer release of the bot made .* in DATA_DIR: start that release/],
  [{ code: 'EACCES', syscall: 'listen' }, /^this user may not listen on PORT: set a port above 1023/],
  [{ code: 'EACCES', syscall: 'mkdir', path: '/x' }, /^this user may not write to DATA_DIR: .* \(\/x\)$/],
  [{ code: 'EROFS' }, /^this user may not write to DATA_DIR/],
  [{ code: 'EADDRNOTAVAIL' }, /^HOST is no address of this machine/],
  [{ code: 'ENOENT' }, /^the folder in DATA_DIR cannot be made or used/],
  [{ code: 'ENOSPC' }, /^the disk of DATA_DIR is full: make room$/],
  [new TypeError('a bug'), /^undefined$/],
])('a start that ends with %o: %s', (error, sentence) => {
  expect(String(startFault(error))).toMatch(sentence);
});

it('an app that stops goes on for STOP_DELAY_MS, and says so at /readyz', async () => {
  const bot = await startBot({ settings: { STOP_DELAY_MS: '1000' } });
  const begun = performance.now();
  const stopped = bot.stop();
  expect(await readyzOf(bot)).toMatchObject({ code: 503, status: 'not ready' });
  expect(await bot.say(LOOKUP)).toMatchObject(ANSWERED);
  await stopped;
  expect(performance.now() - begun).toBeGreaterThan(950);
});

function footprint(): Record<string, number> {
  const resources = Map.groupBy(getActiveResourcesInfo(), (name) => name);
  const listeners = process.eventNames().map((name) => [`on ${String(name)}`, process.listenerCount(name)]);
  return Object.fromEntries([...[...resources].map(([name, each]) => [name, each.length]), ...listeners]);
}
