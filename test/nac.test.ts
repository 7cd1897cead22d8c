import { describe, expect, it } from 'vitest';
import type { SealedStore } from '../src/credentials/personal-accounts.ts';
import { createLockoutGuard } from '../src/credentials.ts';
import type { IpAddress } from '../src/domain/ip-address.ts';
import type { MacAddress } from '../src/domain/mac-address.ts';
import type { Paused, SessionOutcome } from '../src/domain/outcome.ts';
import { Secret } from '../src/domain/secret.ts';
import { createAccounts } from '../src/nac/accounts.ts';
import { createLookups } from '../src/nac.ts';
import { createMemoryStore, createMemoryVault } from './credentials/memory-store.ts';

const MAC = 'AA:BB:CC:DD:EE:FF' as MacAddress;
const addresses = Array.from({ length: 20 }, (_, index) => `00:1B:54:00:70:${index + 10}` as MacAddress);

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
    await vault.connect('p', { username: 'bob', password: new Secret('wrong') });
    const first = lookUp(MAC, 'p');
    while (asked.length === 0) await new Promise(setImmediate);
    clock.now++;
    await vault.connect('p', { username: 'alice', password: new Secret('right') });
    expect(await lookUp(MAC, 'p')).toEqual({ kind: 'no session', account: 'person' });
    release();
    expect(await first).toEqual({ kind: 'refused', whose: 'person' });
    expect(await vault.basic({ kind: 'person', id: 'p' })).toMatchObject({ kind: 'held' });
  });

  it('share no call between a MAC address and an IP address', async () => {
    const { lookUp, asked } = stage(() => ({ kind: 'no session' }));
    const addresses = [MAC, MAC, '198.51.100.23' as IpAddress, '2001:db8::23' as IpAddress];
    await Promise.all(addresses.map((address) => lookUp(address, 'bob')));
    expect(asked).toHaveLength(3);
  });

  it.each<SessionOutcome>([
    { kind: 'found', tokens: [], record: {}, text: '' },
    { kind: 'no session' },
    { kind: 'fault', status: 500 },
    { kind: 'unusable', reason: 'login page' },
  ])("say that an answer is for the person's own account, as long as it is: $kind", async (answer) => {
    const { vault, lookUp } = stage(() => answer);
    expect(await lookUp(MAC, 'bob')).toEqual(answer);
    await vault.connect('bob', { username: 'bob', password: new Secret('x') });
    expect(await lookUp(MAC, 'bob')).toEqual({ ...answer, account: 'person' });
    expect(await lookUp(MAC, 'alice')).toEqual(answer);
    await vault.disconnect('bob');
    expect(await lookUp(MAC, 'bob')).toEqual(answer);
  });

  it("say that the bot's account stands in while people's own cannot be read", async () => {
    const { lookUp, isAway, vault } = stage(() => ({ kind: 'no session' }));
    await vault.connect('bob', { username: 'bob', password: new Secret('x') });
    isAway.now = true;
    expect(await lookUp(MAC, 'bob')).toEqual({ kind: 'no session', account: 'stand-in' });
    const basic = await vault.basic({ kind: 'person', id: 'bob' });
    expect(basic).toEqual({ kind: 'not connected', unknown: true });
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

  it('name whose account may not read sessions', async () => {
    const { vault, lookUp } = stage(() => ({ kind: 'forbidden' }));
    expect(await lookUp(MAC, 'bob')).toEqual({ kind: 'forbidden', whose: 'service' });
    await vault.connect('bob', { username: 'bob', password: new Secret('x') });
    expect(await lookUp(MAC, 'bob')).toEqual({ kind: 'forbidden', whose: 'person' });
  });
});

function stage(answer: (user: string) => SessionOutcome | Paused | Promise<SessionOutcome>) {
  const clock = { now: Date.UTC(2026, 0, 1) };
  const now = () => clock.now;
  const asked: string[] = [];
  const isAway = { now: false };
  const rows = createMemoryStore();
  const find: SealedStore['find'] = (owner) =>
    isAway.now ? Promise.reject(new Error('away')) : rows.find(owner);
  const vault = createMemoryVault(now, { sealed: { ...rows, find } });
  const lockout = createLockoutGuard({ password: new Secret('service') }, now);
  const accounts = createAccounts({ vault, lockout, concurrency: 2 });
  const lookUp = createLookups(async (_address, authorization) => {
    const user = Buffer.from(authorization.reveal().slice('Basic '.length), 'base64').toString();
    asked.push(user);
    await new Promise(setImmediate);
    return answer(user);
  }, accounts);
  return { vault, lookUp, asked, clock, isAway };
}
