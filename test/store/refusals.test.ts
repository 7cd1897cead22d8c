import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import type { Refusal } from '../../src/domain/lockout.ts';
import { Secret } from '../../src/domain/secret.ts';
import { createRefusals } from '../../src/store/refusals.ts';
import { opened, openStore } from './engines.ts';
import { openFaultyProxy } from './faulty-proxy.ts';
import { newDatabase, runIn } from './postgres.ts';

const MINUTE = 60_000;
const SOON = { timeout: 15_000, interval: 10 };

/** A process on a database, whose steady clock is off by this much, with two accounts of the same name. */
async function start(url: string, offMs = 0) {
  const store = await openStore({ url: new Secret(url) }, { start: () => [refusals] });
  const now = () => Date.UTC(2026, 0, 1) + performance.now() + offMs;
  const refusals = createRefusals(store, { now, onError: (error) => store.errors.push(error) });
  const heard: Record<'NAC' | 'ticket', Refusal | undefined> = { NAC: undefined, ticket: undefined };
  const ticket = refusals.of('ticket', 'service')((latest) => (heard.ticket = latest));
  const third = refusals.of('third', 'service')(() => {});
  const nac = refusals.of('NAC', 'service')((latest) => (heard.NAC = latest));
  await opened(store);
  return {
    store,
    heard,
    withdraw: nac.withdraw,
    refuse(id: string, restMs = MINUTE, { tell } = nac) {
      tell({ id, restMs, until: now() + restMs, wasAccepted: true, fitUntil: now() - 5000, isAgain: true });
    },
    ticket,
    third,
    /** Waits until the NAC account's latest refusal is the one with this id. @returns how long it rests */
    async rests(id: string | undefined): Promise<number> {
      await vi.waitFor(() => expect(heard.NAC?.id).toBe(id), SOON);
      return (heard.NAC?.until ?? 0) - now();
    },
    fitAgo: () => now() - (heard.NAC?.fitUntil ?? 0),
  };
}

const rowsIn = (url: string) => runIn(url, "select key from nac_lookup_bot.kept where kind = 'refusal'");

describe('a refusal that one process tells', () => {
  it('reaches all processes soon, for that account alone, whatever their clocks say', async () => {
    const url = await newDatabase();
    const all = [await start(url), await start(url, -3_600_000), await start(url, 3_600_000)];
    all[0]?.refuse('first');
    for (const { rests, fitAgo, heard, store } of all) {
      const leftMs = await rests('first');
      expect(leftMs).toBeGreaterThan(MINUTE - 4000);
      expect(leftMs).toBeLessThan(MINUTE + 100);
      expect(fitAgo()).toBeGreaterThan(4900);
      expect(fitAgo()).toBeLessThan(9000);
      expect(heard.NAC).toMatchObject({ restMs: MINUTE, wasAccepted: true, isAgain: true });
      expect(heard.ticket).toBeUndefined();
      expect(store.errors).toEqual([]);
    }
    expect(await rowsIn(url)).toEqual([{ key: '["NAC","service"]' }]);
  });

  it('is replaced by a later refusal, and withdrawn by any process', async () => {
    const url = await newDatabase();
    const [one, other] = [await start(url), await start(url)];
    one.refuse('first');
    await other.rests('first');
    other.refuse('second');
    await one.rests('second');
    one.withdraw(['first']); // It is there no longer.
    one.withdraw(['second']);
    await other.rests(undefined);
    expect(await rowsIn(url)).toEqual([]);
  });

  it('counts as not there if its row has another form', async () => {
    const url = await newDatabase();
    const { refuse, rests, store } = await start(url);
    refuse('first');
    await rests('first');
    await runIn(url, `update nac_lookup_bot.kept set data = '{"restMs":"long"}' where kind = 'refusal'`);
    await rests(undefined);
    expect(store.errors).toEqual([]);
  });
});

it('while the database is away nothing is told; what still holds, and is not withdrawn, is told when it is back', async () => {
  const url = await newDatabase();
  const proxy = await openFaultyProxy(url);
  const [one, other] = [await start(proxy.url), await start(url)];
  await proxy.goAway();
  one.refuse('over', 1000, one.ticket); // What is told of the other accounts is told first.
  one.refuse('withdrawn', MINUTE, one.third);
  one.third.withdraw(['withdrawn']);
  one.refuse('held');
  await delay(1000);
  expect(await rowsIn(url)).toEqual([]);
  await proxy.comeBack();
  expect(await other.rests('held')).toBeLessThan(MINUTE - 900);
  expect(await rowsIn(url)).toEqual([{ key: '["NAC","service"]' }]);
});
