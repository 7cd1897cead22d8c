import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { AccountGuard } from '../../src/credentials/lockout.ts';
import type { Refusal } from '../../src/domain/lockout.ts';
import { Secret } from '../../src/domain/secret.ts';
import { SharedRests } from '../../src/store/tables.ts';
import { newFolder, opened, openStore, type TestStore } from './engines.ts';
import { openFaultyProxy } from './faulty-proxy.ts';
import { newDatabase, runIn } from './postgres.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const SOON = { timeout: 15_000, interval: 10 };

/** A process on a database, whose steady clock is off by this much, with accounts of one name at three systems. */
async function start(url: string, offMs = 0) {
  const store = await openStore({ url: new Secret(url) }, { start: () => [rests] });
  const now = () => Date.UTC(2026, 0, 1) + performance.now() + offMs;
  const rests = new SharedRests({ query: store.query, now, onError: (error) => store.errors.push(error) });
  const latest: Record<'NAC' | 'ticket', Refusal | undefined> = { NAC: undefined, ticket: undefined };
  const ticket = rests.ofAccount('ticket', 'service')((row) => (latest.ticket = row));
  const third = rests.ofAccount('third', 'service')(() => {});
  const nac = rests.ofAccount('NAC', 'service')((row) => (latest.NAC = row));
  await opened(store);
  return {
    store,
    latest,
    withdraw: () => nac(undefined),
    refuse(by: string, restMs = MINUTE, publish = nac) {
      publish({ by, restMs, until: now() + restMs, since: now() - 5000 });
    },
    ticket,
    third,
    pause: (status: number, leftMs: number) => rests.beginPause('room', { status, until: now() + leftMs }),
    read: () => rests.read(),
    statusOf: (room: string) => rests.pauseOf(room)?.status,
    pausedS: () => Math.round(((rests.pauseOf('room')?.until ?? now()) - now()) / 1000),
    /** Waits until the NAC account's latest refusal is that of this process. @returns how long it rests */
    async rests(by: string | undefined): Promise<number> {
      await vi.waitFor(() => expect(latest.NAC?.by).toBe(by), SOON);
      return (latest.NAC?.until ?? 0) - now();
    },
    sinceMs: () => now() - (latest.NAC?.since ?? 0),
  };
}

const rowsIn = (url: string) => runIn(url, "select key from nac_lookup_bot.kept where kind = 'refusal'");
const change = (url: string, change: string) =>
  runIn(url, `update nac_lookup_bot.kept set ${change} where kind = 'refusal'`);

it('a refusal reaches all processes for its account, despite clocks', async () => {
  const url = await newDatabase();
  const all = [await start(url), await start(url, -HOUR), await start(url, HOUR)];
  all[0]?.refuse('first');
  for (const { rests, sinceMs, latest, store } of all) {
    expect(Math.abs((await rests('first')) - (MINUTE - 2000))).toBeLessThan(2100);
    expect(Math.abs(sinceMs() - 7000)).toBeLessThan(2100);
    expect([latest.NAC?.restMs, latest.ticket, store.errors]).toEqual([MINUTE, undefined, []]);
  }
  expect(await rowsIn(url)).toEqual([{ key: '["NAC","service"]' }]);
});

it('a refusal is replaced by a later one, and deleted by any process', async () => {
  const url = await newDatabase();
  const [one, other] = [await start(url), await start(url)];
  one.refuse('first');
  await other.rests('first');
  other.refuse('second');
  await one.rests('second');
  one.withdraw();
  await other.rests(undefined);
  expect(await rowsIn(url)).toEqual([]);
  one.refuse('third');
  await one.rests('third');
  await change(url, `data = '{"restMs":"long"}', at = at + 1`); // Another release's form counts as not there.
  await one.rests(undefined);
  expect(one.store.errors).toEqual([]);
});

it('a rest that begins in an outage is published after it, if it counts', async () => {
  const url = await newDatabase();
  const proxy = await openFaultyProxy(url);
  const [one, other] = [await start(proxy.url), await start(url)];
  await proxy.goAway();
  one.refuse('over', 1000, one.ticket); // The other accounts' refusals are published first.
  one.refuse('withdrawn', MINUTE, one.third);
  one.third(undefined);
  one.refuse('held');
  one.pause(429, MINUTE);
  await expect(one.read()).rejects.toThrow();
  await delay(1000);
  expect([await rowsIn(url), one.pausedS() > 50, other.statusOf('room')]).toEqual([[], true, undefined]);
  await proxy.comeBack();
  expect(await other.rests('held')).toBeLessThan(MINUTE - 900);
  await vi.waitFor(() => expect(other.pausedS()).toBeGreaterThan(40), SOON);
  expect(await rowsIn(url)).toEqual([{ key: '["NAC","service"]' }]);
});

it('a pause reaches every process despite their clocks, unshortened', async () => {
  const url = await newDatabase();
  const all = [await start(url), await start(url, -HOUR), await start(url, HOUR)];
  const shortest = () => Math.min(...all.map(({ pausedS }) => pausedS()));
  all[0]?.pause(429, MINUTE);
  await vi.waitFor(() => expect(shortest()).toBeGreaterThan(55), SOON);
  all[1]?.pause(503, 1000);
  all.push(await start(url));
  for (const { read, statusOf, pausedS } of all) {
    await read();
    expect([statusOf('room'), statusOf('other'), pausedS() > 50]).toEqual([429, undefined, true]);
  }
  all[2]?.pause(503, 10 * MINUTE);
  await vi.waitFor(() => expect(shortest()).toBeGreaterThan(590), SOON);
  expect(await runIn(url, "select data from nac_lookup_bot.kept where kind = 'pause'")).toHaveLength(1);
});

it("neither rest nor pause is longer when the store's clock is set back", async () => {
  const url = await newDatabase();
  const one = await start(url);
  one.refuse('first');
  one.pause(429, MINUTE);
  await Promise.all([one.rests('first'), one.read()]);
  const hourAgo = '(extract(epoch from clock_timestamp()) * 1000)::bigint - 3600000';
  const now = `create or replace function nac_lookup_bot.now_ms() returns bigint language sql as $$ select ${hourAgo} $$`;
  await runIn(url, now);
  const other = await start(url);
  for (const { read, rests, pausedS } of [one, other]) {
    await read();
    expect(await rests('first')).toBeLessThan(MINUTE + 100);
    expect(Math.abs(pausedS() - 55)).toBeLessThan(6);
  }
  await delay(1100);
  expect(await other.rests('first')).toBeLessThan(MINUTE - 900);
});

/** A replica with this password, of which `new` is right; its calls that were refused or rested. */
function openReplica(store: TestStore, now: () => number, password: string) {
  const rests = new SharedRests({ query: store.query, now, onError: (error) => store.errors.push(error) });
  const shared = rests.ofAccount('NAC', 'service');
  const account = { username: 'service', password: new Secret(password) };
  const parts = { account, now, shared, by: randomUUID(), spreadMs: 2500 };
  const guard = new AccountGuard(parts);
  const counts = { refused: 0, resting: 0 };
  async function ask(): Promise<void> {
    const { kind } = await guard.run(async () => ({ kind: password === 'new' ? 'found' : 'refused' }));
    if (kind === 'refused' || kind === 'resting') counts[kind]++;
    await rests.read();
  }
  return { read: () => rests.read(), ask, counts };
}

it.each<[second: string, restarts: number, refused: number, resting: number]>([
  ['new', 0, 7, 14],
  ['new', 10, 33, 14 * 11],
  ['old', 0, 8, 720],
  ['old', 10, 10, 720],
])('next to "%s", %i restarts of "old" cost %i refusals an hour', async (...row) => {
  const [password, restarts, refused, resting] = row;
  const clock = { now: Date.UTC(2026, 0, 1) };
  const now = () => clock.now;
  const store = await opened(
    await openStore({ directory: await newFolder() }, { clock: { now, steady: now } }),
  );
  const second = openReplica(store, now, password);
  const firsts: Array<ReturnType<typeof openReplica>> = [];
  for (let question = 0; question < 1440; question++, clock.now += 2500) {
    if (question % Math.ceil(1440 / (restarts + 1)) === 0) firsts.unshift(openReplica(store, now, 'old'));
    const [first = second] = firsts;
    for (const { read } of [first, second]) await read();
    await (question % 2 ? first : second).ask();
  }
  const total = [second, ...firsts].reduce((sum, { counts }) => sum + counts.refused, 0);
  expect([total, store.errors]).toEqual([refused, []]);
  expect(second.counts.resting).toBeLessThanOrEqual(resting);
});
