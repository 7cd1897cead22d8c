import type { RequestListener } from 'node:http';
import { json } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createExchanges, type Exchange, type ExchangeAddresses } from '../../src/credentials/exchanges.ts';
import { Secret } from '../../src/domain/secret.ts';
import { createExchanges as createSandboxExchanges } from '../../src/sandbox/exchanges.ts';
import { listen } from '../../src/sandbox/listen.ts';
import { SERVICE_ACCOUNT } from '../../src/sandbox/nac.ts';
import { openUpstream, answer as send, serve } from '../serve.ts';

const NOW = Date.UTC(2026, 0, 1);
const ACCOUNT = { username: 'sandbox', password: new Secret('sandbox') };
describe('endpoint 1', () => {
  it('returns the key and its end', async () => {
    const outcome = await authorizeAt((await sandbox()).url)(ACCOUNT);
    expect(outcome).toMatchObject({ kind: 'granted', until: expect.any(Number) });
  });

  it('posts Username and Password as JSON to the prefix, under a base path', async () => {
    const seen: unknown[] = [];
    const url = await serve(async (request, response) => {
      seen.push([request.method, request.url, request.headers['content-type'], await json(request)]);
      answer(response, 200, { APIKey: 'e2e0' });
    });
    await authorizeAt(`${url}/base/`, '/vedsdk/')(ACCOUNT);
    expect(seen).toEqual([
      ['POST', '/base/vedsdk/Authorize/', 'application/json', { Username: 'sandbox', Password: 'sandbox' }],
    ]);
  });

  it.each([
    [{ APIKey: 'k', ValidUntil: '/Date(1767229200000)/' }, 1767229200000],
    [{ ApiKey: 'k', ValidUntil: '/Date(1767229200000+0000)/' }, 1767229200000],
    [{ APIKey: 'k', ValidUntil: '/Date(0)/' }, NOW + 180_000],
    [{ APIKey: 'k', ValidUntil: '/Date(99999999999999999)/' }, NOW + 86_400_000],
    [{ APIKey: 'k', ValidUntil: 'soon 5' }, NOW + 180_000],
    [{ apiKey: 'k', validUntil: '2026-01-01T02:00:00Z' }, NOW + 7_200_000],
    [{ api_key: 'k', ValidUntil: 'soon' }, NOW + 180_000],
    [{ key: 'k', ValidUntil: 7 }, NOW + 180_000],
    [{ response: { token: 'k' } }, NOW + 180_000],
  ])('reads %o', async (body, until) => {
    const outcome = await authorizeAt(await serveJson(200, body))(ACCOUNT);
    expect(outcome).toMatchObject({ kind: 'granted', until });
    expect(outcome.kind === 'granted' && outcome.credential.reveal()).toBe('k');
  });

  it.each([
    ['a wrong password', 401, {}, { kind: 'refused' }],
    ['an account that may not', 403, {}, { kind: 'forbidden' }],
    ['another status', 400, {}, { kind: 'fault', status: 400 }],
    ['no key', 200, { APIKey: '', Other: 'x' }, { kind: 'no credential' }],
    ['a key of another type', 200, { APIKey: 5 }, { kind: 'no credential' }],
    ['no object', 200, ['APIKey'], { kind: 'no credential' }],
  ])('reports %s', async (_, status, body, outcome) => {
    expect(await authorizeAt(await serveJson(status, body))(ACCOUNT)).toEqual(outcome);
  });

  it.each([
    ['not JSON', '<html>', { kind: 'no credential' }],
    ['empty', '', { kind: 'no credential' }],
  ])('reports no credential for a body that is %s', async (_, text, outcome) => {
    const url = await serve((_request, response) => {
      response.end(text);
    });
    expect(await authorizeAt(url)(ACCOUNT)).toEqual(outcome);
  });

  it('says that it could not be reached', async () => {
    expect(await authorizeAt('http://127.0.0.1:1')(ACCOUNT)).toMatchObject({
      kind: 'no answer',
      fault: { kind: 'unreachable' },
    });
  });
});

describe('redirects of endpoint 1', () => {
  it.each([307, 308])('repeats method and body on %i', async (status) => {
    const { url } = await sandbox();
    expect(await authorizeAt(url, `moved-${status}`)(ACCOUNT)).toMatchObject({ kind: 'granted' });
  });

  it.each([301, 302, 303])('becomes a GET without body on %i, as in a browser', async (status) => {
    const seen: unknown[] = [];
    const url = await serve((request, response) => {
      seen.push([
        request.method,
        request.url,
        request.headers['content-length'],
        request.headers['content-type'],
      ]);
      if (request.url !== '/there') return redirect(response, status, '/there');
      answer(response, 200, { APIKey: 'k' });
    });
    expect(await authorizeAt(url)(ACCOUNT)).toMatchObject({ kind: 'granted' });
    expect(seen[1]).toEqual(['GET', '/there', undefined, undefined]);
  });

  it.each([301, 302, 303, 307, 308])(
    'does not follow %i to another origin, which sees nothing',
    async (status) => {
      let calls = 0;
      const stranger = await serve((_request, response) => {
        calls++;
        answer(response, 200, { APIKey: 'stranger' });
      });
      const url = await serve((_request, response) =>
        redirect(response, status, `${stranger}/vedsdk/Authorize/`),
      );
      expect(await authorizeAt(url)(ACCOUNT)).toEqual({ kind: 'redirected', reason: 'another origin' });
      expect(calls).toBe(0);
    },
  );

  it('follows five, not six', async () => {
    const hops = async (count: number) => {
      let left = count;
      const url = await serve((_request, response) => {
        if (left-- > 0) redirect(response, 307, `/hop-${left}`);
        else answer(response, 200, { APIKey: 'k' });
      });
      return authorizeAt(url)(ACCOUNT);
    };
    expect(await hops(5)).toMatchObject({ kind: 'granted' });
    expect(await hops(6)).toEqual({ kind: 'redirected', reason: 'too many' });
  });

  it.each(['', 'http://[', 'https://127.0.0.1:1/'])('does not follow one to "%s"', async (location) => {
    const url = await serve((_request, response) => redirect(response, 307, location));
    expect((await authorizeAt(url)(ACCOUNT)).kind).toBe('redirected');
  });
});

describe('endpoint 2', () => {
  it('returns a ticket that ends with the shorter of its two time-outs', async () => {
    const { url } = await sandbox();
    expect(await ticketAt(url)(ACCOUNT)).toMatchObject({ kind: 'granted', until: NOW + 1_800_000 });
  });

  it.each([
    [{ response: { serviceTicket: 't' } }, NOW + 180_000],
    [{ serviceTicket: 't', sessionTimeout: 60 }, NOW + 60_000],
    [{ serviceTicket: 't', idleTimeout: 2 ** 63 }, NOW + 86_400_000],
    [{ serviceTicket: 't', idleTimeout: 1799.9999 }, NOW + 1_799_999],
    [{ response: { ticket: 't', idleTimeout: '60' } }, NOW + 180_000],
  ])('reads %o', async (body, until) => {
    expect(await ticketAt(await serveJson(200, body))(ACCOUNT)).toMatchObject({ kind: 'granted', until });
  });

  it('is refused with a wrong password', async () => {
    const { url } = await sandbox();
    expect(await ticketAt(url)({ username: 'sandbox', password: new Secret('x') })).toEqual({
      kind: 'refused',
    });
  });

  it('does not follow redirects', async () => {
    const url = await serve((_request, response) => redirect(response, 307, '/elsewhere'));
    expect(await ticketAt(url)(ACCOUNT)).toEqual({ kind: 'fault', status: 307 });
  });
});

async function sandbox() {
  const listening = await listen(createSandboxExchanges({ accounts: [SERVICE_ACCOUNT] }).server);
  onTestFinished(listening.close);
  return listening;
}

type Response = Parameters<RequestListener>[1];

const answer = (response: Response, status: number, body: unknown) =>
  send(response, status, { 'content-type': 'application/json' }, JSON.stringify(body));
const serveJson = (status: number, body: unknown) =>
  serve((_request, response) => answer(response, status, body));
const redirect = (response: Response, status: number, location: string) =>
  send(response, status, location === '' ? {} : { location }, '');

function exchangeAt(addresses: Partial<ExchangeAddresses>): Exchange {
  const both = { authorize: undefined, ticket: undefined, ...addresses };
  const upstream = openUpstream();
  const upstreams = { authorize: upstream, ticket: upstream };
  const [exchange] = Object.values(createExchanges(both, upstreams, () => NOW));
  if (exchange === undefined) throw new TypeError('one exchange is configured');
  return exchange;
}

function authorizeAt(url: string, sdkPrefix = 'vedsdk') {
  return exchangeAt({ authorize: { url: new URL(url), sdkPrefix } });
}

function ticketAt(url: string) {
  return exchangeAt({ ticket: { url: new URL(url) } });
}
