import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import type { IpAddress } from '../src/domain/device-address.ts';
import type { MacAddress } from '../src/domain/mac-address.ts';
import { Secret } from '../src/domain/secret.ts';
import { MAC, MANY, openNacAt, openSandboxNac } from './nac/open.ts';
import { type Answer, answer, record, serve, unanswered } from './serve.ts';

const FOUND: Answer = { status: 200, body: '<sessionParameters/>' };
const NO_SESSION = { status: 500, body: '<mnt-rest-result>Session data is not available</mnt-rest-result>' };
const REFUSED: Answer = { status: 401 };
const NONE = { kind: 'no session', node: expect.any(String) };

/** A NAC that answers by the account, keeps the account of each call, and counts the calls in flight. */
async function serveByAccount(answerFor: (account: string) => Answer | Promise<Answer>) {
  const asked: string[] = [];
  const counts = { inFlight: 0, most: 0 };
  const url = await serve(async ({ headers }, response) => {
    const account = Buffer.from(headers.authorization?.slice('Basic '.length) ?? '', 'base64').toString();
    asked.push(account);
    counts.most = Math.max(counts.most, ++counts.inFlight);
    response.on('close', () => counts.inFlight--);
    const { status, body = '' } = await answerFor(account);
    answer(response, status, {}, body);
  });
  return { url, asked, counts, isAsked: () => vi.waitFor(() => expect(asked).toHaveLength(1)) };
}

async function serveHeld(isHeld = (_: string) => true, others = FOUND) {
  const { promise, resolve: release } = Promise.withResolvers<Answer>();
  return { ...(await serveByAccount((account) => (isHeld(account) ? promise : others))), release };
}

describe('a lookup', () => {
  it.each([
    [MAC, `MACAddress/${MAC}`],
    ['198.51.100.23', 'EndPointIPAddress/198.51.100.23'],
    ['2001:db8::23', 'EndPointIPAddress/2001:db8::23'],
  ])('asks with literal colons, and Basic credentials in UTF-8: %s', async (address, path) => {
    const { lookUp, calls } = await openSandboxNac();
    const found = { kind: 'found', record: { user: 'alex', station: MAC } };
    expect(await lookUp(address as IpAddress, 'bob')).toMatchObject(found);
    expect(calls).toEqual([{ path: `/admin/API/mnt/Session/${path}`, username: 'svc-é' }]);
  });

  it('leaves out ignored tokens', async () => {
    const { lookUp } = await openSandboxNac({ ignoredTokens: ['Corp*'] });
    const record = { authorizationProfiles: undefined, rule: 'Basic_Authenticated_Access' };
    expect(await lookUp(MAC, 'bob')).toMatchObject({ tokens: ['Basic_Authenticated_Access'], record });
  });

  it('asks with hyphens if configured, under a base path', async () => {
    const { url, received } = await record({ status: 403 });
    await openNacAt([`${url}/proxy/`], { macForm: 'hyphen' }).lookUp(MAC, 'bob');
    expect(received[0]?.path).toBe('/proxy/admin/API/mnt/Session/MACAddress/AA-BB-CC-DD-EE-FF');
  });

  it.each([
    ['00:1B:54:00:05:01', { kind: 'fault', status: 500, part: 'session directory' }],
    ['00:1B:54:00:0B:02', unanswered({ kind: 'cut off' })],
    ['00:1B:54:00:0B:03', unanswered({ kind: 'timed out', begun: true })],
    ['00:1B:54:00:0B:04', unanswered({ kind: 'too large' })],
    ['00:1B:54:00:0B:06', unanswered({ kind: 'timed out', timeoutMs: 1000, begun: false })],
  ])("recognises the sandbox's %s", async (address, outcome) => {
    const timeoutMs = /0B:0[36]$/.test(address) ? 1000 : 20_000;
    const { url } = await openSandboxNac();
    expect(await openNacAt([url], { timeoutMs }).lookUp(address as MacAddress, 'bob')).toMatchObject(outcome);
  });

  it('shares its call with equal lookups in flight', async () => {
    const { url, asked } = await serveByAccount(() => NO_SESSION);
    const { lookUp } = openNacAt([url]);
    const addresses = [MAC, MAC, MAC, '198.51.100.23' as IpAddress, '2001:db8::23' as IpAddress];
    await Promise.all(addresses.map((address, index) => lookUp(address, `person ${index}`)));
    expect(asked).toHaveLength(3);
  });

  it('starts before a history that waits', async () => {
    const { url, received } = await record(FOUND);
    const { lookUp, history } = openNacAt([url], { concurrency: 1 });
    await lookUp(MAC, 'bob');
    const [first = MAC, second = MAC] = MANY;
    await Promise.all([lookUp(first, 'bob'), history?.(MAC, 'bob', `${url}/`), lookUp(second, 'bob')]);
    const kinds = received.map(({ path }) => path.split('/')[4]);
    expect(kinds).toEqual(['Session', 'Session', 'Session', 'AuthStatus']);
  });

  it('shares no call with the previous password, and does not rest', async () => {
    const { url, isAsked, release } = await serveHeld((account) => !account.endsWith('new'));
    const { lookUp, password, restsUntil } = openNacAt([url]);
    const before = lookUp(MAC, 'bob');
    await isAsked();
    password.now = 'new';
    expect(await lookUp(MAC, 'bob')).toMatchObject({ kind: 'found' });
    release(REFUSED);
    expect(await before).toEqual({ kind: 'refused' });
    expect(restsUntil()).toBeUndefined();
  });
});

it('a first call that is refused late is the only one of 20 askers', async () => {
  const { url, asked, isAsked, release } = await serveHeld();
  const { lookUp, clock } = openNacAt([url], { concurrency: 16 });
  const lookups = MANY.map((address, index) => lookUp(address, `person ${index}`));
  await isAsked();
  release(REFUSED);
  const outcomes = await Promise.all(lookups);
  expect(asked).toHaveLength(1);
  const until = clock.now + 60_000;
  expect(outcomes[0]).toEqual({ kind: 'refused' });
  expect(outcomes.slice(1)).toEqual(Array(19).fill({ kind: 'resting', until }));
});

it("a person's lookups go alone until one is accepted or refused", async () => {
  const { url, asked } = await serveByAccount(() => delay(20, REFUSED));
  const { lookUp, connect } = openNacAt([url], { concurrency: 16 });
  await connect('bob', 'wrong');
  const outcomes = await Promise.all(MANY.map((address) => lookUp(address, 'bob')));
  expect(outcomes).toEqual(Array(20).fill({ kind: 'refused', whose: 'person' }));
  expect(asked).toEqual(['bob:wrong']);
  const accepting = await serveByAccount(() => delay(20, NO_SESSION));
  const other = openNacAt([accepting.url], { concurrency: 16 });
  await other.connect('bob');
  await Promise.all(MANY.map((address) => other.lookUp(address, 'bob')));
  expect([accepting.asked.length, accepting.counts.most > 1]).toEqual([20, true]);
});

it("a person's refused account is not tried again if its row stays", async () => {
  const { url, asked } = await serveByAccount(() => REFUSED);
  const { lookUp, connect, rows } = openNacAt([url]);
  await connect('bob', 'wrong');
  vi.spyOn(rows, 'remove').mockRejectedValueOnce(new Error('away'));
  for (let time = 0; time < 2; time++)
    expect(await lookUp(MAC, 'bob')).toEqual({ kind: 'refused', whose: 'person' });
  expect(asked).toHaveLength(1);
});

it("a person's lookups share nothing with those of an earlier sign-in", async () => {
  const { url, isAsked, release } = await serveHeld((account) => account === 'bob:wrong', NO_SESSION);
  const { lookUp, connect, vault, clock } = openNacAt([url]);
  await connect('bob', 'wrong');
  const first = lookUp(MAC, 'bob');
  await isAsked();
  clock.now++;
  await connect('bob');
  expect(await lookUp(MAC, 'bob')).toEqual({ ...NONE, whose: 'person' });
  release(REFUSED);
  expect(await first).toEqual({ kind: 'refused', whose: 'person' });
  expect(await vault.ownAccount('bob')).toMatchObject({ whose: 'person' });
});

it("a person's lookups that go alone leave the slots to others", async () => {
  const { url, asked, release } = await serveHeld((account) => account === 'bob:right', NO_SESSION);
  const { lookUp, connect } = openNacAt([url]);
  await connect('bob');
  const lookups = MANY.map((address) => lookUp(address, 'bob'));
  expect(await lookUp(MAC, 'alice')).toEqual(NONE);
  release(NO_SESSION);
  await Promise.all(lookups);
  expect(asked).toHaveLength(21);
});

it("a person's lookups that wait end when the person disconnects", async () => {
  const { url, isAsked, release } = await serveHeld();
  const { lookUp, connect, rows } = openNacAt([url], { concurrency: 1 });
  await connect('bob');
  const lookups = [lookUp(MAC, 'alice'), lookUp(MAC, 'bob')];
  await isAsked();
  await rows.remove('bob');
  release(FOUND);
  expect((await Promise.all(lookups)).map(({ kind }) => kind)).toEqual(['found', 'disconnected']);
});

it.each<[Answer, ofService: object, ofPerson: object]>([
  [NO_SESSION, NONE, { ...NONE, whose: 'person' }],
  [{ status: 429 }, { kind: 'fault', status: 429 }, { kind: 'fault', status: 429, whose: 'person' }],
  [{ status: 403 }, { kind: 'forbidden' }, { kind: 'forbidden', whose: 'person' }],
])("a person's lookups name their own account while there is one: %o", async (reply, ofService, ofPerson) => {
  const { lookUp, connect, vault } = openNacAt([(await record(reply)).url]);
  await connect('bob');
  expect(await lookUp(MAC, 'bob')).toEqual(ofPerson);
  expect(await lookUp(MAC, 'alice')).toEqual(ofService);
  await vault.disconnect('bob');
  expect(await lookUp(MAC, 'bob')).toEqual(ofService);
});

it("a person's lookups run under the bot's account without their own", async () => {
  const { lookUp, connect, vault, rows } = openNacAt([(await record(NO_SESSION)).url]);
  await connect('bob');
  vi.spyOn(rows, 'find').mockRejectedValueOnce(new Error('away'));
  expect(await lookUp(MAC, 'bob')).toEqual({ ...NONE, whose: 'stand-in' });
  await vault.disconnect('bob');
  expect(await lookUp(MAC, 'bob')).toEqual(NONE);
});

const account = { username: 'bob', password: new Secret('right') };

it('the trial of an account asks about no device, and judges by the status', async () => {
  const { url, received } = await record(FOUND, REFUSED, { status: 403 }, { status: 503 });
  const { tryAccount } = openNacAt([url]);
  for (const verdict of ['accepted', 'refused', 'forbidden', 'unknown'])
    expect(await tryAccount(account, 'bob')).toBe(verdict);
  expect(received[0]?.path).toBe('/admin/API/mnt/Session/MACAddress/00:00:00:00:00:00');
});

it('the trial of an account waits for a slot', async () => {
  const { url, counts, isAsked, release } = await serveHeld();
  const { lookUp, tryAccount } = openNacAt([url], { concurrency: 1 });
  const all = Promise.all([lookUp(MAC, 'bob'), tryAccount(account, 'bob')]);
  await isAsked();
  release(FOUND);
  expect([(await all)[1], counts.most]).toEqual(['accepted', 1]);
});
