import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { fingerprintOf, parseTlsMode, type TlsMode } from '../src/http/connection.ts';
import * as http from '../src/http.ts';
import { serveSecurely } from './cli/secure-server.ts';
import { openClosingProxy, wayThrough } from './proxy.ts';
import { answer, callTo, openUpstream, serve, serveTcp, unanswered } from './serve.ts';

const getFrom = (url: URL, options: Partial<http.UpstreamOptions> = {}) =>
  openUpstream(options).call({ url, method: 'GET' });

it('a call sends a request unchanged, and returns status, headers and text', async () => {
  const seen: unknown[] = [];
  const url = await serve(async (request, response) => {
    seen.push([request.method, request.url, request.headers['x-note'], await text(request)]);
    answer(response, 418, { 'x-answer': 'yes' }, 'grün 🌱');
  });
  const request = { method: 'POST' as const, headers: { 'x-note': 'n' }, body: 'ü' };
  const outcome = await openUpstream().call({ url: new URL(`${url}/a:b/%C3%A9?q=1`), ...request });
  const headers = { 'x-answer': 'yes' };
  expect(outcome).toMatchObject({ kind: 'answered', status: 418, headers, text: 'grün 🌱' });
  expect(seen).toEqual([['POST', '/a:b/%C3%A9?q=1', 'n', 'ü']]);
});

it.each([301, 302, 303, 307, 308, 500, 503])('a call is made once, whatever comes (%i)', async (status) => {
  let calls = 0;
  const headers = { location: '/elsewhere', 'retry-after': '0' };
  const outcome = await callTo((_, response) => {
    calls++;
    answer(response, status, headers, '');
  });
  expect(outcome).toMatchObject({ kind: 'answered', status, headers });
  expect(calls).toBe(1);
});

const HEAD = 'HTTP/1.1 200 OK\r\n';
const SHORT = `${HEAD}content-length: 9\r\n\r\nab`;
const cutOff = { kind: 'cut off' };
const unreachable = (code: unknown = expect.any(String)) => ({ kind: 'unreachable', code });

it.each<[name: string, fault: object, onData: (socket: Socket) => void]>([
  ['with less than the declared length', cutOff, (socket) => socket.end(SHORT)],
  ['in a chunk', cutOff, (socket) => socket.end(`${HEAD}transfer-encoding: chunked\r\n\r\n9\r\nabc`)],
  ['by a reset after the head', cutOff, (socket) => socket.write(SHORT, () => socket.resetAndDestroy())],
  ['by a reset before the head', unreachable('ECONNRESET'), (socket) => socket.resetAndDestroy()],
  ['by an end before the head', unreachable(), (socket) => socket.end()],
  ['by words that are not HTTP', unreachable('NOT_HTTP'), (socket) => socket.end('SSH-2.0-x\r\n')],
])('a connection that fails %s: %j', async (_, fault, onData) => {
  expect(await getFrom(await serveTcp(onData))).toEqual(unanswered(fault));
});

const timedOut = (timeoutMs: number, begun: boolean) => unanswered({ kind: 'timed out', timeoutMs, begun });

it('a call that times out before the head has not begun', async () => {
  const url = await serveTcp(() => {});
  expect(await getFrom(url, { timeoutMs: 200 })).toEqual(timedOut(200, false));
  expect(await getFrom(new URL(`https://${url.host}`), { timeoutMs: 300 })).toEqual(timedOut(300, false));
});

it('a call that times out in the body has begun', async () => {
  const drip: RequestListener = (_, response) => {
    response.writeHead(200);
    const timer = setInterval(() => response.write('x'), 20);
    response.on('close', () => clearInterval(timer));
  };
  expect(await callTo(drip, { timeoutMs: 500 })).toEqual(timedOut(500, true));
});

const within = (tls: TlsMode) => ({ tls, timeoutMs: 2000 });
const INSECURE = within({ kind: 'insecure' });
const VERIFY = within({ kind: 'verify' });
const pinning = (pin: string) => within(parseTlsMode(pin) as TlsMode);

it.each(['directly', 'through a proxy'])('a handshake %s reads a certificate, no more', async (way) => {
  const asked: unknown[] = [];
  const { url, pin } = await serveSecurely((request) => asked.push(request.url));
  const proxy = await openClosingProxy();
  const proxyRoute = way === 'directly' ? undefined : wayThrough(proxy);
  for (const options of [INSECURE, pinning(pin)]) {
    const probed = await http.probeTls(new URL(url), { ...options, proxyRoute });
    if (probed.kind !== 'connected') throw new Error(JSON.stringify(probed));
    expect(probed.certificate && `pin:${fingerprintOf(probed.certificate)}`).toBe(pin);
  }
  expect(asked).toEqual([]);
  expect(proxy.asked).toHaveLength(way === 'directly' ? 0 : 2);
});

it('a handshake judges as a call does, and reports a silent server', async () => {
  const url = new URL((await serveSecurely(() => {})).url);
  const untrusted = (reason: string) => unanswered({ kind: 'untrusted', reason });
  expect(await http.probeTls(url, pinning(`pin:${'AB'.repeat(32)}`))).toEqual(untrusted('wrong pin'));
  expect(await http.probeTls(url, VERIFY)).toEqual(untrusted('unknown authority'));
  const plain = await http.probeTls(new URL(await serve(() => {})), VERIFY);
  expect(plain).toEqual({ kind: 'connected', certificate: undefined });
  const silent = new URL(`https://${(await serveTcp(() => {})).host}`);
  const outcome = await http.probeTls(silent, { ...INSECURE, timeoutMs: 100 });
  expect(outcome).toEqual(unanswered({ kind: 'timed out', timeoutMs: 100, begun: false }));
});

it.each([
  ['https://a.example', '/x', 'https://a.example/x'],
  ['https://a.example:8443/p/q', '/x', 'https://a.example:8443/p/q/x'],
  ['https://a.example/p/q/', '/x', 'https://a.example/p/q/x'],
  ['https://a.example/p', '/MAC/AA:BB:CC:DD:EE:FF', 'https://a.example/p/MAC/AA:BB:CC:DD:EE:FF'],
  ['https://a.example', '/é "x"', 'https://a.example/%C3%A9%20%22x%22'],
  ['https://a.example/p', '/../x/./y', 'https://a.example/x/y'],
  ['https://a.example/p', '/%2e%2E/x', 'https://a.example/x'],
  ['https://a.example/p', '/x?y#z', 'https://a.example/p/x%3Fy%23z'],
  ['https://a.example//other.example', '/x', 'https://a.example//other.example/x'],
  ['https://a.example/\\other.example', '/x', 'https://a.example//other.example/x'],
  ['https://a.example/p?q=1#f', '/x', 'https://a.example/p/x'],
])('a target is under its base: %s and %s give %s', (base, path, expected) => {
  expect(http.targetUnder(new URL(base), path).href).toBe(expected);
});

const HOSTS = ['*.botframework.com', '*.TrafficManager.net', 'chat.example.com', 'relay.example.com:8443'];
const CHANNEL = { names: HOSTS, loopback: false };
const OPEN = { ...CHANNEL, loopback: true };
const NAMED = { names: ['127.0.0.1'], loopback: false };
const LOOPBACK = 'http://127.0.0.1:5000/ http://localhost:56150/_connector https://[::1]/ http://127.9.9.9';
const ELSEWHERE = `https://evil.example/ https://smba.trafficmanager.net:8443/ https://botframework.com/
    https://evilbotframework.com/ https://smba.botframework.com.evil.example/
    https://evil.example/smba.botframework.com https://evil.example/?.botframework.com
    https://evil.example#.botframework.com https://evil.example\\.botframework.com
    https://smba.botframework.com@evil.example/ https://user@smba.botframework.com/
    https://user:password@smba.botframework.com/ https://:password@smba.botframework.com/
    https://sub.chat.example.com/ http://smba.botframework.com/ http://chat.example.com/ http://192.0.2.1/
    http://localhost.evil.example/ http://127.0.0.1.evil.example/ http://user@127.0.0.1/
    ws://smba.botframework.com/ ws://127.0.0.1/ file:///etc/hosts javascript:alert(1) //smba.botframework.com/
    smba.botframework.com https://`;

it.each<[what: string, isAllowed: boolean, hosts: http.ServiceHosts, urls: string]>([
  ['a host in the list', true, CHANNEL, 'https://smba.trafficmanager.net/emea/ https://chat.example.com/'],
  ['a host below one', true, CHANNEL, 'https://a.b.c.botframework.com https://X.TrafficManager.net'],
  ['the port in the list', true, CHANNEL, 'https://relay.example.com:8443/'],
  ['loopback, where that is allowed', true, OPEN, LOOPBACK],
  ['loopback, where that is not allowed', false, CHANNEL, LOOPBACK],
  ['loopback by its name in the list, over plain http too', true, NAMED, 'http://127.0.0.1:5000/'],
  ['loopback by another name', false, NAMED, 'http://localhost:5000/'],
  ['elsewhere, even if loopback is allowed', false, OPEN, ELSEWHERE],
  ['nowhere', false, OPEN, ''],
  ['a host without a list', false, { names: [], loopback: true }, 'https://smba.botframework.com/'],
])('a reply to %s may be sent: %s', (_, isAllowed, hosts, urls) => {
  const gate = http.createServiceGate(hosts);
  for (const url of urls.split(/\s+/))
    expect([url, gate(url)?.href]).toEqual([url, isAllowed ? new URL(url).href : undefined]);
});

it.each([
  [true, '127.0.0.1 127.255.0.3 localhost LocalHost bot.localhost ::1 [::1]'],
  [false, ' 0.0.0.0 :: [::2] 128.0.0.1 127.0.0.1.example.com 127.0.0 1127.0.0.1'],
  [false, 'localhost.example.com mylocalhost'],
])('loopback: %s for "%s"', (expected, hosts) => {
  for (const host of hosts.split(' ')) expect([host, http.isLoopback(host)]).toEqual([host, expected]);
});

it.each([
  [undefined, 0],
  ['7', 7000],
  ['Thu, 15 Jan 2026 02:11:19 GMT', 7000],
  ['Thu, 15 Jan 2026 02:11:05 GMT', 0],
  ['99999999', 15 * 60_000],
  ['soon', 0],
])('Retry-After %s asks to wait %i ms', (retryAfter, ms) => {
  const headers = { date: 'Thu, 15 Jan 2026 02:11:12 GMT', 'retry-after': retryAfter };
  expect(http.readRetryAfter(headers)).toBe(ms);
});
