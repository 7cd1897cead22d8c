import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { createRest, type Judgement } from '../../src/credentials/cooldown.ts';
import { Secret } from '../../src/domain/secret.ts';
import { createRefusals } from '../../src/store/refusals.ts';
import { opened, openStore } from './engines.ts';
import { type PostgresServer, startPostgres } from './postgres.ts';

const MINUTE = 60_000;

let server: PostgresServer;
let client: pg.Client;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.close());

const closers: Array<() => Promise<void>> = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

let databases = 0;
async function newDatabase(): Promise<string> {
  databases += 1;
  const url = await server.createDatabase(`refusals_${databases}`);
  client = await connected(url);
  return url;
}

async function connected(url: string): Promise<pg.Client> {
  const made = new pg.Client(url);
  made.on('error', () => {}); // A server that stops ends it.
  await made.connect();
  closers.push(() => made.end());
  return made;
}

/** A process on a database, whose steady clock is off by this much. */
async function start(url: string, offMs = 0) {
  const store = await openStore({ url: new Secret(url) }, { onOpen: async () => [refusals.workers] });
  const now = () => Date.UTC(2026, 0, 1) + performance.now() + offMs;
  const refusals = createRefusals(store, { now, onError: (error) => store.errors.push(error) });
  const account = { password: 'top-secret' };
  const password = new Secret(() => account.password);
  const rest = createRest({ password, now, join: refusals.of('NAC', 'service') });
  const elsewhere = createRest({ password, now, join: refusals.of('ticket', 'service') });
  await opened(store);
  closers.push(() => store.close(1000));
  const use = (judgement: Judgement) =>
    rest.guard(
      async () => 'called' as const,
      () => judgement,
    );
  const leftMs = () => (rest.until() ?? now()) - now();
  return { store, refusals, account, rest, elsewhere, use, leftMs };
}

type Process = Awaited<ReturnType<typeof start>>;

async function rests({ rest }: Process, withinMs: number): Promise<void> {
  await vi.waitFor(() => expect(rest.until()).toBeDefined(), { timeout: withinMs, interval: 10 });
}

const rows = async () =>
  (
    await client.query<{ key: string; data: string }>(
      "select * from nac_lookup_bot.kept where kind = 'refusal'",
    )
  ).rows;

describe('a refusal that one process tells', () => {
  it('reaches the others within a second or two, for that account alone, whatever their clocks say', async () => {
    const url = await newDatabase();
    const [one, ...others] = [await start(url), await start(url, -3_600_000), await start(url, 3_600_000)];
    await one.use('refused');
    for (const other of others) {
      await rests(other, 5000);
      expect(other.leftMs()).toBeGreaterThan(MINUTE - 2000);
      expect(other.leftMs()).toBeLessThan(MINUTE + 5000);
      expect(other.elsewhere.until()).toBeUndefined();
    }
    expect([one, ...others].flatMap(({ store }) => store.errors)).toEqual([]);
  });

  it('stands in the database with system, user name and times, and nothing of the password', async () => {
    const url = await newDatabase();
    const one = await start(url);
    await one.use('refused');
    await vi.waitFor(async () => expect(await rows()).toHaveLength(1), 5000);
    const [row] = await rows();
    expect(row?.key).toBe('["NAC","service"]');
    expect(JSON.parse(row?.data ?? '')).toEqual({
      restMs: MINUTE,
      leftMs: expect.any(Number),
      wasAccepted: false,
      fitAgoMs: expect.any(Number),
    });
    expect(JSON.stringify(row)).not.toContain('secret');
  });

  it('is withdrawn by an acceptance in another process', async () => {
    const url = await newDatabase();
    const [one, other, third] = [await start(url), await start(url), await start(url)];
    await one.use('refused');
    await Promise.all([rests(other, 5000), rests(third, 5000)]);
    other.account.password = 'corrected';
    expect(await other.use('accepted')).toBe('called');
    await vi.waitFor(() => expect(third.rest.until()).toBeUndefined(), 5000);
    expect(one.rest.until()).toBeDefined();
    expect(await rows()).toEqual([]);
  });
});

describe('while the database is away', { timeout: 60_000 }, () => {
  it('a refusal rests here at once, and is told when the database is back', async () => {
    const url = await newDatabase();
    const [one, other] = [await start(url), await start(url)];
    await server.stop();
    await vi.waitFor(() => expect(one.store.state()).not.toBe('ok'), 10_000);
    const begun = performance.now();
    expect(await one.use('refused')).toBe('called');
    expect(await one.use('refused')).toMatchObject({ kind: 'resting' });
    expect(performance.now() - begun).toBeLessThan(100);
    await delay(6000);
    expect(other.rest.until()).toBeUndefined();
    await server.start();
    await rests(other, 15_000);
    expect(other.leftMs()).toBeLessThan(MINUTE + 5000 - 6000);
    for (const { store } of [one, other]) {
      expect(store.errors.filter((error) => !(error as Error).name.includes('StoreClosed'))).toEqual([]);
      expect(store.outages).toEqual([expect.stringContaining('lost: '), 'back']);
    }
  });
});
