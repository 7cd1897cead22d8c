import { Agent, type buildConnector } from 'undici';
import type { HttpFault, NoAnswer } from './domain/outcome.ts';
import {
  connectThrough,
  ProxyError,
  type ProxyServer,
  placeOf,
  plainProxyFor,
  proxyAuthorization,
  type WayOut,
} from './http/proxy.ts';
import { decode, type RoundTrip, roundTrip, unpack } from './http/round-trip.ts';
import { type Certificate, certificateOf, connectorFor, type TlsMode, trustFaultOf } from './http/trust.ts';

/** A whole answer of any status. */
export type HttpAnswer = { kind: 'answered'; status: number; headers: HttpHeaders; text: string };

/** The outcome of one HTTP call. Every network error is a value. */
export type HttpOutcome = HttpAnswer | NoAnswer;

export type HttpHeaders = RoundTrip['headers'];

/** Where a call goes; a URL is a target. */
export type Target = Readonly<Pick<URL, 'origin' | 'pathname' | 'search'>>;

export type HttpRequest = {
  url: Target;
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  headers?: Record<string, string>;
  body?: string;
};

/** `timeoutMs` is for a whole call with its connecting, `maxBytes` for an unpacked body; without `wayOut` every way is direct. */
export type UpstreamOptions = {
  tls: TlsMode;
  timeoutMs: number;
  maxBytes: number;
  wayOut?: WayOut | undefined;
};

/** One system that the bot calls: its connections, its trust and its bounds. Redirects are not followed. */
export type Upstream = { call(request: HttpRequest): Promise<HttpOutcome>; close(): Promise<void> };

export function createUpstream({ tls, timeoutMs, maxBytes, wayOut }: UpstreamOptions): Upstream {
  const agent = new Agent({
    connect: connectorOn({ tls, timeoutMs, wayOut }),
    allowH2: false,
    maxResponseSize: maxBytes,
    headersTimeout: 0, // The call's own timer bounds both.
    bodyTimeout: 0,
  });

  async function call({ url, method, headers = {}, body }: HttpRequest): Promise<HttpOutcome> {
    let begun = false;
    const proxy = wayOut && plainProxyFor(wayOut.proxies, url.origin);
    const path = (proxy ? url.origin : '') + url.pathname + url.search;
    const all = {
      ...headers,
      'accept-encoding': 'gzip, deflate, br',
      ...(proxy && proxyAuthorization(proxy)),
    };
    const request = { origin: url.origin, path, method, headers: all, body: body ?? null };
    try {
      const answer = await roundTrip(agent, request, timeoutMs, () => {
        begun = true;
      });
      if (proxy && wayOut) notePlainAnswer(wayOut, proxy, answer.status);
      const unpacked = unpack(answer.body, answer.headers['content-encoding'], maxBytes);
      const text = decode(unpacked, answer.headers['content-type']);
      return { kind: 'answered', status: answer.status, headers: answer.headers, text };
    } catch (error) {
      return { kind: 'no answer', fault: faultOf(error, { begun, timeoutMs, maxBytes }) };
    }
  }

  return { call, close: () => agent.destroy() };
}

type Way = Omit<UpstreamOptions, 'maxBytes'>;

function connectorOn({ tls, timeoutMs, wayOut }: Way): buildConnector.connector {
  const connect = connectorFor(tls, timeoutMs);
  return wayOut ? connectThrough(wayOut, connect, timeoutMs) : connect;
}

/** 407 is the proxy's own answer (RFC 9110, section 15.5.8); any other may be the system's. @throws ProxyError */
function notePlainAnswer({ onProxy }: WayOut, { url }: ProxyServer, status: number): void {
  const fault = status === 407 ? { proxy: url.host, code: '407' } : undefined;
  onProxy(fault);
  if (fault) throw new ProxyError(fault);
}

/** Returns the address of `path` (with its leading slash) under `base`, which may have a path and a trailing slash. */
export function targetUnder(base: URL, path: string): Target {
  return { origin: base.origin, pathname: normalised(base.pathname.replace(/\/+$/, '') + path), search: '' };
}

/** Returns the path as a URL writes it. Most paths need no change, and a URL is slow to create. */
function normalised(pathname: string): string {
  if (/^(?:\/(?!\.|%2e)[\w.~:%-]*)+$/i.test(pathname)) return pathname;
  const url = new URL('http://localhost');
  url.pathname = pathname; // Set, not parsed: a path can begin like a host (`//...`).
  return url.pathname;
}

/** How long `Retry-After` (seconds or a date; RFC 9110, section 10.2.3) asks to wait: 0 to a day in ms, by the answer's `Date`. */
export function readRetryAfter(headers: HttpHeaders): number {
  const text = String(headers['retry-after'] ?? '');
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.parse(String(headers.date));
  return ms > 0 ? Math.min(ms, 24 * 3_600_000) : 0;
}

type CallState = { begun: boolean; timeoutMs: number; maxBytes: number };

/** Reads an error of a call. Throws the error again if it is no network error. */
function faultOf(error: unknown, { begun, timeoutMs, maxBytes }: CallState): HttpFault {
  if (error instanceof ProxyError) return { kind: 'unreachable', code: error.code, proxy: error.fault };
  const { name, code } = error as { name?: string; code?: unknown };
  if (name === 'TimeoutError' || code === 'UND_ERR_CONNECT_TIMEOUT')
    return { kind: 'timed out', timeoutMs, begun };
  if (name === 'HTTPParserError')
    return begun ? { kind: 'cut off' } : { kind: 'unreachable', code: 'NOT_HTTP' };
  if (typeof code !== 'string' || code === 'UND_ERR_INVALID_ARG') throw error; // Our bug, not a network error.
  if (code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE' || code === 'ERR_BUFFER_TOO_LARGE')
    return { kind: 'too large', maxBytes };
  const reason = trustFaultOf(code);
  if (reason !== undefined) return { kind: 'untrusted', reason };
  return begun ? { kind: 'cut off' } : { kind: 'unreachable', code };
}

/** A connection that was made and closed. Without TLS there is no certificate. */
type Handshake = { kind: 'connected'; certificate: Certificate | undefined } | NoAnswer;

/** Connects as a call would, and sends nothing; over http through a proxy, no further than the proxy. `insecure` trusts anyone. */
export function shakeHands(url: URL, options: Way): Promise<Handshake> {
  return new Promise((resolve, reject) => {
    connectorOn(options)(placeOf(url), (...[error, socket]) => {
      try {
        if (error)
          return resolve({
            kind: 'no answer',
            fault: faultOf(error, { begun: false, maxBytes: 0, ...options }),
          });
        const certificate = certificateOf(socket);
        socket.on('error', () => {}).destroy(); // The other side may end the connection first.
        resolve({ kind: 'connected', certificate });
      } catch (bug) {
        reject(bug);
      }
    });
  });
}
