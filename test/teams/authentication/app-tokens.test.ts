import { readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { Secret } from '../../../src/domain/secret.ts';
import type { WayOut } from '../../../src/http/proxy.ts';
import {
  createAppTokens,
  type Identity,
  type TokenOutcome,
} from '../../../src/teams/authentication/app-tokens.ts';
import { openProxy, wayThrough } from '../../proxy.ts';
import { answer, closedUrl, openUpstream, serve } from '../../serve.ts';
import { type Authority, MICROSOFT_LOGIN_HOST, openAuthority } from './identity-authority.ts';

const MINUTE_MS = 60_000;
const TRUSTED = getCACertificates('default');

let authority: Authority;
async function openTrusted(tenant: string): Promise<void> {
  authority = await openAuthority({ tenant, clientId: 'app', clientSecret: 'canary-secret' });
  setDefaultCACertificates([...TRUSTED, await readFile(authority.certificateFile, 'utf8')]);
}
afterAll(() => setDefaultCACertificates(TRUSTED));

function identityOf(changes: Partial<Identity> = {}): Identity {
  return {
    appId: 'app',
    password: new Secret('canary-secret'),
    type: 'SingleTenant',
    tenantId: 'tenant',
    openIdMetadata: undefined,
    loginUrl: new URL(authority.loginUrl),
    ...changes,
  };
}

/** The tokens of an identity, by a clock that moves only when told. */
function openTokens(changes: Partial<Identity> = {}, wayOut?: WayOut) {
  let now = Date.now();
  const outcomes: TokenOutcome[] = [];
  const tokens = createAppTokens(
    identityOf(changes),
    openUpstream({ timeoutMs: 10_000, wayOut }),
    () => now,
    (outcome) => outcomes.push(outcome),
  );
  return {
    ...tokens,
    outcomes,
    goOn(ms: number) {
      now += ms;
    },
  };
}

const last = () => authority.tokens.at(-1);

describe('a token for the client secret', () => {
  beforeAll(() => openTrusted('tenant'));
  beforeEach(() => {
    Object.assign(authority, { mode: 'up', clientSecret: 'canary-secret', lifetimeS: 3600 });
  });
  afterAll(() => authority.close());

  it('is issued once for all who ask, and kept until five minutes before its end', async () => {
    const { get, goOn } = openTokens();
    const before = authority.tokens.length;
    const given = await Promise.all(Array.from({ length: 20 }, get));
    expect(new Set([...given, await get()])).toEqual(new Set([last()]));
    goOn(54 * MINUTE_MS);
    expect(await get()).toBe(given[0]);
    expect(authority.tokens).toHaveLength(before + 1);
    goOn(2 * MINUTE_MS);
    expect(await get()).not.toBe(given[0]);
    expect(authority.tokens).toHaveLength(before + 2);
  });

  it('is asked for at the address of the tenant alone', async () => {
    const before = authority.requests.length;
    await openTokens().get();
    const paths = authority.requests.slice(before).map((path) => path.split('?', 1)[0]);
    expect(new Set(paths)).toEqual(
      new Set(['/tenant/v2.0/.well-known/openid-configuration', '/tenant/oauth2/v2.0/token']),
    );
  });

  it('is issued anew once it was refused, and only then', async () => {
    const { get, forget } = openTokens();
    const first = await get();
    forget('another');
    expect(await get()).toBe(first);
    forget(first);
    const second = await get();
    expect(second).not.toBe(first);
    forget(first);
    expect(await get()).toBe(second);
  });

  it('that was refused while the next token is being issued does not lose the next token', async () => {
    const { get, forget } = openTokens();
    const first = await get();
    forget(first);
    const next = get();
    forget(first);
    expect(await get()).toBe(await next);
    expect(await get()).toBe(await next);
  });

  it('is asked for with the current secret', async () => {
    let secret = 'canary-secret';
    const { get, forget } = openTokens({ password: new Secret(() => secret) });
    const first = await get();
    authority.clientSecret = 'canary-next';
    forget(first);
    await expect(get()).rejects.toThrow('AADSTS7000215');
    secret = 'canary-next';
    expect(await get()).toBe(last());
  });

  it.each(['refusing', 503, 'gone'] as const)('that is not issued (%s) is asked for again', async (mode) => {
    const { get } = openTokens();
    authority.mode = mode;
    await expect(Promise.all([get(), get()])).rejects.toThrow();
    await expect(get()).rejects.toThrow();
    authority.mode = 'up';
    expect(await get()).toBe(last());
  });

  it.each<[Partial<Authority>, Partial<Identity>, TokenOutcome]>([
    [{}, {}, { kind: 'issued' }],
    [{ clientSecret: 'another' }, {}, { kind: 'refused', code: 7000215 }],
    [{ mode: 'refusing' }, {}, { kind: 'refused', code: 7000222 }],
    [{}, { appId: 'another' }, { kind: 'refused', code: 700016 }],
    [{ mode: 503 }, {}, { kind: 'unreachable' }],
    [{ mode: 'gone' }, {}, { kind: 'unreachable' }],
    [{ mode: 'silent' }, {}, { kind: 'timed out' }],
  ])('is told to the observer, each request once: %j, %j', async (state, changes, outcome) => {
    const { get, outcomes } = openTokens(changes);
    Object.assign(authority, state);
    await Promise.allSettled([get(), get()]);
    expect(outcomes).toEqual([outcome]);
  });

  it('is returned until it expires if no next token is issued', async () => {
    const { get, goOn } = openTokens();
    const first = await get();
    authority.mode = 503;
    goOn(56 * MINUTE_MS);
    expect(await get()).toBe(first);
    goOn(5 * MINUTE_MS);
    await expect(get()).rejects.toThrow();
  });

  it.each([
    ['another client', { appId: 'another' }, 'AADSTS700016'],
    ['another secret', { password: new Secret('another') }, 'AADSTS7000215'],
    ['no secret', { password: undefined }, ''],
  ])('is not issued to %s', async (_, changes, code) => {
    await expect(openTokens(changes).get()).rejects.toThrow(code);
  });

  it('is not requested from an authority with an unknown certificate', async () => {
    setDefaultCACertificates(TRUSTED);
    onTestFinished(async () =>
      setDefaultCACertificates([...TRUSTED, await readFile(authority.certificateFile, 'utf8')]),
    );
    const before = authority.requests.length;
    const fresh = new URL(authority.loginUrl);
    fresh.hostname = '127.0.0.1'; // No connection to this host is open yet.
    await expect(openTokens({ loginUrl: fresh }).get()).rejects.toThrow();
    expect(authority.requests).toHaveLength(before);
  });
});

describe("Microsoft's own authority", () => {
  it.each([
    ['SingleTenant', "the bot's own tenant", 'tenant'],
    ['MultiTenant', "the Bot Framework's", 'botframework.com'],
  ] as const)('is asked by a %s bot for %s', async (type, _, tenant) => {
    await openTrusted(tenant);
    const { port } = new URL(authority.loginUrl);
    const proxy = await openProxy({ hosts: { [MICROSOFT_LOGIN_HOST]: port } });
    onTestFinished(proxy.close);
    const { get } = openTokens({ type, loginUrl: undefined }, wayThrough(proxy));
    expect(await get()).toBe(last());
    expect(authority.refusals).toEqual([]);
    expect(authority.requests.at(-1)).toMatch(new RegExp(`^/${tenant}/oauth2/v2.0/token`));
    expect(new Set(proxy.asked)).toEqual(new Set([`CONNECT ${MICROSOFT_LOGIN_HOST}:443`]));
    await authority.close();
  });
});

describe('a token for a managed identity', () => {
  it('comes from the place that the environment names, around any proxy, for the user-assigned id, and is kept', async () => {
    await openTrusted('tenant');
    onTestFinished(authority.close);
    const asked: IncomingMessage[] = [];
    const endpoint = await serve((request, response) => {
      asked.push(request);
      const token = {
        access_token: `managed-${asked.length}`,
        expires_on: Math.floor(Date.now() / 1000) + 3600,
        resource: 'https://api.botframework.com',
        token_type: 'Bearer',
      };
      answer(response, 200, { 'content-type': 'application/json' }, JSON.stringify(token));
    });
    vi.stubEnv('IDENTITY_ENDPOINT', `${endpoint}/msi/token`);
    vi.stubEnv('IDENTITY_HEADER', 'canary-header');
    onTestFinished(() => void vi.unstubAllEnvs());

    const noWayOut = wayThrough({ url: await closedUrl() });
    const { get, forget, goOn } = openTokens({ type: 'UserAssignedMSI', password: undefined }, noWayOut);
    expect(await get()).toBe('managed-1');
    expect(await get()).toBe('managed-1');
    const [first] = asked;
    const query = new URL(first?.url ?? '', endpoint).searchParams;
    expect(first?.headers['x-identity-header']).toBe('canary-header');
    expect([query.get('resource'), query.get('client_id')]).toEqual(['https://api.botframework.com', 'app']);
    forget('managed-1');
    expect(await get()).toBe('managed-2');
    goOn(56 * MINUTE_MS);
    expect(await get()).toBe('managed-3');
    expect(authority.requests).toEqual([]);
  });
});
