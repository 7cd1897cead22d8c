import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createSigningKeys, KeysUnavailableError } from '../../../src/teams/authentication/channel-token.ts';
import { answer, openUpstream, serve } from '../../serve.ts';
import { openChannelIdentity } from './identity.ts';

const DAY_MS = 24 * 3_600_000;
const A_FETCH = 2; // The metadata, and the keys that it names.

/** The keys of a channel, by a clock that moves only when told. */
async function openKeys(timeoutMs = 1000) {
  const channel = await openChannelIdentity({ appId: 'app', serviceUrl: 'https://smba.trafficmanager.net/' });
  onTestFinished(channel.close);
  let now = Date.now();
  const clock = () => now;
  const faults: unknown[] = [];
  const published = { upstream: openUpstream({ timeoutMs }), metadata: new URL(channel.metadataUrl) };
  const keys = createSigningKeys(published, clock, (error) => faults.push(error));
  const own = () => keys(channel.key.kid);
  const goOn = (ms: number) => {
    now += ms;
  };
  return { channel, keys, faults, own, goOn, fetches: () => channel.requests.length / A_FETCH };
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

describe('keys', () => {
  it('are fetched on first use, once for all who ask, and kept for a day', async () => {
    const { channel, own, fetches, goOn } = await openKeys();
    expect(channel.requests).toEqual([]);
    const given = await Promise.all(Array.from({ length: 20 }, () => own()));
    expect(given.every((key) => key?.endorsements?.includes('msteams'))).toBe(true);
    goOn(DAY_MS - 1000);
    await own();
    expect(fetches()).toBe(1);
    goOn(2000);
    await Promise.all(Array.from({ length: 20 }, () => own()));
    await vi.waitFor(() => expect(fetches()).toBe(2));
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

  it('are not fetched for unknown ids more than twice a minute', async () => {
    const { keys, own, fetches, goOn } = await openKeys();
    await own();
    for (let second = 0; second < 120; second++, goOn(1000))
      expect(await keys(`unknown-${second}`)).toBeUndefined();
    expect(fetches()).toBeGreaterThan(1);
    expect(fetches()).toBeLessThanOrEqual(5);
  });

  it('have none with an inherited or an empty id', async () => {
    const { keys } = await openKeys();
    for (const kid of ['constructor', '__proto__', 'toString', '']) expect(await keys(kid)).toBeUndefined();
  });
});

describe('while keys cannot be fetched', () => {
  it('and none is known, an error says so, and keys are there when the outage ends', async () => {
    const { channel, own, goOn } = await openKeys(200);
    for (channel.mode of [503, 'gone', 'silent'] as const) {
      await expect(own()).rejects.toThrow(KeysUnavailableError);
      goOn(1100);
    }
    channel.mode = 'up';
    expect(await own()).toBeDefined();
  });

  it('known keys stay in use, unknown keys are unknown, and each fault is told', async () => {
    const { channel, keys, faults, own, goOn } = await openKeys();
    await own();
    channel.mode = 'gone';
    goOn(31_000);
    expect(await keys('unknown')).toBeUndefined();
    expect(faults).toEqual([expect.any(KeysUnavailableError)]);
    goOn(DAY_MS);
    expect(await own()).toBeDefined();
    await vi.waitFor(() => expect(faults).toHaveLength(2));
  });

  it('keys younger than five days are returned at once, and fetched again every 30 s until that succeeds', async () => {
    const { channel, faults, own, fetches, goOn } = await openKeys(300);
    await own();
    channel.mode = 'silent';
    goOn(5 * DAY_MS - 120_000);
    for (let failed = 1; failed <= 3; failed++) {
      const begun = performance.now();
      for (let asked = 0; asked < 5; asked++) expect(await own()).toBeDefined();
      expect(performance.now() - begun).toBeLessThan(200);
      await vi.waitFor(() => expect(faults).toHaveLength(failed));
      goOn(31_000);
    }
    channel.mode = 'up';
    const before = channel.requests.length;
    expect(before).toBe(A_FETCH + 3);
    await own();
    await vi.waitFor(() => expect(channel.requests).toHaveLength(before + A_FETCH));
    goOn(60_000);
    expect(await own()).toBeDefined();
    expect(fetches()).toBe((before + A_FETCH) / A_FETCH);
  });

  it('keys of five days serve no more; a fetch that fails just then is told, and nobody waited', async () => {
    const { channel, faults, own, goOn } = await openKeys(300);
    await own();
    channel.mode = 'silent';
    goOn(5 * DAY_MS - 1000);
    expect(await own()).toBeDefined();
    goOn(2000);
    await vi.waitFor(() => expect(faults).toHaveLength(1));
    await expect(own()).rejects.toThrow(KeysUnavailableError);
  });

  it('a known key is returned at once, though another is asked for', async () => {
    const { channel, keys, own, goOn } = await openKeys(1000);
    await own();
    channel.mode = 'silent';
    goOn(31_000);
    const unknown = keys('unknown');
    expect(await Promise.race([own(), unknown])).toBeDefined();
    expect(await unknown).toBeUndefined();
  });

  it('the fetch is not repeated for each caller in the same second', async () => {
    const { channel, keys, goOn } = await openKeys();
    channel.mode = 503;
    for (let tries = 0; tries < 20; tries++, goOn(10))
      await expect(keys(`unknown-${tries}`)).rejects.toThrow(KeysUnavailableError);
    expect(channel.requests.length).toBeLessThanOrEqual(2);
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
