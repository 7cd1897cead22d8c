import type { RequestListener } from 'node:http';
import { describe, expect, it } from 'vitest';
import type { SealedStore } from '../src/credentials/personal-accounts.ts';
import { createLockoutGuard, type VaultOptions } from '../src/credentials.ts';
import type { IpAddress } from '../src/domain/ip-address.ts';
import type { MacAddress } from '../src/domain/mac-address.ts';
import type { Paused, SessionOutcome } from '../src/domain/outcome.ts';
import { Secret } from '../src/domain/secret.ts';
import { createAccounts } from '../src/nac/accounts.ts';
import { createLookups, createSessionCall } from '../src/nac/session-call.ts';
import { createHistory } from '../src/nac.ts';
import { createNac, type NacOptions } from '../src/sandbox/nac.ts';
import { createMemoryStore, createMemoryVault, joinNobody } from './credentials/memory-store.ts';
import { openUpstream, says, serve } from './serve.ts';

const MAC = 'AA:BB:CC:DD:EE:FF' as MacAddress;
const addresses = Array.from({ length: 20 }, (_, index) => `00:1B:54:00:70:${index + 10}` as MacAddress);
const REMEMBERED = '00:1B:54:00:00:21' as MacAddress;
const SOON = 5000;
const HOUR = 3_600_000;
const BOB = { kind: 'person', id: 'bob' } as const;
const UNKNOWN = '00:1B:54:00:99:99' as MacAddress;
const OTHERS = ['alex0', 'alex1', 'alex2', 'alex3'];
const PERSON = { username: 'alex', password: 'right' };

describe("a person's lookups", () => {
  it('stop at the first refusal: no more calls than were in flight', async () => {
    const { vault, lookUp, asked } = stage(() => ({ kind: 'refused' }));
    await vault.connect('bob', { username: 'bob', password: new Secret('wrong') });
    const outcomes = await Promise.all(addresses.map((address) => lookUp(address, 'bob')));
    expect(new Set(outcomes.map(({ kind }) => kind))).toEqual(new Set(['refused']));
    expect(asked).toEqual(Array(2).fill('bob:wrong'));
  });

  it('share neither a call nor a refusal with lookups of an earlier sign-in', async () => {
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    const { vault, lookUp, asked, clock } = stage(async (user) => {
      if (user === 'bob:wrong') await held;
      return { kind: user === 'bob:wrong' ? 'refused' : 'no session' };
    });
    await vault.connect('bob', { username: 'bob', password: new Secret('wrong') });
    const first = lookUp(MAC, 'bob');
    while (asked.length === 0) await new Promise(setImmediate);
    clock.now++;
    await vault.connect('bob', { username: 'alice', password: new Secret('right') });
    expect(await lookUp(MAC, 'bob')).toEqual({ kind: 'no session', account: 'person' });
    release();
    expect(await first).toEqual({ kind: 'refused', whose: 'person' });
    expect(await vault.basic(BOB)).toMatchObject({ kind: 'held' });
  });

  it('share no call between a MAC address and an IP address', async () => {
    const { lookUp, asked } = stage(() => ({ kind: 'no session' }));
    const addresses = [MAC, MAC, '198.51.100.23' as IpAddress, '2001:db8::23' as IpAddress];
    await Promise.all(addresses.map((address) => lookUp(address, 'bob')));
    expect(asked).toHaveLength(3);
  });

  const own = { account: 'person' };
  it.each<[answer: SessionOutcome, ofBot: object, ofPerson: object]>([
    [{ kind: 'found', tokens: [], record: {}, text: '' }, {}, own],
    [{ kind: 'no session' }, {}, own],
    [{ kind: 'fault', status: 500 }, {}, own],
    [{ kind: 'unusable', reason: 'login page' }, {}, own],
    [{ kind: 'forbidden' }, { whose: 'service' }, { whose: 'person' }],
  ])(
    "say that an answer is for the person's own account, as long as it is: $0.kind",
    async (answer, ofBot, ofPerson) => {
      const { vault, lookUp } = stage(() => answer);
      expect(await lookUp(MAC, 'bob')).toEqual({ ...answer, ...ofBot });
      await vault.connect('bob', { username: 'bob', password: new Secret('x') });
      expect(await lookUp(MAC, 'bob')).toEqual({ ...answer, ...ofPerson });
      expect(await lookUp(MAC, 'alice')).toEqual({ ...answer, ...ofBot });
      await vault.disconnect('bob');
      expect(await lookUp(MAC, 'bob')).toEqual({ ...answer, ...ofBot });
    },
  );

  it("say that the bot's account stands in while people's own cannot be read", async () => {
    const { lookUp, isAway, vault } = stage(() => ({ kind: 'no session' }));
    await vault.connect('bob', { username: 'bob', password: new Secret('x') });
    isAway.now = true;
    expect(await lookUp(MAC, 'bob')).toEqual({ kind: 'no session', account: 'stand-in' });
    expect(await vault.basic(BOB)).toEqual({ kind: 'not connected', unknown: true });
    isAway.now = false;
    expect(await lookUp(MAC, 'bob')).toEqual({ kind: 'no session', account: 'person' });
  });

  it("name no account if the NAC was not asked, or its answer comes under the bot's after a refusal", async () => {
    const paused: Paused = { kind: 'paused', isForAll: true, until: 1 };
    const { vault, lookUp } = stage((user) => (user === 'bob:x' ? paused : { kind: 'no session' }));
    await vault.connect('bob', { username: 'bob', password: new Secret('x') });
    expect(await lookUp(MAC, 'bob')).toEqual(paused);
    await vault.dropRefused('bob', Date.UTC(2026, 0, 1));
    expect(await lookUp(MAC, 'bob')).toEqual({ kind: 'no session' });
  });
});

describe('the last attempts of a device', () => {
  it.each(['service', 'alex'])('are asked for at the address that answered, as %s', async (username) => {
    const { vault, lookUp, history, sisterCalls } = await openStage({ isFirstDown: true });
    if (username === 'alex') await vault.connect('bob', { ...PERSON, password: new Secret(PERSON.password) });
    await lookUp(REMEMBERED, 'bob');
    expect(await history(REMEMBERED, 'bob', SOON)).toHaveLength(10);
    const path = `/admin/API/mnt/AuthStatus/MACAddress/${REMEMBERED}/86400/10/All`;
    expect(sisterCalls).toEqual([{ path, username }]);
    expect(await history(UNKNOWN, 'bob', SOON)).toEqual([]);
  });

  it('are not asked for before a lookup was answered, and then cost one call for two who ask', async () => {
    const { lookUp, history, sisterCalls } = await openStage();
    expect(await history(REMEMBERED, 'bob', SOON)).toBeUndefined();
    expect(sisterCalls).toEqual([]);
    await lookUp(REMEMBERED, 'bob');
    await Promise.all(['bob', 'eve'].map((person) => history(REMEMBERED, person, SOON)));
    expect(sisterCalls).toHaveLength(1);
  });

  it('are not asked for when their turn comes too late', async () => {
    const slow = ['00:1B:54:00:98:01', '00:1B:54:00:98:02'] as MacAddress[];
    const xml = { kind: 'session', xml: '<sessionParameters/>', delayMs: 300 } as const;
    const devices = slow.map((address) => ({ address, answer: xml }));
    const { lookUp, history, sisterCalls, clock } = await openStage({ devices });
    await lookUp(REMEMBERED, 'bob');
    const taken = slow.map((address) => lookUp(address, 'bob'));
    expect(await history(REMEMBERED, 'bob', 100)).toBeUndefined();
    clock.now += 100;
    await Promise.all(taken);
    await history(UNKNOWN, 'bob', SOON); // The late one's turn came before this one.
    expect(sisterCalls.map(({ path }) => path)).toEqual([expect.stringContaining(UNKNOWN)]);
  });

  it('rest with a refused account: never used while it rests', async () => {
    const { lookUp, history, calls, sisterCalls } = await openStage({ sisters: says(401) });
    await lookUp(REMEMBERED, 'bob');
    for (let time = 0; time < 2; time++) expect(await history(REMEMBERED, 'bob', SOON)).toBeUndefined();
    expect(await lookUp(REMEMBERED, 'bob')).toMatchObject({ kind: 'resting' });
    expect([calls.length, sisterCalls.length]).toEqual([1, 1]);
  });

  it("are left alone after the bot's account is refused three times, not after a person's", async () => {
    const bot = await openStage({ sisters: says(401) });
    await bot.lookUp(REMEMBERED, 'bob');
    for (const person of OTHERS) {
      await bot.vault.connect(person, { username: person, password: new Secret('right') });
      await bot.history(REMEMBERED, person, SOON);
    }
    for (let time = 0; time < 3; time++) {
      expect(bot.left).toBe(0);
      await bot.history(REMEMBERED, 'bob', SOON);
      bot.clock.now += HOUR;
    }
    expect([bot.sisterCalls.length, bot.left]).toEqual([7, 1]);
  });
});

const ENDLESS = `<authStatusOutputList>${'<a>b</a>'.repeat(280_000)}</authStatusOutputList>`;

it.each<[name: string, calls: number, sisters: RequestListener]>([
  ['404', 1, says(404)],
  ['500', 3, says(500, '<mnt-rest-result></mnt-rest-result>')],
  ['a login page', 3, says(200, '<!DOCTYPE html><html></html>')],
  ['half a list', 3, says(200, '<authStatusOutputList><authStatusList key="x">')],
  ['2 MB', 3, says(200, ENDLESS)],
  ['silence', 3, () => {}],
])(
  'a NAC that answers %s for attempts is asked %i times an hour, and lookups go on',
  async (name, times, sisters) => {
    const bot = await openStage({ sisters, ...(name === 'silence' && { timeoutMs: 200 }) });
    for (let hour = 1; hour <= 2; hour++) {
      for (let time = 0; time < 5; time++) {
        expect(await bot.lookUp(REMEMBERED, 'bob')).toEqual({ kind: 'no session' });
        expect(await bot.history(REMEMBERED, 'bob', SOON)).toBeUndefined();
      }
      expect(bot.sisterCalls.length).toBeLessThanOrEqual(times * hour); // A silent call can run out of time before it is there.
      expect(bot.left).toBe(hour);
      bot.clock.now += HOUR;
    }
    expect(bot.pausedUntil()).toBeUndefined();
  },
);

type Script = Partial<Pick<NacOptions, 'sisters' | 'devices'>> & { isFirstDown?: true; timeoutMs?: number };

async function openStage({ isFirstDown, timeoutMs = 20_000, ...script }: Script = {}) {
  const { clock, now, vault, accounts } = createBot();
  const service = { username: 'service', password: 'service' };
  const others = OTHERS.map((username) => ({ username, password: 'right' }));
  const nac = createNac({ accounts: [service, PERSON, ...others], ...script });
  const url = await serve(nac.server);
  const addresses = [...(isFirstDown ? ['http://127.0.0.1:1'] : []), url].map((each) => new URL(each));
  const macForm = 'colon' as const;
  const isIgnored = () => false;
  const session = createSessionCall({ upstream: openUpstream(), addresses, macForm, isIgnored, now });
  const { answeredBy } = session;
  const onOff = () => void bot.left++;
  const upstream = openUpstream({ timeoutMs });
  const bot = {
    ...nac,
    ...session,
    vault,
    clock,
    left: 0,
    lookUp: createLookups(session.call, accounts),
    history: createHistory({ upstream, macForm, accounts, answeredBy, now, onOff }),
  };
  return bot;
}

/** The accounts for the NAC, with the vault and the clock behind them. */
function createBot(options: Partial<VaultOptions> = {}) {
  const clock = { now: Date.UTC(2026, 0, 1) };
  const now = () => clock.now;
  const vault = createMemoryVault(now, options);
  const lockout = createLockoutGuard({ password: new Secret('service') }, now, joinNobody);
  return { clock, now, vault, accounts: createAccounts({ vault, lockout, concurrency: 2 }) };
}

function stage(answer: (user: string) => SessionOutcome | Paused | Promise<SessionOutcome>) {
  const asked: string[] = [];
  const isAway = { now: false };
  const rows = createMemoryStore();
  const find: SealedStore['find'] = (owner) =>
    isAway.now ? Promise.reject(new Error('away')) : rows.find(owner);
  const { clock, vault, accounts } = createBot({ sealed: { ...rows, find } });
  const lookUp = createLookups(async (_address, authorization) => {
    const user = Buffer.from(authorization.reveal().slice('Basic '.length), 'base64').toString();
    asked.push(user);
    await new Promise(setImmediate);
    return answer(user);
  }, accounts);
  return { vault, lookUp, asked, clock, isAway };
}
