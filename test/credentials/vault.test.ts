import { describe, expect, it, vi } from 'vitest';
import type { ExchangeOutcome } from '../../src/credentials/exchanges.ts';
import type { AccountVerdict, SealedStore } from '../../src/credentials/personal-accounts.ts';
import type { Keys } from '../../src/credentials/secret-key.ts';
import type { Owner } from '../../src/credentials.ts';
import { type Account, Secret } from '../../src/domain/secret.ts';
import { createKey, createMemoryStore, createMemoryVault } from './memory-store.ts';

const HOUR = 3_600_000;
const MINUTE = 60_000;
const SERVICE: Owner = { kind: 'service' };
const ALEX: Owner = { kind: 'person', id: 'alex' };
const REFUSED: ExchangeOutcome = { kind: 'refused' };
const DOWN: ExchangeOutcome = { kind: 'no answer', fault: { kind: 'cut off' } };
const ALEX_ACCOUNT = { username: 'alex', password: new Secret('alex-password') };

describe("the service account's credentials", () => {
  it('are issued once however many ask at that moment, kept while valid, and renewed when expired', async () => {
    const { vault, calls, clock } = stage();
    const keys = await Promise.all(Array.from({ length: 100 }, () => vault.apiKey(SERVICE)));
    expect(new Set(keys.map((each) => secretOf(each)?.reveal()))).toEqual(new Set(['key-1']));
    clock.now += 10 * MINUTE - 1;
    await vault.apiKey(SERVICE);
    expect(calls).toEqual(['API key for service']);
    clock.now += 1;
    const [renewed] = await Promise.all(Array.from({ length: 100 }, () => vault.apiKey(SERVICE)));
    expect(renewed).toMatchObject({ kind: 'held', since: clock.now, until: clock.now + 10 * MINUTE });
    expect(calls).toHaveLength(2);
  });

  it('rest a minute after a refusal, until the password changes, and again if they were issued since', async () => {
    const answers = [REFUSED, REFUSED, undefined, REFUSED];
    const password = { now: 'one' };
    const { vault, calls, clock } = stage({ password: () => password.now, outcome: () => answers.shift() });
    const resting = () => ({ kind: 'resting', until: clock.now + MINUTE });
    expect(await vault.ticket(SERVICE)).toEqual(REFUSED);
    expect(await vault.ticket(SERVICE)).toEqual(resting());
    password.now = 'two';
    for (const kind of ['refused', 'held', 'refused']) {
      clock.now += 10 * MINUTE;
      expect(await vault.ticket(SERVICE)).toMatchObject({ kind });
    }
    expect(await vault.ticket(SERVICE)).toEqual(resting());
    expect(calls).toHaveLength(4);
  });

  it('include Basic without a call, built anew when the password changes', async () => {
    const password = { now: 'one' };
    const { vault, calls, clock } = stage({ password: () => password.now });
    const since = clock.now++;
    const [one, again] = [await vault.basic(SERVICE), await vault.basic(SERVICE)];
    expect(secretOf(one)).toBe(secretOf(again));
    expect(one).toMatchObject({ since });
    password.now = 'two';
    const revealed = [one, await vault.basic(SERVICE)].map((each) => secretOf(each)?.reveal());
    expect(revealed).toEqual(['service:one', 'service:two'].map(basicOf));
    expect(calls).toEqual([]);
  });
});

describe("a person's credentials", () => {
  it('are tried once each, kept, and used without a new call', async () => {
    const { vault, calls, clock } = stage();
    const report = await vault.connect('alex', ALEX_ACCOUNT);
    expect(report).toMatchObject({ kept: true, until: clock.now + 8 * HOUR });
    expect(report.exchanges.map(({ name, outcome }) => [name, outcome.kind])).toEqual([
      ['API key', 'held'],
      ['ticket', 'held'],
    ]);
    for (const issued of [vault.apiKey, vault.ticket])
      expect(await issued(ALEX)).toMatchObject({ kind: 'held', since: clock.now });
    expect(secretOf(await vault.basic(ALEX))?.reveal()).toBe(basicOf('alex:alex-password'));
    expect(calls).toEqual(['API key for alex', 'ticket for alex']);
  });

  it('are renewed with the password that was kept, once for all who ask, and survive a restart', async () => {
    const { vault, calls, clock, store, keys } = stage();
    await vault.connect('alex', ALEX_ACCOUNT);
    clock.now += 11 * MINUTE;
    await Promise.all(Array.from({ length: 100 }, () => vault.apiKey(ALEX)));
    expect(calls.filter((call) => call === 'API key for alex')).toHaveLength(2);
    const restarted = stage({ store, keys });
    restarted.clock.now = clock.now;
    const { apiKey, basic } = restarted.vault;
    for (const held of [apiKey, basic]) expect(await held(ALEX)).toMatchObject({ kind: 'held' });
    expect(restarted.calls).toEqual([]);
  });

  it('rest a minute again after a refusal, if they were accepted since the last one', async () => {
    const answers = [REFUSED, REFUSED, undefined, undefined, REFUSED, REFUSED];
    const { vault, clock } = stage({ outcome: () => answers.shift() });
    for (const kept of [false, true, false]) {
      if (kept) clock.now += MINUTE;
      expect(await vault.connect('alex', ALEX_ACCOUNT)).toMatchObject({ kept });
    }
    expect(await vault.connect('alex', ALEX_ACCOUNT)).toMatchObject({
      notTried: { kind: 'resting', until: clock.now + MINUTE },
    });
  });

  it('end after their time', async () => {
    const { vault, clock } = stage();
    await vault.connect('alex', ALEX_ACCOUNT);
    clock.now += 8 * HOUR;
    for (const held of [vault.apiKey, vault.basic])
      expect(await held(ALEX)).toEqual({ kind: 'not connected' });
  });

  it('are forgotten on disconnect, in the store too, by a renewal and by a sign-in under way', async () => {
    const { vault, clock, store } = stage();
    await vault.connect('alex', ALEX_ACCOUNT);
    clock.now += 11 * MINUTE;
    const renewal = vault.apiKey(ALEX);
    await vault.disconnect('alex');
    await renewal;
    const connecting = vault.connect('alex', ALEX_ACCOUNT);
    await vault.disconnect('alex');
    expect(await connecting).toMatchObject({ kept: false });
    expect(await store.find('alex')).toBeUndefined();
    expect(await vault.basic(ALEX)).toEqual({ kind: 'not connected' });
  });

  it("are not tried with one of the bot's own user names", async () => {
    const accounts = ['one', 'two', 'three', 'four'].map((username) => ({ ...ALEX_ACCOUNT, username }));
    const [nac = ALEX_ACCOUNT, authorize, ticket, endpoints] = accounts;
    const settings = { nac, authorize, ticket, endpoints, personal: personalWith([createKey()]) };
    const { connect } = createMemoryVault(Date.now, { settings });
    for (const each of accounts)
      expect(await connect('alex', each)).toMatchObject({ kept: false, notTried: { kind: 'own name' } });
  });

  it.each<[string, boolean, (name: string) => ExchangeOutcome | undefined]>([
    ['every exchange refuses them', false, () => REFUSED],
    ['one of two refuses them', true, (name) => (name === 'ticket' ? REFUSED : undefined)],
    ['no exchange answers', true, () => DOWN],
  ])('when %s: kept %s', async (_, kept, answer) => {
    const { vault } = stage({ outcome: (_, name) => answer(name) });
    expect(await vault.connect('alex', ALEX_ACCOUNT)).toMatchObject({ kept });
    expect(await vault.basic(ALEX)).toMatchObject({ kind: kept ? 'held' : 'not connected' });
  });

  it.each<[verdict: AccountVerdict, kept: boolean, rests: boolean]>([
    ['accepted', true, false],
    ['unknown', true, false],
    ['forbidden', false, false],
    ['refused', false, true],
  ])('without exchanges are tried at the NAC itself: %s', async (verdict, kept, rests) => {
    const askNac = vi.fn(async () => verdict);
    const vault = createMemoryVault(() => 0, { askNac });
    const report = await vault.connect('alex', ALEX_ACCOUNT);
    expect(report).toEqual({ ...report, kept, nac: verdict, restsUntil: rests ? MINUTE : undefined });
    expect(askNac.mock.calls).toEqual([[ALEX_ACCOUNT, 'alex']]);
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
    clock.now += MINUTE; // The refused name rests.
    await vault.connect('alex', ALEX_ACCOUNT);
    clock.now += 8 * HOUR;
    expect(await vault.basic(ALEX)).toEqual({ kind: 'not connected' });
  });
});

it.each([SERVICE, ALEX])('the fault of a renewal is reported to %o, and it is tried again', async (owner) => {
  const answers = [undefined, undefined, DOWN];
  const { vault, clock } = stage({ outcome: () => answers.shift() });
  await vault.connect('alex', ALEX_ACCOUNT);
  clock.now += 11 * MINUTE;
  expect(await vault.ticket(owner)).toEqual(DOWN);
  expect(await vault.ticket(owner)).toMatchObject({ kind: 'held' });
});

describe('a sealed row', () => {
  it('of another person, or of another SECRET_KEY, is never used, which is said once, and stays for the key that fits', async () => {
    const first = stage();
    await first.vault.connect('alex', ALEX_ACCOUNT);
    await first.store.save('patti', (await first.store.find('alex')) ?? '', 0);
    const second = stage({ store: first.store });
    for (const { vault, warnings, ids } of [
      { ...second, ids: ['alex', 'patti', 'alex'] },
      { ...first, ids: ['patti'] },
    ]) {
      for (const id of ids)
        expect(await vault.basic({ kind: 'person', id })).toEqual({ kind: 'not connected' });
      expect(warnings).toEqual([expect.stringContaining('cannot be opened')]);
    }
    expect(await first.vault.basic(ALEX)).toMatchObject({ kind: 'held' });
  });

  it('of the old of two keys is read, and sealed anew with the new one', async () => {
    const old = stage();
    await old.vault.connect('alex', ALEX_ACCOUNT);
    const newKey = createKey();
    const both = stage({ store: old.store, keys: [newKey, ...old.keys] });
    const [held] = await Promise.all([both.vault.basic(ALEX), both.vault.basic(ALEX)]);
    expect(held).toMatchObject({ kind: 'held', until: old.clock.now + 8 * HOUR });
    expect(await stage({ store: old.store, keys: [newKey] }).vault.basic(ALEX)).toEqual(held);
    expect(both.warnings).toEqual([]);
    expect(await old.vault.basic(ALEX)).toEqual({ kind: 'not connected' });
  });
});

const personalWith = (keys: Keys) => ({ signIn: true, ttlHours: 8, keys });
const basicOf = (account: string) => `Basic ${Buffer.from(account).toString('base64')}`;
const secretOf = (each: { kind: string; credential?: Secret }) => each.credential;

type StageOptions = {
  password?: () => string;
  store?: SealedStore;
  keys?: Keys;
  /** If undefined, issued for ten minutes. */
  outcome?: (account: Account, name: string) => ExchangeOutcome | undefined;
};

function stage({ store = createMemoryStore(), keys = [createKey()], ...options }: StageOptions = {}) {
  const clock = { now: Date.UTC(2026, 0, 1) };
  const now = () => clock.now;
  const calls: string[] = [];
  const warnings: string[] = [];
  const exchange =
    (name: string) =>
    async (account: Account): Promise<ExchangeOutcome> => {
      calls.push(`${name} for ${account.username}`);
      await new Promise(setImmediate);
      const held = { kind: 'held', credential: new Secret(`key-${calls.length}`), since: clock.now } as const;
      return options.outcome?.(account, name) ?? { ...held, until: clock.now + 10 * MINUTE };
    };
  const nac = { username: 'service', password: new Secret(options.password ?? 'password') };
  const vault = createMemoryVault(now, {
    settings: { nac, authorize: nac, ticket: nac, personal: personalWith(keys) },
    exchanges: { 'API key': exchange('API key'), ticket: exchange('ticket') },
    sealed: store,
    warn: (message) => warnings.push(message),
  });
  return { vault, calls, warnings, clock, store, keys };
}
