import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createSigningKeys, KeysUnavailableError } from '../../../src/teams/authentication/channel-token.ts';
import { answer, openUpstream, serve } from '../../serve.ts';
import { openChannelIdentity } from './identity.ts';

const DAY_MS = 24 * 3_600_000;
const A_FETCH = 2; // The metadata, and the keys that it names.

/** The keys of a channel, by a clock that moves only when told, over a wire that the test can hold up. */
async function openKeys() {
  const channel = await openChannelIdentity({ appId: 'app', serviceUrl: 'https://smba.trafficmanager.net/' });
  onTestFinished(channel.close);
  const upstream = openUpstream();
  const faults: unknown[] = [];
  let now = Date.now();
  let wire = Promise.resolve();
  let calls = 0;
  const call: typeof upstream.call = (request) => {
    calls++;
    return wire.then(() => upstream.call(request));
  };
  const published = { upstream: { ...upstream, call }, metadata: new URL(channel.metadataUrl) };
  const clock = () => now;
  const keys = createSigningKeys(published, clock, (error) => faults.push(error));
  return {
    channel,
    keys,
    faults,
    own: () => keys(channel.key.kid),
    fetches: () => calls / A_FETCH,
    goOn(ms: number) {
      now += ms;
    },
    /** Holds calls up until the returned function is called. */
    hold() {
      const { promise, resolve } = Promise.withResolvers<void>();
      wire = promise;
      return resolve;
    },
    /** Resolves when the fetch under way has ended: an unknown key waits for it, and begins none so soon. */
    settle: () => keys('unknown'),
  };
}

/** The keys of a server that sends these texts as the metadata and the keys. */
async function keysOf(metadata: (url: string) => string, set: string) {
  const url = await serve((request, response) =>
    answer(response, 200, {}, request.url === '/keys' ? set : metadata(`http://${request.headers.host}`)),
  );
  const published = { upstream: openUpstream(), metadata: new URL(`${url}/metadata`) };
  return createSigningKeys(published, Date.now, () => {});
}

const metadataAt = (url: string) => JSON.stringify({ jwks_uri: `${url}/keys` });
const twenty = <T>(ask: () => Promise<T>) => Promise.all(Array.from({ length: 20 }, ask));

describe('keys', () => {
  it('are fetched on first use, once for all who ask, and kept for a day', async () => {
    const { own, fetches, goOn, settle } = await openKeys();
    expect(fetches()).toBe(0);
    for (const key of await twenty(own)) expect(key?.endorsements).toContain('msteams');
    goOn(DAY_MS - 1000);
    await own();
    expect(fetches()).toBe(1);
    goOn(2000);
    await twenty(own);
    await settle();
    await own();
    expect(fetches()).toBe(2);
  });

  it('are known after a rotation, unless they are no longer published', async () => {
    const { channel, keys, own, goOn } = await openKeys();
    await own();
    const { kid } = channel.key;
    channel.rotate();
    goOn(31_000);
    expect(await own()).toBeDefined();
    expect(await keys(kid)).toBeUndefined();
  });

  it('are not fetched for unknown ids more than twice a minute, and none has an inherited or an empty id', async () => {
    const { keys, own, fetches, goOn } = await openKeys();
    await own();
    for (const kid of ['constructor', '__proto__', 'toString', '']) expect(await keys(kid)).toBeUndefined();
    for (let second = 0; second < 120; second++, goOn(1000))
      expect(await keys(`unknown-${second}`)).toBeUndefined();
    expect(fetches()).toBe(4);
  });
});

describe('while keys cannot be fetched', () => {
  it('and none is known, an error says so, once a second, and keys are there when the outage ends', async () => {
    const { channel, own, goOn } = await openKeys();
    for (channel.mode of [503, 'gone'] as const) {
      for (let tries = 0; tries < 20; tries++, goOn(10))
        await expect(own()).rejects.toThrow(KeysUnavailableError);
      goOn(1000);
    }
    expect(channel.requests.length).toBe(2);
    channel.mode = 'up';
    expect(await own()).toBeDefined();
  });

  it('keys younger than five days are returned at once, and fetched again every 30 s until that succeeds; each fault is told', async () => {
    const { channel, faults, own, fetches, goOn, hold, settle } = await openKeys();
    await own();
    channel.mode = 'gone';
    goOn(5 * DAY_MS - 120_000);
    for (let failed = 1; failed <= 3; failed++) {
      const release = hold();
      for (let asked = 0; asked < 5; asked++) expect(await own()).toBeDefined();
      release();
      expect(await settle()).toBeUndefined();
      expect(faults).toEqual(Array(failed).fill(expect.any(KeysUnavailableError)));
      expect(fetches()).toBe(1 + failed / A_FETCH);
      goOn(31_000);
    }
    channel.mode = 'up';
    await own();
    await settle();
    goOn(60_000);
    expect(await own()).toBeDefined();
    expect(fetches()).toBe(1 + 3 / A_FETCH + 1);
  });

  it('keys of five days serve no more; a fetch that fails just then is told, and nobody waited', async () => {
    const { channel, faults, own, goOn, hold, settle } = await openKeys();
    await own();
    channel.mode = 'gone';
    goOn(5 * DAY_MS - 1000);
    const release = hold();
    expect(await own()).toBeDefined();
    goOn(2000);
    release();
    await expect(settle()).rejects.toThrow(KeysUnavailableError);
    expect(faults).toHaveLength(1);
    await expect(own()).rejects.toThrow(KeysUnavailableError);
  });
});

describe('what is published in another form', () => {
  it.each<[string, (url: string) => string, string]>([
    ['metadata that is no JSON', () => '<html>', ''],
    ['metadata without an address', () => '{}', ''],
    ['an address that is none', () => '{"jwks_uri":"keys"}', ''],
    ['an address of another kind', () => '{"jwks_uri":"file:///etc/passwd"}', ''],
    ['an address over plain http', () => '{"jwks_uri":"http://login.botframework.example/keys"}', ''],
    ['keys that are no JSON', metadataAt, 'canary'],
    ['keys without a list', metadataAt, '{"keys":{}}'],
    ['null', () => 'null', 'null'],
  ])('yields no keys: %s', async (_, metadata, set) => {
    const keys = await keysOf(metadata, set);
    await expect(keys('own')).rejects.toThrow(KeysUnavailableError);
  });

  it('is skipped if it is a key of another kind, too short, or not a key', async () => {
    const rsaOf = (modulusLength: number) =>
      generateKeyPairSync('rsa', { modulusLength }).publicKey.export({ format: 'jwk' });
    const rsa = rsaOf(2048);
    const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' });
    const set = [
      { ...ec, kid: 'curve' },
      { kty: 'oct', k: 'c2VjcmV0', kid: 'secret' },
      { kid: 'nothing' },
      { kty: 'RSA', kid: 'torn', n: '%%%', e: 'AQAB' },
      { kty: 'RSA', kid: 'half', n: rsa.n },
      { ...rsa },
      { ...rsaOf(1024), kid: 'short' },
      null,
      { ...rsa, kid: 'own', endorsements: ['msteams'] },
    ];
    const keys = await keysOf(metadataAt, JSON.stringify({ keys: set }));
    expect(await keys('own')).toMatchObject({ endorsements: ['msteams'] });
    for (const kid of ['curve', 'secret', 'nothing', 'torn', 'half', 'short'])
      expect(await keys(kid), kid).toBeUndefined();
  });
});
