import { expect, it, onTestFinished } from 'vitest';
import { createExchanges, type Exchange } from '../../src/credentials/exchanges.ts';
import { Secret } from '../../src/domain/secret.ts';
import { listen } from '../../src/sandbox/listen.ts';
import { SERVICE_ACCOUNT } from '../../src/sandbox/nac.ts';
import { createExchanges as createSandboxExchanges } from '../../src/sandbox/sandbox.ts';
import { type Answer, openUpstream, record } from '../serve.ts';

const NOW = Date.UTC(2026, 0, 1);
const ACCOUNT = { username: 'sandbox', password: new Secret('sandbox') };

it('an API key is asked for with JSON, at the prefix under a base path', async () => {
  const { url, received } = await record({ status: 200, body: '{"APIKey":"e2e0"}' });
  await authorizeAt(`${url}/base/`, '/vedsdk/')(ACCOUNT);
  const body = JSON.stringify({ Username: 'sandbox', Password: 'sandbox' });
  const path = '/base/vedsdk/Authorize/';
  expect(received).toEqual([{ method: 'POST', path, type: 'application/json', body }]);
});

it.each([
  ['a wrong password', 401, {}, { kind: 'refused' }],
  ['an account that may not', 403, {}, { kind: 'forbidden' }],
  ['another status', 400, {}, { kind: 'fault', status: 400 }],
  ['no key', 200, { APIKey: '', Other: 'x' }, { kind: 'no credential' }],
  ['a key of another type', 200, { APIKey: 5 }, { kind: 'no credential' }],
  ['no JSON', 200, '<html>', { kind: 'no credential' }],
  ['no body', 200, '', { kind: 'no credential' }],
])('the exchange for an API key reports %s', async (_, status, body, outcome) =>
  expect(await authorizeAt(await serveJson(status, body))(ACCOUNT)).toEqual(outcome),
);

it.each([
  [{}, [307, 308]],
  [{ method: 'GET', type: undefined, body: '' }, [301, 302, 303]], // As in a browser.
])('a redirect repeats the request for a key with %o on %j', async (changes, statuses) => {
  for (const status of statuses) {
    const there = { status: 200, body: '{"APIKey":"k"}' };
    const { url, received } = await record({ status, headers: { location: '/there' } }, there);
    expect(await authorizeAt(url)(ACCOUNT)).toMatchObject({ kind: 'held' });
    expect(received[0]).toMatchObject({ method: 'POST', body: expect.stringContaining('Password') });
    expect(received[1]).toEqual({ ...received[0], path: '/there', ...changes });
  }
});

it('a redirect to another origin is not followed, which sees nothing', async () => {
  for (const status of [301, 302, 303, 307, 308]) {
    const stranger = await record({ status: 200, body: '{"APIKey":"stranger"}' });
    const { url } = await record({ status, headers: { location: `${stranger.url}/vedsdk/Authorize/` } });
    expect(await authorizeAt(url)(ACCOUNT)).toEqual({ kind: 'redirected' });
    expect(stranger.received).toEqual([]);
  }
});

it('five redirects are followed, not six', async () => {
  const hops = async (count: number) => {
    const redirects = Array<Answer>(count).fill({ status: 307, headers: { location: '/hop' } });
    const { url } = await record(...(redirects as [Answer]), { status: 200, body: '{"APIKey":"k"}' });
    return authorizeAt(url)(ACCOUNT);
  };
  expect(await hops(5)).toMatchObject({ kind: 'held' });
  expect(await hops(6)).toEqual({ kind: 'fault', status: 307 });
});

it.each(['', 'http://['])('a redirect to "%s" is not followed', async (location) => {
  const { url } = await record({ status: 307, headers: { location } });
  expect(await authorizeAt(url)(ACCOUNT)).toEqual({ kind: 'fault', status: 307 });
});

it('a ticket is issued until the shorter time-out', async () => {
  const { url, close } = await listen(createSandboxExchanges([SERVICE_ACCOUNT]));
  onTestFinished(close);
  expect(await ticketAt(url)(ACCOUNT)).toMatchObject({ kind: 'held', until: NOW + 1_800_000 });
  expect(await ticketAt(url)({ ...ACCOUNT, password: new Secret('x') })).toEqual({ kind: 'refused' });
});

it.each<[name: 'key' | 'ticket', body: object, until: number]>([
  ['key', { APIKey: 'k', ValidUntil: '/Date(1767229200000)/' }, 1767229200000],
  ['key', { ApiKey: 'k', ValidUntil: '/Date(1767229200000+0000)/' }, 1767229200000],
  ['key', { APIKey: 'k', ValidUntil: '/Date(0)/' }, NOW + 180_000],
  ['key', { APIKey: 'k', ValidUntil: '/Date(99999999999999999)/' }, NOW + 86_400_000],
  ['key', { APIKey: 'k', ValidUntil: 'soon 5' }, NOW + 180_000],
  ['key', { apiKey: 'k', validUntil: '2026-01-01T02:00:00Z' }, NOW + 7_200_000],
  ['key', { api_key: 'k', ValidUntil: 'soon' }, NOW + 180_000],
  ['key', { key: 'k', ValidUntil: 7 }, NOW + 180_000],
  ['key', { response: { token: 'k' } }, NOW + 180_000],
  ['ticket', { response: { serviceTicket: 'k' } }, NOW + 180_000],
  ['ticket', { serviceTicket: 'k', sessionTimeout: 60 }, NOW + 60_000],
  ['ticket', { serviceTicket: 'k', idleTimeout: 2 ** 63 }, NOW + 86_400_000],
  ['ticket', { serviceTicket: 'k', idleTimeout: 1799.9999 }, NOW + 1_799_999],
  ['ticket', { response: { ticket: 'k', idleTimeout: '60' } }, NOW + 180_000],
])('a %s is read from %o', async (name, body, until) => {
  const url = await serveJson(200, body);
  const outcome = await (name === 'key' ? authorizeAt(url) : ticketAt(url))(ACCOUNT);
  expect(outcome).toMatchObject({ kind: 'held', since: NOW, until });
  expect(outcome.kind === 'held' && outcome.credential.reveal()).toBe('k');
});

/** @param body a text as it stands, or what becomes JSON */
const serveJson = async (status: number, body: unknown) =>
  (await record({ status, body: typeof body === 'string' ? body : JSON.stringify(body) })).url;

function exchangeAt(addresses: Parameters<typeof createExchanges>[0]): Exchange {
  const upstream = openUpstream();
  const upstreams = { authorize: upstream, ticket: upstream };
  const [exchange] = Object.values(createExchanges(addresses, upstreams, () => NOW));
  if (exchange === undefined) throw new TypeError('one exchange is configured');
  return exchange;
}

const authorizeAt = (url: string, sdkPrefix = 'vedsdk') =>
  exchangeAt({ authorize: { url: new URL(url), sdkPrefix } });
const ticketAt = (url: string) => exchangeAt({ ticket: { url: new URL(url) } });
