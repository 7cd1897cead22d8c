import { createServer } from 'node:https';
import { generate } from 'selfsigned';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ProxyFault } from '../../src/domain/outcome.ts';
import type { HttpOutcome, UpstreamOptions } from '../../src/http.ts';
import { listen } from '../../src/sandbox/listen.ts';
import { openClosingProxy, wayThrough } from '../proxy.ts';
import { answer, closedUrl, openUpstream, serve, serveTcp, unanswered } from '../serve.ts';

const SECRET = 'canary:pass word';
const ENCODED = 'user:canary%3Apass%20word';

/** An upstream behind a proxy, and what the proxy was said to do. */
function upstreamThrough(proxy: { url: string }, noProxy = '', options: Partial<UpstreamOptions> = {}) {
  const told: Array<ProxyFault | undefined> = [];
  const wayOut = wayThrough(proxy, noProxy, (fault) => told.push(fault));
  const upstream = openUpstream({ tls: { kind: 'insecure' }, wayOut, ...options });
  return { told, get: (url: URL | string) => upstream.call({ url: new URL(url), method: 'GET' }) };
}

const withAccount = ({ url }: { url: string }, account: string) => ({
  url: url.replace('//', `//${account}@`),
});

let tls: { url: string; requests: string[]; port: string; close(): Promise<void> };
beforeAll(async () => {
  const made = await generate([{ name: 'commonName', value: 'system' }], {
    keyType: 'ec',
    algorithm: 'sha256',
  });
  const requests: string[] = [];
  const server = createServer(
    { key: made.private, cert: made.cert },
    ({ method, url, headers }, response) => {
      requests.push(`${method} ${url} ${headers.host} ${headers['proxy-authorization']}`);
      if (url === '/silent') return;
      answer(response, 200, {}, url === '/large' ? 'x'.repeat(2000) : 'ok');
    },
  );
  const { url, close } = await listen(server);
  const { port } = new URL(url);
  tls = { url: `https://127.0.0.1:${port}`, requests, port, close };
});
afterAll(() => tls.close());

const proxyFault = (proxy: ProxyFault) => unanswered({ kind: 'unreachable', code: 'PROXY', proxy });

const OK = { kind: 'answered', status: 200, text: 'ok' };

describe('a call over https', () => {
  it('goes through a tunnel, to a name that only the proxy knows', async () => {
    const proxy = await openClosingProxy({ hosts: { 'chat.example': tls.port } });
    const { get, told } = upstreamThrough(proxy);
    tls.requests.length = 0;
    expect(await get('https://chat.example/a?b')).toMatchObject(OK);
    expect(proxy.asked).toEqual(['CONNECT chat.example:443']);
    expect(tls.requests).toEqual(['GET /a?b chat.example undefined']);
    expect(told).toEqual([undefined]);
  });

  it('uses open tunnels again', async () => {
    const proxy = await openClosingProxy();
    const { get } = upstreamThrough(proxy);
    for (let calls = 0; calls < 10; calls++) expect(await get(tls.url)).toMatchObject(OK);
    expect(proxy.asked.length).toBeLessThanOrEqual(2); // undici opens a second connection at once.
  });

  it('carries user and password to the proxy alone', async () => {
    const proxy = await openClosingProxy({ account: `user:${SECRET}` });
    tls.requests.length = 0;
    expect(await upstreamThrough(withAccount(proxy, ENCODED)).get(tls.url)).toMatchObject(OK);
    expect(tls.requests).toEqual([`GET / 127.0.0.1:${tls.port} undefined`]);
  });

  it('is bounded in size and in time as without a proxy', async () => {
    const proxy = await openClosingProxy();
    const { get } = upstreamThrough(proxy, '', { maxBytes: 1000, timeoutMs: 400 });
    expect(await get(`${tls.url}/large`)).toEqual(unanswered({ kind: 'too large', maxBytes: 1000 }));
    expect(await get(`${tls.url}/silent`)).toEqual(
      unanswered({ kind: 'timed out', timeoutMs: 400, begun: false }),
    );
    expect(await get(tls.url)).toMatchObject(OK);
  });
});

describe('a call over http', () => {
  const path = '/admin/API/AA:BB?x=1';

  it('asks the proxy for the whole address, without a tunnel', async () => {
    const proxy = await openClosingProxy({ account: `user:${SECRET}` });
    const seen: unknown[] = [];
    const url = await serve(({ url: asked, headers }, response) => {
      seen.push([asked, headers.host, headers['proxy-authorization']]);
      answer(response, 200, {}, 'ok');
    });
    const { get, told } = upstreamThrough(withAccount(proxy, ENCODED));
    expect(await get(url + path)).toMatchObject(OK);
    expect(proxy.asked).toEqual([`GET ${url}${path}`]);
    expect(seen).toEqual([[path, new URL(url).host, undefined]]);
    expect(told).toEqual([undefined]);
  });

  it('around the proxy has no trace of it', async () => {
    const proxy = await openClosingProxy();
    const seen: unknown[] = [];
    const url = await serve(({ url: asked, headers }, response) => {
      seen.push([asked, headers['proxy-authorization']]);
      answer(response, 200, {}, 'ok');
    });
    const { get, told } = upstreamThrough(withAccount(proxy, ENCODED), '127.0.0.1');
    expect(await get(url + path)).toMatchObject(OK);
    expect(await get(tls.url)).toMatchObject(OK);
    expect(proxy.asked).toEqual([]);
    expect(seen).toEqual([[path, undefined]]);
    expect(told).toEqual([]);
  });
});

describe.each(['https', 'http'])('a proxy that lets nothing through over %s', (scheme) => {
  const target = async () =>
    scheme === 'https' ? tls.url : await serve((_, response) => answer(response, 200, {}, 'ok'));
  const fault = ({ url }: { url: string }, code: string) => ({ proxy: new URL(url).host, code });

  it.each(['user:wrong-password', ''])('because of its user and password (%j) is named', async (account) => {
    const proxy = await openClosingProxy({ account: 'user:right-password' });
    const { get, told } = upstreamThrough(account ? withAccount(proxy, account) : proxy);
    const expected = fault(proxy, '407');
    expect(await get(await target())).toEqual(proxyFault(expected));
    expect(told).toEqual([expected]);
  });

  it('because it ends each connection is named, and so is one that is away', async () => {
    const proxy = await openClosingProxy();
    proxy.mode = 'gone';
    const { get } = upstreamThrough(proxy);
    expect(await get(await target())).toMatchObject(unanswered({ kind: 'unreachable' }));
    const away = { url: await closedUrl() };
    const { get: getAway, told } = upstreamThrough(away);
    const expected = fault(away, 'ECONNREFUSED');
    expect(await getAway(await target())).toEqual(proxyFault(expected));
    expect(told).toEqual([expected]);
  });

  it('because it never answers ends with the time-out', async () => {
    const proxy = await openClosingProxy();
    proxy.mode = 'silent';
    const { get } = upstreamThrough(proxy, '', { timeoutMs: 400 });
    expect(await get(await target())).toMatchObject(unanswered({ kind: 'timed out', begun: false }));
  });

  it('lets calls through as soon as it works again', async () => {
    const proxy = await openClosingProxy();
    const { get } = upstreamThrough(proxy);
    const url = await target();
    proxy.mode = 407;
    expect(await get(url)).toMatchObject(unanswered({ kind: 'unreachable' }));
    proxy.mode = 'up';
    expect(await get(url)).toMatchObject(OK);
  });
});

describe('a proxy of a tunnel', () => {
  it.each([403, 502])('that answers %i is named', async (status) => {
    const proxy = await openClosingProxy();
    proxy.mode = status;
    const { get, told } = upstreamThrough(proxy);
    const expected = { proxy: new URL(proxy.url).host, code: String(status) };
    expect(await get(tls.url)).toEqual(proxyFault(expected));
    expect(told).toEqual([expected]);
  });

  it('that is silent is told, and its connection ends', async () => {
    const proxy = await openClosingProxy();
    proxy.mode = 'silent';
    const said = Promise.withResolvers<ProxyFault | undefined>();
    const upstream = openUpstream({ timeoutMs: 300, wayOut: wayThrough(proxy, '', said.resolve) });
    expect(await upstream.call({ url: new URL(tls.url), method: 'GET' })).toMatchObject(
      unanswered({
        kind: 'timed out',
      }),
    );
    expect(await said.promise).toMatchObject({ code: 'UND_ERR_HEADERS_TIMEOUT' });
  });

  it.each<[string, string]>([
    ['SSH-2.0-OpenSSH_9.6\r\n', 'NOT_HTTP'],
    ['HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n<html>', '400'],
  ])('that is none (%j) is named', async (words, code) => {
    const { host, origin } = await serveTcp((socket) => socket.end(words));
    expect(await upstreamThrough({ url: origin }).get(tls.url)).toEqual(proxyFault({ proxy: host, code }));
  });

  it('whose own certificate is refused is the fault, not the system behind it', async () => {
    const { get, told } = upstreamThrough({ url: tls.url });
    const expected = { proxy: new URL(tls.url).host, code: expect.stringMatching(/SELF_SIGNED|UNABLE_TO/) };
    const outcome: HttpOutcome = await get('https://chat.example');
    expect(outcome).toEqual(proxyFault(expected));
    expect(told).toEqual([expected]);
  });
});
