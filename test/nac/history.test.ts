import type { RequestListener } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createLockoutGuard } from '../../src/credentials.ts';
import type { MacAddress } from '../../src/domain/mac-address.ts';
import { Secret } from '../../src/domain/secret.ts';
import { createAccounts } from '../../src/nac/accounts.ts';
import { createSessionCall } from '../../src/nac/session-call.ts';
import { createHistory, createLookups } from '../../src/nac.ts';
import { listen } from '../../src/sandbox/listen.ts';
import { createNac, type NacOptions } from '../../src/sandbox/nac.ts';
import { createMemoryVault } from '../credentials/memory-store.ts';
import { openUpstream } from '../serve.ts';

const REMEMBERED = '00:1B:54:00:00:21' as MacAddress;
const SOON = 5000;
const HOUR = 3_600_000;
const PERSON = { username: 'alex', password: 'right' };

describe('the last attempts of a device', () => {
  it("are asked for with the bot's account, at the address that answered the lookup", async () => {
    const { lookUp, history, sisterCalls } = await stage({ isFirstDown: true });
    await lookUp(REMEMBERED, 'bob');
    expect(await history(REMEMBERED, 'bob', SOON)).toHaveLength(10);
    expect(await history('00:1B:54:00:99:99' as MacAddress, 'bob', SOON)).toEqual([]);
    expect(sisterCalls.slice(0, 1)).toEqual([
      { path: `/admin/API/mnt/AuthStatus/MACAddress/${REMEMBERED}/86400/10/All`, username: 'service' },
    ]);
  });

  it("are asked for with the person's own account", async () => {
    const { vault, lookUp, history, sisterCalls } = await stage();
    await vault.connect('bob', { ...PERSON, password: new Secret(PERSON.password) });
    await lookUp(REMEMBERED, 'bob');
    await history(REMEMBERED, 'bob', SOON);
    expect(sisterCalls.map(({ username }) => username)).toEqual(['alex']);
  });

  it('are not asked for before a lookup was answered', async () => {
    const { history, sisterCalls } = await stage();
    expect(await history(REMEMBERED, 'bob', SOON)).toBeUndefined();
    expect(sisterCalls).toEqual([]);
  });

  it('that two ask for cost one call', async () => {
    const { lookUp, history, sisterCalls } = await stage();
    await lookUp(REMEMBERED, 'bob');
    await Promise.all([history(REMEMBERED, 'bob', SOON), history(REMEMBERED, 'eve', SOON)]);
    expect(sisterCalls).toHaveLength(1);
  });

  it('are not asked for when their turn comes too late', async () => {
    const slow = ['00:1B:54:00:98:01', '00:1B:54:00:98:02'] as MacAddress[];
    const answer = { kind: 'session', xml: '<sessionParameters/>', delayMs: 300 } as const;
    const devices = slow.map((address) => ({ address, what: 'slow', answer }));
    const { lookUp, history, sisterCalls, clock } = await stage({ devices });
    await lookUp(REMEMBERED, 'bob');
    const taken = slow.map((address) => lookUp(address, 'bob'));
    expect(await history(REMEMBERED, 'bob', 100)).toBeUndefined();
    clock.now += 100;
    await Promise.all(taken);
    await history('00:1B:54:00:99:99' as MacAddress, 'bob', SOON); // The late one's turn came before this one.
    expect(sisterCalls.map(({ path }) => path)).toEqual([expect.stringContaining('00:1B:54:00:99:99')]);
  });

  it('rest with a refused account: never used while it rests', async () => {
    const { lookUp, history, calls, sisterCalls } = await stage({ sisters: answer(401, 'text/html', '') });
    await lookUp(REMEMBERED, 'bob');
    for (let time = 0; time < 2; time++) expect(await history(REMEMBERED, 'bob', SOON)).toBeUndefined();
    expect(await lookUp(REMEMBERED, 'bob')).toMatchObject({ kind: 'resting' });
    expect([calls.length, sisterCalls.length]).toEqual([1, 1]);
  });

  it("are left alone after the bot's account is refused three times, not after a person's", async () => {
    const bot = await stage({ sisters: answer(401, 'text/html', '') });
    await bot.lookUp(REMEMBERED, 'bob');
    for (let time = 0; time < 4; time++) {
      const person = `alex${time}`;
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

const XML = 'application/xml';
const PAGE = '<!DOCTYPE html><html></html>';
const ENDLESS = `<authStatusOutputList>${'<a>b</a>'.repeat(280_000)}</authStatusOutputList>`;
const BROKEN: ReadonlyArray<[name: string, calls: number, sisters: RequestListener]> = [
  ['404', 1, answer(404, 'text/html', PAGE)],
  ['500', 3, answer(500, XML, '<mnt-rest-result></mnt-rest-result>')],
  ['a login page', 3, answer(200, 'text/html', PAGE)],
  ['half a list', 3, answer(200, XML, '<authStatusOutputList><authStatusList key="x">')],
  ['2 MB', 3, answer(200, XML, ENDLESS)],
  ['silence', 3, () => {}],
];

it.each(BROKEN)(
  'a NAC that answers %s for attempts is asked %i times an hour, and lookups go on',
  async (_, times, sisters) => {
    const bot = await stage({ sisters, timeoutMs: 200 });
    for (let hour = 1; hour <= 2; hour++) {
      for (let time = 0; time < 5; time++) {
        expect(await bot.lookUp(REMEMBERED, 'bob')).toEqual({ kind: 'no session' });
        expect(await bot.history(REMEMBERED, 'bob', SOON)).toBeUndefined();
      }
      expect(bot.sisterCalls.length).toBeLessThanOrEqual(times * hour); // On a slow machine, a call can run out of time before.
      expect(bot.left).toBe(hour);
      bot.clock.now += HOUR;
    }
    expect(bot.pausedUntil()).toBeUndefined();
  },
);

function answer(status: number, type: string, body: string): RequestListener {
  return (_, response) => {
    response.writeHead(status, { 'content-type': type });
    response.end(body);
  };
}

type Script = Partial<Pick<NacOptions, 'sisters' | 'devices'>> & { isFirstDown?: true; timeoutMs?: number };

async function stage({ isFirstDown, timeoutMs = 20_000, ...script }: Script = {}) {
  const clock = { now: Date.UTC(2026, 0, 1) };
  const now = () => clock.now;
  const service = { username: 'service', password: 'service' };
  const others = Array.from({ length: 4 }, (_, index) => ({ username: `alex${index}`, password: 'right' }));
  const nac = createNac({ accounts: [service, PERSON, ...others], ...script });
  const { url, close } = await listen(nac.server);
  onTestFinished(close);
  const vault = createMemoryVault(now);
  const addresses = [...(isFirstDown ? ['http://127.0.0.1:1'] : []), url].map((each) => new URL(each));
  const macForm = 'colon' as const;
  const session = createSessionCall({ upstream: openUpstream(), addresses, macForm, now });
  const lockout = createLockoutGuard({ password: new Secret('service') }, now);
  const accounts = createAccounts({ vault, lockout, concurrency: 2 });
  const bot = {
    ...nac,
    ...session,
    vault,
    clock,
    left: 0,
    lookUp: createLookups(session.call, accounts),
    history: createHistory({
      upstream: openUpstream({ timeoutMs }),
      macForm,
      accounts,
      answeredBy: session.answeredBy,
      now,
      onOff: () => void bot.left++,
    }),
  };
  return bot;
}
