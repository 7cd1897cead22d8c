import { generateKeyPairSync } from 'node:crypto';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createSigningKeys } from '../../../src/teams/authentication/channel-token.ts';
import { answer, openUpstream, serve } from '../../serve.ts';
import { openChannelIdentity } from './identity.ts';

const DAY_MS = 24 * 3_600_000;
const CALLS_PER_FETCH = 2; // The metadata, and the keys that it names.

/** A channel's keys with a clock that only the test moves, over a wire that the test can hold up. */
async function openKeys() {
  const channel = await openChannelIdentity({ appId: 'app', serviceUrl: 'https://smba.trafficmanager.net/' });
  onTestFinished(channel.close);
  const upstream = openUpstream();
  const faults: string[] = [];
  let now = 1000;
  let wire = Promise.resolve();
  let calls = 0;
  const call: typeof upstream.call = (request) => {
    calls++;
    return wire.then(() => upstream.call(request));
  };
  const source = { upstream: { ...upstream, call }, metadata: new URL(channel.metadataUrl) };
  const onFault = (fault?: { why?: unknown }) => fault && faults.push(String(fault.why));
  const keys = createSigningKeys(source, () => now, onFault);
  const hold = () => {
    const held = Promise.withResolvers<void>();
    wire = held.promise;
    return held.resolve;
  };
  const findOwn = () => keys(channel.key.kid);
  const [fetches, settle] = [() => calls / CALLS_PER_FETCH, () => keys('unknown')];
  const skip = (ms: number) => {
    now += ms;
  };
  return { channel, keys, faults, findOwn, fetches, settle, hold, skip };
}

async function openPublished(metadata: (url: string) => string, set: string) {
  const url = await serve((request, response) =>
    answer(response, 200, {}, request.url === '/keys' ? set : metadata(`http://${request.headers.host}`)),
  );
  const source = { upstream: openUpstream(), metadata: new URL(`${url}/metadata`) };
  return createSigningKeys(source, Date.now, () => {});
}

const metadataAt = (url: string) => JSON.stringify({ jwks_uri: `${url}/keys` });
const twenty = <T>(find: () => Promise<T>) => Promise.all(Array.from({ length: 20 }, find));

it('keys are fetched once on first use, and again after a day', async () => {
  const { findOwn, fetches, skip, settle } = await openKeys();
  expect(fetches()).toBe(0);
  for (const key of await twenty(findOwn)) expect(Object(key).endorsements).toContain('msteams');
  skip(DAY_MS - 1000);
  await findOwn();
  expect(fetches()).toBe(1);
  skip(2000);
  await twenty(findOwn);
  await settle();
  await findOwn();
  expect(fetches()).toBe(2);
});

it('keys stay if a later set has none that can be used', async () => {
  const { channel, keys, findOwn, faults, skip } = await openKeys();
  await findOwn();
  const { kid } = channel.key;
  channel.key = { kid: 'short', ...generateKeyPairSync('rsa', { modulusLength: 1024 }) };
  skip(31_000);
  expect(await findOwn()).toBeUndefined();
  expect(await keys(kid)).toBeDefined();
  expect(faults).toHaveLength(1);
});

it('a wall clock that is set back by 30 days keeps no key from being found', async () => {
  vi.useFakeTimers({ now: Date.now() + 30 * DAY_MS, toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const { channel, keys, findOwn, skip } = await openKeys();
  const { kid: withdrawn } = channel.key;
  await findOwn();
  vi.setSystemTime(Date.now() - 30 * DAY_MS);
  channel.key = { kid: 'rotated', ...generateKeyPairSync('rsa', { modulusLength: 2048 }) };
  skip(31_000);
  expect(await findOwn()).toBeDefined();
  expect(await keys(withdrawn)).toBeUndefined();
});

it('keys are fetched for unknown ids twice a minute', async () => {
  const { keys, findOwn, fetches, skip } = await openKeys();
  await findOwn();
  for (const kid of ['constructor', '__proto__', 'toString', '']) expect(await keys(kid)).toBeUndefined();
  for (let second = 0; second < 120; second++, skip(1000))
    expect(await keys(`unknown-${second}`)).toBeUndefined();
  expect(fetches()).toBe(4);
});

it('while no key is known, each request fails, and one a second fetches', async () => {
  const { channel, findOwn, skip } = await openKeys();
  for (channel.mode of [503, 'gone'] as const) {
    for (let tries = 0; tries < 20; tries++, skip(10)) expect(await findOwn()).toBe('unavailable');
    skip(1000);
  }
  expect(channel.requests.length).toBe(2);
  channel.mode = 'up';
  expect(await findOwn()).toBeDefined();
});

it('cached keys serve for five days, and are fetched again every 30 s', async () => {
  const { channel, faults, findOwn, fetches, skip, hold, settle } = await openKeys();
  await findOwn();
  channel.mode = 'gone';
  skip(5 * DAY_MS - 120_000);
  for (let failed = 1; failed <= 3; failed++, skip(31_000)) {
    const release = hold();
    for (let request = 0; request < 5; request++) expect(await findOwn()).toBeDefined();
    release();
    expect(await settle()).toBeUndefined();
    expect(faults).toEqual(Array(failed).fill('unreachable'));
    expect(fetches()).toBe(1 + failed / CALLS_PER_FETCH);
  }
  skip(27_000);
  expect(await settle()).toBe('unavailable'); // They serve for five days.
  channel.mode = 'up';
  skip(31_000);
  expect(await findOwn()).toBeDefined();
});

it.each<[string, (url: string) => string, string]>([
  ['metadata that is no JSON', () => '<html>', ''],
  ['metadata without an address', () => '{}', ''],
  ['an address that is none', () => '{"jwks_uri":"keys"}', ''],
  ['an address of another kind', () => '{"jwks_uri":"file:///etc/passwd"}', ''],
  ['an address of another kind here', () => '{"jwks_uri":"ftp://localhost/keys"}', ''],
  ['an address over plain http', () => '{"jwks_uri":"http://login.botframework.example/keys"}', ''],
  ['keys that are no JSON', metadataAt, 'canary'],
  ['keys without a list', metadataAt, '{"keys":{}}'],
  ['null', () => 'null', 'null'],
])('a published set is refused: %s', async (_, metadata, set) => {
  const keys = await openPublished(metadata, set);
  expect(await keys('own')).toBe('unavailable');
});

it('a published set lacks other kinds, short keys, and what is no key', async () => {
  const makeRsa = (modulusLength: number) =>
    generateKeyPairSync('rsa', { modulusLength }).publicKey.export({ format: 'jwk' });
  const rsa = makeRsa(2048);
  const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' });
  const set = [
    { ...ec, kid: 'curve' },
    { kty: 'oct', k: 'c2VjcmV0', kid: 'secret' },
    { kid: 'nothing' },
    { kty: 'RSA', kid: 'torn', n: '%%%', e: 'AQAB' },
    { kty: 'RSA', kid: 'half', n: rsa.n },
    { ...rsa },
    { ...makeRsa(2047), kid: 'short' },
    { ...rsa, kid: 'endorsed', endorsements: 'msteams' },
    null,
    { ...rsa, kid: 'own', endorsements: ['msteams'] },
  ];
  const keys = await openPublished(metadataAt, JSON.stringify({ keys: set }));
  expect(await keys('own')).toMatchObject({ endorsements: ['msteams'] });
  for (const kid of ['curve', 'secret', 'nothing', 'torn', 'half', 'short', 'endorsed'])
    expect(await keys(kid), kid).toBeUndefined();
});
