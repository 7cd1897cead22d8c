import type { IncomingMessage } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { Secret } from '../../../src/domain/secret.ts';
import type { ProxyRoute } from '../../../src/http/connection.ts';
import * as app from '../../../src/teams/authentication/app-tokens.ts';
import { openClosingProxy, wayThrough } from '../../proxy.ts';
import { answer, closedUrl, openUpstream, serve } from '../../serve.ts';
import { type Authority, MICROSOFT_LOGIN_HOST, openAuthority } from './identity.ts';

const MINUTE_MS = 60_000;

let authority: Authority;
async function openTrusted(tenant = 'tenant'): Promise<void> {
  authority = await openAuthority({ tenant, clientId: 'app', clientSecret: 'canary-secret' });
  authority.trust();
}

/** The tokens of an identity, by a clock that the test moves. */
function openTokens(changes: Partial<app.Identity> = {}, proxyRoute?: ProxyRoute) {
  const identity: app.Identity = {
    appId: 'app',
    password: new Secret('canary-secret'),
    type: 'SingleTenant',
    tenantId: 'tenant',
    loginUrl: new URL(authority.loginUrl),
    ...changes,
  };
  let now = Date.now();
  const outcomes: app.TokenOutcome[] = [];
  const upstream = openUpstream({ timeoutMs: 10_000, proxyRoute });
  const observe = (outcome: app.TokenOutcome) => void outcomes.push(outcome);
  const tokens = app.createAppTokens(identity, upstream, () => now, observe);
  const goOn = (ms: number) => {
    now += ms;
  };
  return { ...tokens, outcomes, goOn };
}

const fault = (kind: string, words: RegExp) => ({ kind, cure: expect.stringMatching(words) });
const last = () => authority.tokens.at(-1);

describe('a token for the client secret', () => {
  beforeAll(() => openTrusted());
  beforeEach(() => {
    Object.assign(authority, { mode: 'up', clientSecret: 'canary-secret', lifetimeS: 3600 });
  });
  afterAll(() => authority.close());

  it('is issued once, and kept until five minutes before its end', async () => {
    const { get, goOn } = openTokens();
    const [issued, asked] = [authority.tokens.length, authority.requests.length];
    const given = await Promise.all(Array.from({ length: 20 }, get));
    expect(new Set([...given, await get()])).toEqual(new Set([last()]));
    const paths = authority.requests.slice(asked).map((path) => path.split('?', 1)[0]);
    expect(paths).toEqual(['/tenant/v2.0/.well-known/openid-configuration', '/tenant/oauth2/v2.0/token']);
    goOn(54 * MINUTE_MS);
    expect(await get()).toBe(given[0]);
    expect(authority.tokens).toHaveLength(issued + 1);
    goOn(2 * MINUTE_MS);
    authority.lifetimeS = 60; // Five minutes before its end are past already.
    for (const tokens of [2, 3]) {
      expect(await get()).not.toBe(given[0]);
      expect(authority.tokens).toHaveLength(issued + tokens);
    }
  });

  it('is issued again once it was refused, and only then', async () => {
    const { get, forget } = openTokens();
    const first = await get();
    forget('another');
    expect(await get()).toBe(first);
    forget(first);
    const next = get();
    forget(first);
    expect(await get()).toBe(await next);
    expect(await next).not.toBe(first);
    forget(first);
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

  it.each<[Partial<Authority>, Partial<app.Identity>, object]>([
    [{}, {}, { kind: 'issued' }],
    [{ clientSecret: 'another' }, {}, fault('refused', /^MicrosoftAppPassword is wrong/)],
    [{}, { password: undefined }, fault('failed', /check MicrosoftAppType/)],
    [{ mode: 'refusing' }, {}, fault('refused', /has expired; make a new one$/)],
    [{}, { appId: 'another' }, fault('refused', /^MicrosoftAppId is unknown in the tenant/)],
    [{ mode: 'gone' }, {}, fault('unreachable', /cannot be reached or knows no such tenant/)],
    [{ mode: 'silent' }, {}, fault('unreachable', /cannot be reached/)],
  ])('is reported once a request, and requested again: %j, %j', async (state, changes, outcome) => {
    const { get, outcomes } = openTokens(changes);
    Object.assign(authority, state);
    await Promise.allSettled([get(), get()]);
    expect(outcomes).toEqual([outcome]);
    if (state.mode === undefined) return;
    authority.mode = 'up';
    expect(await get()).toBe(last());
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
});

it.each([
  ['SingleTenant', "the bot's own tenant", 'tenant'],
  ['MultiTenant', "the Bot Framework's", 'botframework.com'],
] as const)("Microsoft's own authority is asked by a %s bot for %s", async (type, _, tenant) => {
  await openTrusted(tenant);
  const { port } = new URL(authority.loginUrl);
  const proxy = await openClosingProxy({ hosts: { [MICROSOFT_LOGIN_HOST]: port } });
  const { get } = openTokens({ type, loginUrl: undefined }, wayThrough(proxy));
  expect(await get()).toBe(last());
  expect(authority.refusals).toEqual([]);
  expect(authority.requests.at(-1)).toMatch(new RegExp(`^/${tenant}/oauth2/v2.0/token`));
  expect(new Set(proxy.asked)).toEqual(new Set([`CONNECT ${MICROSOFT_LOGIN_HOST}:443`]));
  await authority.close();
});

it("a managed identity's token comes from its endpoint, past any proxy", async () => {
  await openTrusted();
  onTestFinished(authority.close);
  const asked: IncomingMessage[] = [];
  const endpoint = await serve((request, response) => {
    asked.push(request);
    const about = { resource: 'https://api.botframework.com', token_type: 'Bearer' };
    const expires_on = Math.floor(Date.now() / 1000) + 3600;
    const token = { access_token: `managed-${asked.length}`, expires_on, ...about };
    answer(response, 200, { 'content-type': 'application/json' }, JSON.stringify(token));
  });
  vi.stubEnv('IDENTITY_ENDPOINT', `${endpoint}/msi/token`);
  vi.stubEnv('IDENTITY_HEADER', 'canary-header');
  onTestFinished(() => void vi.unstubAllEnvs());

  const noWayOut = wayThrough({ url: await closedUrl() });
  const { get, forget, goOn } = openTokens({ type: 'UserAssignedMSI', password: undefined }, noWayOut);
  expect([await get(), await get()]).toEqual(['managed-1', 'managed-1']);
  const query = new URL(asked[0]?.url ?? '', endpoint).searchParams;
  expect(asked[0]?.headers['x-identity-header']).toBe('canary-header');
  expect([query.get('resource'), query.get('client_id')]).toEqual(['https://api.botframework.com', 'app']);
  forget('managed-1');
  expect(await get()).toBe('managed-2');
  goOn(56 * MINUTE_MS);
  expect(await get()).toBe('managed-3');
  expect(authority.requests).toEqual([]);
});

it.each([
  ['90002', /^MicrosoftAppId is unknown in the tenant/],
  ['5', /^the authority refuses the bot a token \(AADSTS5\); check the settings/],
  [undefined, /^the authority refuses the bot a token; check the settings/],
])('a refusal with the code %s has its cure', (errorNo, words) =>
  expect(app.readTokenFault({ status: 400, errorNo })).toEqual(fault('refused', words)),
);
