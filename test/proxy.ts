import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse, request as send } from 'node:http';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { onTestFinished } from 'vitest';
import type { ProxyRoute } from '../src/http/connection.ts';
import { listen } from '../src/sandbox/listen.ts';
import { proxiesIn } from '../src/settings/rules.ts';

/** @property account asked for by Basic authentication @property hosts names that only this proxy knows, and ports on loopback */
type TestProxyOptions = { account?: string; hosts?: Readonly<Record<string, string | number>> };

/** The way out through one proxy, for https and http. @param text `NO_PROXY` */
export function wayThrough(
  { url }: { url: string },
  text = '',
  onProxy: ProxyRoute['onProxy'] = () => {},
): ProxyRoute {
  const proxies = proxiesIn({ HTTPS_PROXY: url, HTTP_PROXY: url, NO_PROXY: text });
  if (proxies === undefined) throw new Error(`${url} is no proxy`);
  return { ...proxies, onProxy };
}

/** Hands a request on to a server, and its answer back. @param base for an address without a host */
export function handOn(base: string | undefined, request: IncomingMessage, response: ServerResponse): void {
  const { method, url = '', headers } = request;
  const { 'proxy-authorization': _, ...others } = headers;
  const onwards = send(new URL(url, base), { method, headers: others }, (answer) => {
    response.writeHead(answer.statusCode ?? 0, answer.rawHeaders);
    answer.pipe(response);
  });
  onwards.on('error', () => response.destroy());
  request.pipe(onwards);
}

/**
 * Opens an HTTP proxy on loopback, which closes when the test ends: tunnels (CONNECT), and plain requests in absolute form
 * (RFC 9112, section 3.2.2). `asked`: for what, in order: `CONNECT host:443`, `GET http://host/path`.
 */
export async function openClosingProxy({ account, hosts = {} }: TestProxyOptions = {}) {
  const asked: string[] = [];
  /** Whether it serves, or which status it answers, or nothing ever, or the end of each connection. */
  const state = { mode: 'up' as 'up' | number | 'silent' | 'gone' };

  function refuses({ method, url, headers }: IncomingMessage, socket: Duplex): boolean {
    asked.push(`${method} ${url}`);
    const wanted = account && `Basic ${Buffer.from(account).toString('base64')}`;
    const isLetIn = headers['proxy-authorization'] === wanted;
    const mode = state.mode === 'up' && !isLetIn ? 407 : state.mode;
    if (mode === 'gone') socket.destroy();
    if (typeof mode === 'number') socket.end(`HTTP/1.1 ${mode} No\r\ncontent-length: 0\r\n\r\n`);
    return mode !== 'up';
  }

  const server = createServer((request, response) => {
    if (!refuses(request, request.socket)) handOn(undefined, request, response);
  });

  const tunnels = new Set<Duplex>();
  server.on('connect', async (request, socket) => {
    socket.on('error', () => {});
    tunnels.add(socket);
    if (refuses(request, socket)) return;
    const { hostname, port } = new URL(`https://${request.url}`);
    const known = hosts[hostname];
    const host = known === undefined ? hostname.replace(/^\[|\]$/g, '') : '127.0.0.1';
    const onwards = connect(Number(known ?? (port || 443)), host);
    tunnels.add(onwards);
    onwards.on('error', () => socket.destroy());
    socket.on('close', () => onwards.destroy());
    await once(onwards, 'connect').catch(() => {});
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
    onwards.pipe(socket).pipe(onwards);
  });

  const { url, close } = await listen(server);
  onTestFinished(async () => {
    for (const socket of tunnels) socket.destroy();
    await close();
  });
  return Object.assign(state, { url, asked });
}
