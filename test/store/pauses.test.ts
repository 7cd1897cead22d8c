import { expect, it, vi } from 'vitest';
import { Secret } from '../../src/domain/secret.ts';
import { createPauses } from '../../src/store/pauses.ts';
import { opened, openStore } from './engines.ts';
import { openFaultyProxy } from './faulty-proxy.ts';
import { newDatabase, runIn } from './postgres.ts';

const HOUR = 3_600_000;

/** A process on a database whose steady clock is off by this much. */
async function start(url: string, offMs = 0) {
  const store = await openStore({ url: new Secret(url) }, { start: () => [pauses] });
  const now = () => performance.now() + offMs;
  const pauses = createPauses(store, { now, onError: (error) => store.errors.push(error) });
  await opened(store);
  return { ...pauses, secondsLeft: () => Math.round((pauses.find('room')?.leftMs ?? 0) / 1000) };
}

it('a pause reaches every process despite their clocks, unshortened', async () => {
  const url = await newDatabase();
  const all = [await start(url), await start(url, -HOUR), await start(url, HOUR)];
  const lefts = () => all.map(({ secondsLeft }) => secondsLeft());
  all[0]?.begin('room', { status: 429, leftMs: 60_000 });
  await vi.waitFor(() => expect(Math.min(...lefts())).toBeGreaterThan(55), 5000);
  all[1]?.begin('room', { status: 503, leftMs: 1000 });
  all.push(await start(url));
  for (const { read, find, secondsLeft } of all) {
    await read();
    expect([find('room')?.status, find('other'), secondsLeft() > 50]).toEqual([429, undefined, true]);
  }
  all[2]?.begin('room', { status: 503, leftMs: 600_000 });
  await vi.waitFor(() => expect(Math.min(...lefts())).toBeGreaterThan(590), 5000);
  expect(await runIn(url, "select data from nac_lookup_bot.kept where kind = 'pause'")).toHaveLength(1);
});

it('a pause during an outage is published after it', async () => {
  const url = await newDatabase();
  const proxy = await openFaultyProxy(url);
  const [one, other] = [await start(proxy.url), await start(url)];
  await proxy.goAway();
  one.begin('room', { status: 429, leftMs: 60_000 });
  await expect(one.read()).rejects.toThrow();
  expect([one.secondsLeft(), other.secondsLeft()]).toEqual([60, 0]);
  await proxy.comeBack();
  await vi.waitFor(() => expect(other.secondsLeft()).toBeGreaterThan(40), 15_000);
});
