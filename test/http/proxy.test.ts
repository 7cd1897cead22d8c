import type { RequestListener } from 'node:http';
import { describe, expect, it } from 'vitest';
import type { ProxyFault } from '../../src/domain/outcome.ts';
import { parseNoProxy } from '../../src/http/connection.ts';
import type { UpstreamOptions } from '../../src/http.ts';
import { serveSecurely } from '../cli/secure-server.ts';
import { openClosingProxy, wayThrough } from '../proxy.ts';
import { answer, closedUrl, openUpstream, serve, serveTcp, unanswered } from '../serve.ts';

const OK = { kind: 'answered', status: 200, text: 'ok' };

function upstreamThrough(proxy: { url: string }, noProxy = '', options: Partial<UpstreamOptions> = {}) {
  const reported: Array<ProxyFault | undefined> = [];
  const proxyRoute = wayThrough(proxy, noProxy, (fault) => reported.push(fault));
  const upstream = openUpstream({ tls: { kind: 'insecure' }, proxyRoute, ...options });
  return { reported, get: (url: string) => upstream.call({ url: new URL(url), method: 'GET' }) };
}

type Proxy = { url: string };
const withAccount = ({ url }: Proxy, account: string) => ({ url: url.replace('//', `//${account}@`) });

/** Starts a system that answers `ok`; `requests`: what it was asked for, under which host, with which account for a proxy. */
async function openSystem(scheme = 'https') {
  const requests: string[] = [];
  const listener: RequestListener = ({ url, headers }, response) => {
    requests.push(`${url} ${headers.host} ${headers['proxy-authorization']}`);
    answer(response, 200, {}, 'ok');
  };
  const url = scheme === 'https' ? (await serveSecurely(listener)).url : await serve(listener);
  const { host, port } = new URL(url);
  return { url, host, port, requests };
}

const faultOf = ({ url }: { url: string }, code: unknown) => ({ proxy: new URL(url).host, code });
const PATH = '/admin/API/AA:BB?x=1';

async function expectFault(
  proxy: { url: string },
  code: unknown,
  url = 'https://chat.example',
): Promise<void> {
  const { get, reported } = upstreamThrough(proxy);
  const unreachable = { kind: 'unreachable', code: 'PROXY', proxy: faultOf(proxy, code) };
  expect(await get(url)).toEqual(unanswered(unreachable));
  expect(reported).toEqual([faultOf(proxy, code)]);
}

it("a call over https goes through a tunnel, by a name of the proxy's", async () => {
  const { port, requests } = await openSystem();
  const proxy = await openClosingProxy({ hosts: { 'chat.example': port } });
  const { get, reported } = upstreamThrough(proxy);
  expect(await get('https://chat.example/a?b')).toMatchObject(OK);
  expect(proxy.asked).toEqual(['CONNECT chat.example:443']);
  expect(requests).toEqual(['/a?b chat.example undefined']);
  expect(reported).toEqual([undefined]);
});

it('a call over https uses open tunnels again', async () => {
  const { url } = await openSystem();
  const proxy = await openClosingProxy();
  const { get } = upstreamThrough(proxy);
  for (let calls = 0; calls < 10; calls++) expect(await get(url)).toMatchObject(OK);
  expect(proxy.asked.length).toBeLessThanOrEqual(2); // undici opens a second connection at once.
});

describe.each(['https', 'http'])('a call over %s', (scheme) => {
  it.each(['', '127.0.0.1'])('sends user and password to the proxy only; directly to: %j', async (direct) => {
    const { url, host, requests } = await openSystem(scheme);
    const proxy = await openClosingProxy({ account: 'user:canary:pass word' });
    const { get, reported } = upstreamThrough(withAccount(proxy, 'user:canary%3Apass%20word'), direct);
    expect(await get(url + PATH)).toMatchObject(OK);
    expect(requests).toEqual([`${PATH} ${host} undefined`]);
    const asked = scheme === 'http' ? `GET ${url}${PATH}` : `CONNECT ${host}`; // No tunnel: the whole address.
    expect([proxy.asked, reported]).toEqual(direct ? [[], []] : [[asked], [undefined]]);
  });
});

describe.each(['https', 'http'])('a proxy that lets nothing through over %s', (scheme) => {
  const openGuarded = () => openClosingProxy({ account: 'user:right-password' });
  it.each<[string, string, () => Promise<{ url: string }>]>([
    ['wants another password', '407', async () => withAccount(await openGuarded(), 'user:wrong-password')],
    ['wants a password', '407', openGuarded],
    ['is away', 'ECONNREFUSED', async () => ({ url: await closedUrl() })],
  ])(
    'because it %s is named: %s',
    async (_, code, open) => await expectFault(await open(), code, (await openSystem(scheme)).url),
  );

  it('ends a call, and lets the next one through as soon as it works again', async () => {
    const { url } = await openSystem(scheme);
    const proxy = await openClosingProxy();
    for (const [mode, fault] of [
      ['gone', { kind: 'unreachable' }],
      ['silent', { kind: 'timed out', begun: false }],
      [407, { kind: 'unreachable' }],
    ] as const) {
      const { get } = upstreamThrough(proxy, '', { timeoutMs: 2000 });
      proxy.mode = mode;
      expect(await get(url)).toMatchObject(unanswered(fault));
      proxy.mode = 'up';
      expect(await get(url)).toMatchObject(OK);
    }
  });
});

it.each([300, 403, 502])('a proxy of a tunnel that answers %i is named', async (status) => {
  const proxy = await openClosingProxy();
  proxy.mode = status;
  await expectFault(proxy, `${status}`);
});

it('a proxy of a tunnel that is silent is reported', async () => {
  const proxy = await openClosingProxy();
  proxy.mode = 'silent';
  const said = Promise.withResolvers<ProxyFault | undefined>();
  const upstream = openUpstream({ timeoutMs: 300, proxyRoute: wayThrough(proxy, '', said.resolve) });
  const outcome = await upstream.call({ url: new URL('https://chat.example'), method: 'GET' });
  expect(outcome).toMatchObject(unanswered({ kind: 'timed out' }));
  expect(await said.promise).toMatchObject({ code: 'TimeoutError' });
});

it.each<[string, string]>([
  ['SSH-2.0-OpenSSH_9.6\r\n', 'HTTPParserError'],
  ['HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n<html>', '400'],
])('a proxy of a tunnel that is none (%j) is named', async (words, code) => {
  const { origin: url } = await serveTcp((socket) => socket.end(words));
  await expectFault({ url }, code);
});

it('a proxy whose own certificate is refused is the fault', async () =>
  expectFault(await openSystem(), expect.stringMatching(/SELF_SIGNED|UNABLE_TO/)));

it.each<[string, string, string]>([
  ['*', 'a.example b.example:8443 ::1', ''],
  ['*:8443', 'a.example:8443', 'a.example'],
  ['example.com', 'example.com example.com. www.example.com a.example.com:8443', 'notexample.com'],
  ['example.com', 'example.com:8443', 'example.com.au'],
  ['.example.com', 'example.com a.b.example.com', 'notexample.com'],
  ['*.example.com', 'www.example.com', 'example.com notexample.com'],
  ['Example.COM.', 'example.com', ''],
  ['nac:7', '', 'nac'],
  ['example.com:8443', 'example.com:8443 www.example.com:8443', 'example.com'],
  ['127.0.0.1', '127.0.0.1', '127.0.0.2 localhost'],
  ['localhost', 'localhost bot.localhost', '127.0.0.1 ::1'],
  ['::1', '::1', '::2'],
  ['[::1]', '::1', '::2'],
  ['10.0.0.0/8', '10.1.2.3', '11.1.2.3 ten.example'],
  ['fd00::/8', 'fd12::1', 'fe80::1'],
  [' a.example,,b.example c.example ', 'a.example b.example c.example', 'd.example'],
  ['', '', 'a.example'],
])('an entry of NO_PROXY %j', (text, direct, proxied) => {
  const isDirect = parseNoProxy(text);
  const check = (places: string, expected: boolean) => {
    for (const [place, host = '', port = '443'] of places.matchAll(/(\S+?)(?::(\d{2,}))?(?=\s|$)/g))
      expect([place, isDirect?.(host, Number(port))]).toEqual([place, expected]);
  };
  check(direct, true);
  check(proxied, false);
});

it.each([
  ...['10.*', '192.168', '10.0.0.0/33', '::/129', 'http://a.example', 'a.example/8'],
  ...['a b*', '<local>', 'a:b', '**', '*.', '[a]'],
])('an entry %j cannot be read', (entry) => expect(parseNoProxy(`a.example, ${entry}`)).toBeUndefined());
