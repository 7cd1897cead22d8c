import { describe, expect, it } from 'vitest';
import type { Account, ExchangeOutcome } from '../../src/credentials/exchanges.ts';
import type { Keys, SealedStore } from '../../src/credentials/people.ts';
import type { Owner } from '../../src/credentials.ts';
import { Secret } from '../../src/domain/secret.ts';
import { createKey, createMemoryStore, createMemoryVault } from './memory-store.ts';

const HOUR = 3_600_000;
const MINUTE = 60_000;
const SERVICE: Owner = { kind: 'service' };
const ALEX: Owner = { kind: 'person', id: 'alex' };
const DOWN: ExchangeOutcome = { kind: 'no answer', fault: { kind: 'cut off' } };
const ALEX_ACCOUNT = { username: 'alex', password: new Secret('alex-password') };

describe("the service account's credentials", () => {
  it('are issued once however many ask at that moment, kept while valid, and renewed when expired', async () => {
    const { vault, calls, clock } = stage();
    const keys = await Promise.all(Array.from({ length: 100 }, () => vault.apiKey(SERVICE)));
    expect(new Set(keys.map((each) => each.kind === 'held' && each.credential.reveal()))).toEqual(
      new Set(['key-1']),
    );
    clock.now += 10 * MINUTE - 1;
    await vault.apiKey(SERVICE);
    expect(calls).toEqual(['API key for service']);
    clock.now += 1;
    const [renewed] = await Promise.all(Array.from({ length: 100 }, () => vault.apiKey(SERVICE)));
    expect(renewed).toMatchObject({ kind: 'held', since: clock.now, until: clock.now + 10 * MINUTE });
    expect(calls).toHaveLength(2);
  });

  it('rest after a refusal, until the password changes', async () => {
    const password = { now: 'wrong' };
    const { vault, calls, clock } = stage({
      password: () => password.now,
      outcome: ({ password }) => (password.reveal() === 'right' ? undefined : { kind: 'refused' }),
    });
    expect(await vault.ticket(SERVICE)).toEqual({ kind: 'refused' });
    expect(await vault.ticket(SERVICE)).toEqual({ kind: 'resting', until: clock.now + MINUTE });
    expect(calls).toHaveLength(1);
    password.now = 'right';
    expect(await vault.ticket(SERVICE)).toMatchObject({ kind: 'held' });
  });

  it('report a fault, and are asked for again the next time', async () => {
    const answers: Array<ExchangeOutcome | undefined> = [DOWN, undefined];
    const { vault } = stage({ outcome: () => answers.shift() });
    expect(await vault.apiKey(SERVICE)).toEqual(DOWN);
    expect(await vault.apiKey(SERVICE)).toMatchObject({ kind: 'held' });
  });

  it('include Basic without a call, built anew when the password changes', async () => {
    const password = { now: 'one' };
    const { vault, calls } = stage({ password: () => password.now });
    const one = await vault.basic(SERVICE);
    const again = await vault.basic(SERVICE);
    expect(one.kind === 'held' && again.kind === 'held' && one.credential === again.credential).toBe(true);
    password.now = 'two';
    const two = await vault.basic(SERVICE);
    expect([one, two].map((each) => each.kind === 'held' && each.credential.reveal())).toEqual([
      `Basic ${Buffer.from('service:one').toString('base64')}`,
      `Basic ${Buffer.from('service:two').toString('base64')}`,
    ]);
    expect(calls).toEqual([]);
  });
});

describe("a person's credentials", () => {
  it('are tried once each, kept, and used without a new call', async () => {
    const { vault, calls, clock } = stage();
    const report = await vault.connect('alex', ALEX_ACCOUNT);
    expect(report).toMatchObject({ kept: true, until: clock.now + 8 * HOUR });
    expect(report.exchanges.map(({ name, outcome }) => [name, outcome.kind])).toEqual([
      ['API key', 'granted'],
      ['ticket', 'granted'],
    ]);
    expect(await vault.apiKey(ALEX)).toMatchObject({ kind: 'held' });
    expect(await vault.ticket(ALEX)).toMatchObject({ kind: 'held' });
    const basic = await vault.basic(ALEX);
    expect(basic.kind === 'held' && basic.credential.reveal()).toBe(
      `Basic ${Buffer.from('alex:alex-password').toString('base64')}`,
    );
    expect(calls).toEqual(['API key for alex', 'ticket for alex']);
  });

  it('survive a restart with the same store, without a new call', async () => {
    const first = stage();
    await first.vault.connect('alex', ALEX_ACCOUNT);
    const second = stage({ store: first.store, keys: first.keys });
    expect(await second.vault.apiKey(ALEX)).toMatchObject({ kind: 'held' });
    expect(await second.vault.basic(ALEX)).toMatchObject({ kind: 'held' });
    expect(second.calls).toEqual([]);
  });

  it('are renewed with the password that was kept, once for all who ask, and sealed anew', async () => {
    const { vault, calls, clock, store, keys } = stage();
    await vault.connect('alex', ALEX_ACCOUNT);
    clock.now += 11 * MINUTE;
    await Promise.all(Array.from({ length: 100 }, () => vault.apiKey(ALEX)));
    expect(calls.filter((call) => call === 'API key for alex')).toHaveLength(2);
    const restarted = stage({ store, keys });
    restarted.clock.now = clock.now;
    expect(await restarted.vault.apiKey(ALEX)).toMatchObject({ kind: 'held' });
    expect(restarted.calls).toEqual([]);
  });

  it('end after their time', async () => {
    const { vault, clock } = stage();
    await vault.connect('alex', ALEX_ACCOUNT);
    clock.now += 8 * HOUR;
    expect(await vault.basic(ALEX)).toEqual({ kind: 'not connected' });
    expect(await vault.apiKey(ALEX)).toEqual({ kind: 'not connected' });
  });

  it('are forgotten on disconnect, in the store too, and by a renewal under way', async () => {
    const { vault, clock, store } = stage();
    await vault.connect('alex', ALEX_ACCOUNT);
    clock.now += 11 * MINUTE;
    const renewal = vault.apiKey(ALEX);
    await vault.disconnect('alex');
    await renewal;
    expect(await store.read('alex')).toBeUndefined();
    expect(await vault.basic(ALEX)).toEqual({ kind: 'not connected' });
  });

  it('are not kept when the person disconnects while they are tried', async () => {
    const { vault } = stage();
    const connecting = vault.connect('alex', ALEX_ACCOUNT);
    await vault.disconnect('alex');
    expect(await connecting).toMatchObject({ kept: false });
    expect(await vault.basic(ALEX)).toEqual({ kind: 'not connected' });
  });

  it('are not kept when every exchange refuses them, but are when one does not', async () => {
    const all = stage({ outcome: () => ({ kind: 'refused' }) });
    expect(await all.vault.connect('alex', ALEX_ACCOUNT)).toMatchObject({ kept: false });
    expect(await all.vault.basic(ALEX)).toEqual({ kind: 'not connected' });
    const one = stage({ outcome: (_, name) => (name === 'ticket' ? { kind: 'refused' } : undefined) });
    expect(await one.vault.connect('alex', ALEX_ACCOUNT)).toMatchObject({ kept: true });
    const none = stage({ outcome: () => DOWN });
    expect(await none.vault.connect('alex', ALEX_ACCOUNT)).toMatchObject({ kept: true });
  });

  it('are forgotten after one refusal, unless the person has connected anew since', async () => {
    const { vault, clock } = stage();
    const { until } = await vault.connect('alex', ALEX_ACCOUNT);
    const since = until - 8 * HOUR;
    clock.now += 1;
    await vault.connect('alex', ALEX_ACCOUNT);
    await vault.dropRefused('alex', since);
    expect(await vault.basic(ALEX)).toMatchObject({ kind: 'held' });
    await vault.dropRefused('alex', since + 1);
    expect(await vault.basic(ALEX)).toEqual({ kind: 'not connected', refused: true });
  });
});

describe('a sealed row', () => {
  it.each<[string, (row: Uint8Array) => Uint8Array]>([
    ['tampered with', (row) => Uint8Array.from(row, (byte, index) => (index === 40 ? byte ^ 1 : byte))],
    ['cut', (row) => row.subarray(0, 10)],
  ])('that was %s is never used, with a warning', async (_, change) => {
    const { vault, store, warnings } = stage();
    await vault.connect('alex', ALEX_ACCOUNT);
    await store.write(
      'alex',
      change((await store.read('alex')) ?? new Uint8Array()),
      Number.MAX_SAFE_INTEGER,
    );
    expect(await vault.basic(ALEX)).toEqual({ kind: 'not connected' });
    expect(warnings).toHaveLength(1);
  });

  it("of another owner is never used: one person's row is never another's", async () => {
    const { vault, store } = stage();
    await vault.connect('alex', ALEX_ACCOUNT);
    await store.write('patti', (await store.read('alex')) ?? new Uint8Array(), Number.MAX_SAFE_INTEGER);
    expect(await vault.basic({ kind: 'person', id: 'patti' })).toEqual({ kind: 'not connected' });
  });

  it('of another SECRET_KEY is not connected there, said once, and still there for the key that fits', async () => {
    const first = stage();
    await first.vault.connect('alex', ALEX_ACCOUNT);
    await first.vault.connect('patti', { username: 'patti', password: new Secret('patti-password') });
    const second = stage({ store: first.store });
    for (const id of ['alex', 'patti', 'alex'])
      expect(await second.vault.basic({ kind: 'person', id })).toEqual({ kind: 'not connected' });
    expect(second.warnings).toEqual([expect.stringContaining('cannot be opened')]);
    expect(await first.vault.basic(ALEX)).toMatchObject({ kind: 'held' });
  });

  it('of the old of two keys is read, and sealed anew with the new one', async () => {
    const old = stage();
    await old.vault.connect('alex', ALEX_ACCOUNT);
    const newKey = createKey();
    const both = stage({ store: old.store, keys: [newKey, ...old.keys] });
    const [held] = await Promise.all([both.vault.basic(ALEX), both.vault.basic(ALEX)]);
    expect(held.kind === 'held' && held.until).toBe(old.clock.now + 8 * HOUR);
    expect(await stage({ store: old.store, keys: [newKey] }).vault.basic(ALEX)).toEqual(held);
    expect(both.warnings).toEqual([]);
    expect(await old.vault.basic(ALEX)).toEqual({ kind: 'not connected' });
  });
});

type StageOptions = {
  password?: () => string;
  store?: SealedStore;
  keys?: Keys;
  /** If undefined, granted for ten minutes. */
  outcome?: (account: Account, name: string) => ExchangeOutcome | undefined;
};

function stage({ store, keys = [createKey()], ...options }: StageOptions = {}) {
  const clock = { now: Date.UTC(2026, 0, 1) };
  const now = () => clock.now;
  const calls: string[] = [];
  const warnings: string[] = [];
  const sealed = store ?? createMemoryStore(now);
  const exchange =
    (name: string) =>
    async (account: Account): Promise<ExchangeOutcome> => {
      calls.push(`${name} for ${account.username}`);
      await new Promise(setImmediate);
      const granted = { kind: 'granted', credential: new Secret(`key-${calls.length}`) } as const;
      return options.outcome?.(account, name) ?? { ...granted, until: clock.now + 10 * MINUTE };
    };
  const nac = { username: 'service', password: new Secret(options.password ?? 'password') };
  const vault = createMemoryVault(now, {
    settings: { nac, authorize: nac, ticket: nac, personal: { signIn: true, ttlHours: 8, keys } },
    exchanges: { 'API key': exchange('API key'), ticket: exchange('ticket') },
    sealed,
    warn: (message) => warnings.push(message),
  });
  return { vault, calls, warnings, clock, store: sealed, keys };
}
