import { randomBytes } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { createRest } from '../../src/credentials/cooldown.ts';
import { createPeople } from '../../src/credentials/people.ts';
import { createSeal } from '../../src/credentials/seal.ts';
import { createVault } from '../../src/credentials/vault.ts';
import type { MacAddress } from '../../src/domain/mac-address.ts';
import { Secret } from '../../src/domain/secret.ts';
import { createUpstream } from '../../src/http.ts';
import { createAccounts } from '../../src/nac/accounts.ts';
import { createCatalogue } from '../../src/nac/catalogue.ts';
import { createHistory } from '../../src/nac/history.ts';
import { createLookups } from '../../src/nac/lookup.ts';
import { createSessionCall } from '../../src/nac/session-call.ts';
import { FAILURE_REASONS_XML } from '../../src/sandbox/failure-reasons-xml.ts';
import { listen } from '../../src/sandbox/listen.ts';
import { createNac, type NacOptions } from '../../src/sandbox/nac.ts';
import { createMemoryStore } from '../credentials/memory-store.ts';

const REMEMBERED = '00:1B:54:00:00:21' as MacAddress;
const OTHER = '00:1B:54:00:00:22' as MacAddress;
const SOON = 5000;
const HOUR = 3_600_000;
const PERSON = { username: 'alex', password: 'right' };

const closers: Array<() => Promise<void>> = [];
afterEach(async () => {
  await Promise.all(closers.splice(0).map((close) => close()));
});

describe('the last attempts of a device', () => {
  it("are asked for with the bot's account, at the address that answered the lookup", async () => {
    const { lookUp, history, sisterCalls } = await stage({ isFirstDown: true });
    await lookUp(REMEMBERED, 'bob');
    expect(await history(REMEMBERED, 'bob', SOON)).toHaveLength(10);
    expect(sisterCalls).toEqual([
      { path: `/admin/API/mnt/AuthStatus/MACAddress/${REMEMBERED}/86400/10/All`, username: 'service' },
    ]);
  });

  it('are none of a device that the NAC has never seen', async () => {
    const { lookUp, history } = await stage();
    await lookUp(REMEMBERED, 'bob');
    expect(await history('00:1B:54:00:99:99' as MacAddress, 'bob', SOON)).toEqual([]);
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
    await history(REMEMBERED, 'bob', SOON); // Proves the call, so that the next ones need not wait for each other.
    await Promise.all([history(OTHER, 'bob', SOON), history(OTHER, 'eve', SOON)]);
    expect(sisterCalls).toHaveLength(2);
  });

  it('are not asked for when their turn comes too late', async () => {
    const slow = ['00:1B:54:00:98:01', '00:1B:54:00:98:02'] as MacAddress[];
    const xml = '<sessionParameters></sessionParameters>';
    const devices = slow.map((address) => ({
      address,
      what: 'slow',
      answer: { kind: 'session', xml, delayMs: 300 } as const,
    }));
    const { lookUp, history, sisterCalls, clock } = await stage({ devices });
    await lookUp(REMEMBERED, 'bob');
    const taken = slow.map((address) => lookUp(address, 'bob'));
    expect(await history(REMEMBERED, 'bob', 100)).toBeUndefined();
    clock.now += 100;
    await Promise.all(taken);
    await lookUp(REMEMBERED, 'bob'); // The history's turn came before this one.
    expect(sisterCalls).toEqual([]);
  });

  it('rest with a refused account: never used while it rests', async () => {
    const { lookUp, history, calls, sisterCalls } = await stage({ sisters: answer(401, 'text/html', '') });
    await lookUp(REMEMBERED, 'bob');
    expect(await history(REMEMBERED, 'bob', SOON)).toBeUndefined();
    expect(await history(REMEMBERED, 'bob', SOON)).toBeUndefined();
    expect(await lookUp(REMEMBERED, 'bob')).toMatchObject({ kind: 'resting' });
    expect([calls.length, sisterCalls.length]).toEqual([1, 1]);
  });
});

const XML = 'application/xml';
const BROKEN: ReadonlyArray<[name: string, sisters: RequestListener]> = [
  ['404', answer(404, 'text/html', '<html></html>')],
  ['500', answer(500, XML, '<mnt-rest-result></mnt-rest-result>')],
  ['403', answer(403, 'text/html', '<html></html>')],
  ['a login page', answer(200, 'text/html', '<!DOCTYPE html><html><body>Login</body></html>')],
  ['another root', answer(200, XML, '<activeList noOfActiveSession="0"/>')],
  ['nothing', answer(200, XML, '')],
  ['half a list', answer(200, XML, '<authStatusOutputList><authStatusList key="x">')],
  ['half a catalogue', answer(200, XML, FAILURE_REASONS_XML.slice(0, 500))],
  ['5 MB', answer(200, XML, `<authStatusOutputList>${'<a>b</a>'.repeat(700_000)}</authStatusOutputList>`)],
  ['a closed connection', (_, response) => response.destroy()],
  ['a body that does not end', (_, response) => void response.write('<a>')],
  ['silence', () => {}],
];

describe.each(BROKEN)('a NAC that answers %s to the other calls', (_, sisters) => {
  it('sees each of them three times an hour, and lookups go on as before', async () => {
    const { lookUp, history, catalogue, sisterCalls, clock, left, pausedUntil } = await stage({
      sisters,
      timeoutMs: 200,
    });
    for (let hour = 1; hour <= 2; hour++) {
      for (let time = 0; time < 6; time++) {
        expect(await lookUp(REMEMBERED, 'bob')).toEqual({ kind: 'no session' });
        expect(await history(REMEMBERED, 'bob', SOON)).toBeUndefined();
        expect(await catalogue('bob', SOON)).toBeUndefined();
      }
      // On a slow machine, a call can run out of time before it arrives.
      for (const name of ['AuthStatus', 'FailureReasons'])
        expect(sisterCalls.filter(({ path }) => path.includes(name)).length).toBeLessThanOrEqual(3 * hour);
      expect(left.toSorted()).toEqual([...Array(hour).fill('catalogue'), ...Array(hour).fill('history')]);
      clock.now += HOUR;
    }
    expect(pausedUntil()).toBeUndefined();
  });
});

describe('the catalogue of failure reasons', () => {
  it('is fetched once a day', async () => {
    const { lookUp, catalogue, sisterCalls, clock } = await stage();
    await lookUp(REMEMBERED, 'bob');
    const both = await Promise.all([catalogue('bob', SOON), catalogue('eve', SOON)]);
    expect(both.map((reasons) => reasons?.has('12520'))).toEqual([true, true]);
    clock.now += 24 * HOUR - 1;
    await catalogue('bob', SOON);
    expect(sisterCalls.map(({ path }) => path)).toEqual(['/admin/API/mnt/FailureReasons']);
    clock.now += 1;
    await catalogue('bob', SOON);
    expect(sisterCalls).toHaveLength(2);
  });

  it('is fetched on when its first asker waits no longer', async () => {
    const gate = Promise.withResolvers<void>();
    const { lookUp, catalogue, sisterCalls } = await stage({
      sisters: async (request, response) => {
        await gate.promise;
        answer(200, XML, FAILURE_REASONS_XML)(request, response);
      },
    });
    await lookUp(REMEMBERED, 'bob');
    expect(await catalogue('bob', 50)).toBeUndefined();
    gate.resolve();
    expect((await catalogue('bob', SOON))?.has('12520')).toBe(true);
    expect(sisterCalls).toHaveLength(1);
  });

  it('stays known after its day if the NAC does not answer any more', async () => {
    let isUp = true;
    const { lookUp, catalogue, clock } = await stage({
      sisters: (request, response) =>
        answer(isUp ? 200 : 500, XML, isUp ? FAILURE_REASONS_XML : '')(request, response),
    });
    await lookUp(REMEMBERED, 'bob');
    await catalogue('bob', SOON);
    isUp = false;
    clock.now += 25 * HOUR;
    expect((await catalogue('bob', SOON))?.has('12520')).toBe(true);
  });

  it('may be larger than a session', async () => {
    const { lookUp, catalogue } = await stage({
      sisters: answer(200, XML, FAILURE_REASONS_XML.replace('<cause>', `<cause>${'x'.repeat(3_000_000)}`)),
    });
    await lookUp(REMEMBERED, 'bob');
    expect((await catalogue('bob', SOON))?.size).toBeGreaterThan(25);
  });
});

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
  const nac = createNac({ accounts: [service, PERSON], ...script });
  const { url, close } = await listen(nac.server);
  const open = (ms: number, maxBytes: number) =>
    createUpstream({ tls: { kind: 'verify' }, timeoutMs: ms, maxBytes });
  const upstreams = [open(20_000, 2 ** 20), open(timeoutMs, 2 ** 20), open(timeoutMs, 4 * 2 ** 20)] as const;
  closers.push(...upstreams.map((upstream) => upstream.close), close);
  const vault = createVault({
    service: { basic: { username: 'service', password: new Secret('service') } },
    exchanges: {},
    people: createPeople({
      seal: createSeal([new Secret(randomBytes(32).toString('base64'))]),
      store: createMemoryStore(now),
      now,
      warn: () => {},
      onError: () => {},
    }),
    personalTtlMs: 1000 * HOUR,
    now,
    steady: now,
    warn: () => {},
  });
  const { call, answeredBy, pausedUntil } = createSessionCall({
    upstream: upstreams[0],
    addresses: [...(isFirstDown ? ['http://127.0.0.1:1'] : []), url].map((each) => new URL(each)),
    macForm: 'colon',
    now,
  });
  const rest = createRest({ password: new Secret('service'), now });
  const accounts = createAccounts({ vault, rest, concurrency: 2 });
  const left: string[] = [];
  const options = { accounts, answeredBy, now };
  return {
    ...nac,
    vault,
    clock,
    left,
    pausedUntil,
    lookUp: createLookups(call, accounts),
    history: createHistory(
      { ...options, upstream: upstreams[1], macForm: 'colon' },
      () => void left.push('history'),
    ),
    catalogue: createCatalogue({ ...options, upstream: upstreams[2] }, () => void left.push('catalogue')),
  };
}
