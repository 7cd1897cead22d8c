import { describe, expect, it, vi } from 'vitest';
import type { ExchangeOutcome } from '../../src/credentials/exchanges.ts';
import { type Account, Secret } from '../../src/domain/secret.ts';
import { createKey, createMemoryStore, createMemoryVault } from './memory-store.ts';

const HOUR = 3_600_000;
const MINUTE = 60_000;
const ALEX = 'alex';
const REFUSED: ExchangeOutcome = { kind: 'refused' };
const DOWN: ExchangeOutcome = { kind: 'no answer', fault: { kind: 'cut off' } };
const accountOf = (username: string) => ({ username, password: new Secret(`${username}-password`) });
const accept = async () => 'accepted' as const;

it("the service account's credentials are issued once while valid", async () => {
  const { apiKey, calls, clock } = openVault();
  const keys = await Promise.all(Array.from({ length: 100 }, () => apiKey()));
  expect(new Set(keys.map(revealed))).toEqual(new Set(['key-1']));
  clock.now += 10 * MINUTE - 1;
  await apiKey();
  expect(calls).toEqual(['API key for service']);
  clock.now += 1;
  const [renewed] = await Promise.all(Array.from({ length: 100 }, () => apiKey()));
  expect(renewed).toMatchObject({ kind: 'held', since: clock.now, until: clock.now + 10 * MINUTE });
  expect(calls).toHaveLength(2);
  clock.now -= 30 * 24 * HOUR; // Nobody knows when a credential ends that was issued by a wrong clock.
  expect(await apiKey()).toMatchObject({ kind: 'held', since: clock.now });
});

it('the service account rests a minute, until the password changes', async () => {
  const { ticket, calls, clock, password } = openVault({ outcomes: [REFUSED] });
  expect(await ticket()).toEqual(REFUSED);
  expect(await ticket()).toEqual({ kind: 'resting', until: clock.now + MINUTE });
  password.now = 'two';
  expect(await ticket()).toMatchObject({ kind: 'held' });
  expect(calls).toHaveLength(2);
});

describe("a person's credentials", () => {
  it('are tried once each, kept for their time, and used without a call', async () => {
    const { connect, ownOf, calls, clock, store } = openVault();
    const save = vi.spyOn(store, 'save');
    const report = await connect();
    expect(save.mock.calls).toEqual([['alex', expect.any(String), 8 * HOUR]]);
    expect(report).toMatchObject({ isStored: true, until: clock.now + 8 * HOUR });
    const ends = report.exchanges.map(({ name, outcome }) => `${name} ${outcome.kind}`);
    expect(ends).toEqual(['API key held', 'ticket held']);
    expect((await ownOf(ALEX))?.password.reveal()).toBe('alex-password');
    expect(calls).toEqual(['API key for alex', 'ticket for alex']);
    clock.now += 8 * HOUR;
    expect(await ownOf(ALEX)).toBeUndefined();
  });

  it.each([
    ['anyone where sign-in is off', false, ALEX],
    ['an alert', true, 'alerts/noc'],
    ['a watch', true, 'watch/'],
  ])('are not sought in the database for %s', async (_, signIn, person) => {
    const sealed = createMemoryStore(() => 0);
    const find = vi.spyOn(sealed, 'find');
    const personal = { signIn, ttlHours: 8, keys: [createKey()] } as const;
    const vault = createMemoryVault(() => 0, { settings: { nac: accountOf('service'), personal }, sealed });
    expect(await vault.ownAccount(person)).toEqual({});
    expect(find).not.toHaveBeenCalled();
  });

  it('survive a restart', async () => {
    const { connect, store, keys } = openVault();
    await connect();
    const restarted = openVault({ store, keys });
    expect(await restarted.ownOf(ALEX)).toBeDefined();
    expect(restarted.calls).toEqual([]);
  });

  it('are forgotten on disconnect, also by a sign-in in flight', async () => {
    const { vault, connect, ownOf, store } = openVault();
    await connect();
    await vault.disconnect('alex');
    const connecting = connect();
    await vault.disconnect('alex');
    expect(await connecting).toMatchObject({ isStored: false });
    expect(await store.find('alex')).toBeUndefined();
    expect(await ownOf(ALEX)).toBeUndefined();
  });

  it("are not tried with one of the bot's own user names", async () => {
    const accounts = ['one', 'two', 'three', 'four'].map(accountOf) as [Account, Account, Account, Account];
    const [nac, authorize, ticket, endpoints] = accounts;
    const settings = { nac, authorize, ticket, endpoints, personal: personalWith([createKey()]) };
    const vault = createMemoryVault(Date.now, { settings });
    for (const username of ['ONE', 'corp/two', 'three.', 'four@corp']) {
      const { nac } = await vault.connect('alex', accountOf(username), accept);
      expect(nac).toBe('own name');
    }
  });

  it.each<[string, boolean, Array<ExchangeOutcome | undefined>]>([
    ['every exchange refuses them', false, [REFUSED, REFUSED]],
    ['one of two refuses them', true, [undefined, REFUSED]],
    ['no exchange answers', true, [DOWN, DOWN]],
  ])('when %s: stored %s', async (_, isStored, outcomes) => {
    const { connect, ownOf } = openVault({ outcomes });
    expect(await connect()).toMatchObject({ isStored });
    expect(await ownOf(ALEX)).toEqual(isStored ? expect.anything() : undefined);
  });

  it('are forgotten after a refusal unless the person has connected since', async () => {
    const { vault, connect, ownOf, clock } = openVault();
    const refuse = async () => (await vault.ownAccount(ALEX)).guard?.run(async () => ({ kind: 'refused' }));
    await connect();
    const { guard } = await vault.ownAccount(ALEX);
    await guard?.run(async () => {
      clock.now++;
      await connect();
      return { kind: 'refused' };
    });
    expect(await ownOf(ALEX)).toBeDefined();
    await refuse();
    expect(await ownOf(ALEX)).toBeUndefined();
    clock.now += MINUTE; // The refused name rests.
    await connect();
    clock.now += 8 * HOUR;
    expect(await ownOf(ALEX)).toBeUndefined();
  });
});

it('a failed renewal is reported, and tried again', async () => {
  const { ticket } = openVault({ outcomes: [DOWN] });
  expect(await ticket()).toEqual(DOWN);
  expect(await ticket()).toMatchObject({ kind: 'held' });
});

it('a sealed row of another person or key is logged once, and stays', async () => {
  const first = openVault();
  await first.connect();
  await first.store.save('patti', (await first.store.find('alex')) ?? '', HOUR);
  const second = openVault({ store: first.store });
  for (const id of ['alex', 'patti', 'alex']) expect(await second.ownOf(id)).toBeUndefined();
  expect(await first.ownOf('patti')).toBeUndefined();
  expect(await first.ownOf(ALEX)).toBeDefined();
  for (const { warnings } of [first, second])
    expect(warnings).toEqual([expect.stringContaining('cannot be opened')]);
});

it('a sealed row of the older of two keys is read', async () => {
  const old = openVault();
  await old.connect();
  const both = openVault({ store: old.store, keys: [createKey(), ...old.keys] });
  expect(await both.ownOf(ALEX)).toMatchObject({ username: ALEX });
  expect(both.warnings).toEqual([]);
});

const personalWith = (keys: [Secret, ...Secret[]]) => ({ signIn: true, ttlHours: 8, keys });
const revealed = (each: { kind: string; credential?: Secret }) => each.credential?.reveal();

type Options = {
  store?: ReturnType<typeof createMemoryStore>;
  keys?: [Secret, ...Secret[]];
  /** Of the exchanges' calls in turn. After them, and where undefined: issued for ten minutes. */
  outcomes?: Array<ExchangeOutcome | undefined>;
};

/** A vault with both exchanges, which the service account uses too. */
function openVault({ store: given, keys = [createKey()], outcomes = [] }: Options = {}) {
  const clock = { now: Date.UTC(2026, 0, 1) };
  const store = given ?? createMemoryStore(() => clock.now);
  const password = { now: 'one' };
  const calls: string[] = [];
  const warnings: string[] = [];
  const exchange = (name: string) => async (account: Account) => {
    calls.push(`${name} for ${account.username}`);
    await new Promise(setImmediate);
    const credential = new Secret(`key-${calls.length}`);
    const held = { kind: 'held', credential, since: clock.now, until: clock.now + 10 * MINUTE } as const;
    return outcomes.shift() ?? held;
  };
  const nac = { username: 'service', password: new Secret(() => password.now) };
  const vault = createMemoryVault(() => clock.now, {
    settings: { nac, authorize: nac, ticket: nac, personal: personalWith(keys) },
    exchanges: { 'API key': exchange('API key'), ticket: exchange('ticket') },
    sealed: store,
    log: { warn: (message: unknown) => void warnings.push(String(message)) },
  });
  const connect = (person = 'alex') => vault.connect(person, accountOf(person), accept);
  const apiKey = () => vault.issued('API key');
  const ticket = () => vault.issued('ticket');
  const ownOf = async (person: string) => (await vault.ownAccount(person)).guard?.account;
  return { vault, ownOf, apiKey, ticket, connect, calls, warnings, clock, password, store, keys };
}
