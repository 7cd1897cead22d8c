import type { Socket } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { Agent, type Dispatcher } from 'undici';
import type { HttpFault, NoAnswer, ProxyFault } from './domain/outcome.ts';
import { unlessThrown } from './domain/text.ts';
import * as wire from './http/connection.ts';

type Header = string | string[] | undefined;
type HttpHeaders = Readonly<Record<string, Header>>;
/** Of an answer; status 0: it has not begun. */
type Head = { status: number; headers: HttpHeaders };

/** The outcome of one HTTP call. Every network error is a value. */
export type HttpOutcome = { kind: 'answered'; status: number; headers: HttpHeaders; text: string } | NoAnswer;

export type HttpRequest = {
  url: URL;
  method: 'GET' | 'POST' | 'PUT';
  headers?: Record<string, string>;
  body?: string;
};

/** Without `proxyRoute` every way is direct. */
export type UpstreamOptions = wire.TrustOptions & { proxyRoute?: wire.ProxyRoute | undefined };

/** One system that the bot calls: its connections, its trust and its bounds. Redirects are not followed. */
export type Upstream = { call(request: HttpRequest): Promise<HttpOutcome>; close(): Promise<void> };

/** The most bytes of a body, packed and unpacked. */
const MAX_BYTES = 1024 * 1024;

export function createUpstream(way: UpstreamOptions): Upstream {
  const { timeoutMs, proxyRoute } = way;
  const agent = new Agent({
    connect: connectorFor(way),
    allowH2: false,
    maxResponseSize: MAX_BYTES,
    headersTimeout: 0, // The call's own timer bounds both.
    bodyTimeout: 0,
  });

  async function call({ url, method, headers = {}, body }: HttpRequest): Promise<HttpOutcome> {
    const head: Head = { status: 0, headers: {} };
    // Over plain http a proxy gets whole addresses; over https the connection makes a tunnel.
    const proxy = proxyRoute && url.protocol === 'http:' ? wire.proxyFor(proxyRoute, url) : undefined;
    const path = (proxy ? url.origin : '') + url.pathname + url.search;
    const authorization = proxy && wire.proxyAuthorization(proxy);
    const sent = { ...headers, 'accept-encoding': 'gzip', ...authorization };
    const request = { origin: url.origin, path, method, headers: sent, body: body ?? null };
    try {
      const bytes = await roundTrip(agent, request, timeoutMs, head);
      const { status, headers: received } = head;
      // 407 is the proxy's own answer (RFC 9110, section 15.5.8); any other may be the system's.
      const refusal = proxy && status === 407 ? { proxy: proxy.url.host, code: '407' } : undefined;
      if (proxy) proxyRoute?.onProxy?.(refusal);
      if (refusal) throw wire.proxyError(refusal);
      const unpacked = unpack(bytes, received['content-encoding'], MAX_BYTES);
      const decoder = decoderFor(received['content-type']) ?? new TextDecoder();
      return { kind: 'answered', status, headers: received, text: decoder.decode(unpacked) };
    } catch (error) {
      return { kind: 'no answer', fault: faultOf(error, head.status > 0, timeoutMs) };
    }
  }

  return { call, close: () => agent.destroy() };
}

function connectorFor(way: UpstreamOptions) {
  const connect = wire.connectorFor(way);
  return way.proxyRoute ? wire.connectThrough(way.proxyRoute, connect, way.timeoutMs) : connect;
}

/**
 * Sends one request, fills in the head of its answer, and returns the whole body. Uses undici's own handler interface, because
 * `request` spends a third of a call's cost on a stream and a signal for each call.
 * @throws a TimeoutError if no whole answer came in time, or undici's network error
 */
function roundTrip(agent: Agent, request: Dispatcher.DispatchOptions, timeoutMs: number, head: Head) {
  const chunks: Buffer[] = [];
  let controller: Dispatcher.DispatchController | undefined;
  let late: DOMException | undefined;
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();

  const timer = setTimeout(() => {
    late = new DOMException(`no whole answer in ${timeoutMs} ms`, 'TimeoutError');
    controller?.abort(late);
    reject(late);
  }, timeoutMs);

  agent.dispatch(request, {
    onRequestStart(started) {
      controller = started;
      if (late) started.abort(late);
    },
    onResponseStart(_controller, status, headers) {
      if (status >= 200) Object.assign(head, { status, headers }); // Interim answers come before (RFC 9110, section 15.2).
    },
    onResponseData(_controller, chunk) {
      chunks.push(chunk);
    },
    onResponseEnd() {
      clearTimeout(timer);
      resolve(Buffer.concat(chunks));
    },
    onResponseError(_controller, error) {
      clearTimeout(timer);
      reject(error);
    },
  });
  return promise;
}

/** Unpacks a body in gzip, which alone is asked for. Throws zlib's errors: `ERR_BUFFER_TOO_LARGE` beyond `maxOutputLength` bytes. */
export function unpack(packed: Buffer, encoding: Header, maxOutputLength: number): Buffer {
  const isPacked = packed.length > 0 && /^\s*(?:x-)?gzip\s*$/i.test(String(encoding));
  return isPacked ? gunzipSync(packed, { maxOutputLength }) : packed;
}

/** Creates a decoder for the charset that a `Content-Type` names, by default UTF-8; undefined for an unknown one. */
export function decoderFor(contentType: Header, options?: TextDecoderOptions): TextDecoder | undefined {
  const [, charset] = /\bcharset\s*=\s*"?([\w.:-]+)/i.exec(String(contentType ?? '')) ?? [];
  return unlessThrown(RangeError, () => new TextDecoder(charset, options));
}

/** Returns the address of `path` (with its leading slash) under `base`, which may have a path and a trailing slash. */
export function targetUnder(base: URL, path: string): URL {
  const url = new URL(base.origin);
  url.pathname = base.pathname.replace(/\/+$/, '') + path; // Set, not parsed: a path can begin like a host (`//...`).
  return url;
}

const MAX_PAUSE_MS = 15 * 60_000;

/**
 * How long `Retry-After` (seconds or a date; RFC 9110, section 10.2.3) asks to wait, by the answer's `Date`: 0 to 15 minutes in
 * milliseconds. One answer that asks for a day must not silence a room, or a conversation, for a day.
 */
export function readRetryAfter(headers: HttpHeaders): number {
  const text = String(headers['retry-after'] ?? '');
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.parse(String(headers.date));
  return ms > 0 ? Math.min(ms, MAX_PAUSE_MS) : 0;
}

const LATE = new Set<unknown>(['TimeoutError', 'UND_ERR_CONNECT_TIMEOUT']);

function faultOf(error: unknown, begun: boolean, timeoutMs: number): HttpFault {
  const { name, code, proxy } = error as { name?: string; code?: unknown; proxy?: ProxyFault };
  // A silent proxy's own time ends when the call's does: either end may come first.
  const isLate = [name, code, proxy?.code].some((each) => LATE.has(each));
  if (isLate) return { kind: 'timed out', timeoutMs, begun };
  if (proxy) return { kind: 'unreachable', code: 'PROXY', proxy };
  if (name === 'HTTPParserError')
    return begun ? { kind: 'cut off' } : { kind: 'unreachable', code: 'NOT_HTTP' };
  if (typeof code !== 'string' || code === 'UND_ERR_INVALID_ARG') throw error; // Our bug, not a network error.
  if (code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE' || code === 'ERR_BUFFER_TOO_LARGE')
    return { kind: 'too large' };
  const reason = wire.trustFaultOf(code);
  if (reason !== undefined) return { kind: 'untrusted', reason };
  return begun ? { kind: 'cut off' } : { kind: 'unreachable', code };
}

/** Connects as a call would, and sends nothing; over http through a proxy, no further than the proxy. `insecure` trusts anyone. */
export async function probeTls(url: URL, way: UpstreamOptions) {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  connectorFor(way)(wire.peerOf(url), (...[error, socket]) => (error ? reject(error) : resolve(socket)));
  try {
    const socket = await promise;
    const certificate = wire.certificateOf(socket);
    socket.on('error', () => {}).destroy(); // The other side may end the connection first.
    return { kind: 'connected' as const, certificate };
  } catch (error) {
    return { kind: 'no answer' as const, fault: faultOf(error, false, way.timeoutMs) };
  }
}

/** Where replies may go: host names, in which a leading `*.` stands for one or more labels; `loopback` adds this machine. */
export type ServiceHosts = { names: readonly string[]; loopback: boolean };

/** Returns the address of an activity's `serviceUrl` if a reply may be sent there; else undefined. */
export type ServiceGate = (serviceUrl: string) => URL | undefined;

/** Creates a gate. Plain http is for loopback alone. */
export function createServiceGate({ names, loopback }: ServiceHosts): ServiceGate {
  return (serviceUrl) => {
    const url = URL.parse(serviceUrl);
    if (!url || url.username || url.password) return undefined;
    const isLocal = isLoopback(url.hostname);
    if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLocal)) return undefined;
    return (loopback && isLocal) || names.some((name) => matches(url, name.toLowerCase())) ? url : undefined;
  };
}

/** @param name a host, `*.` in front for any labels, `:PORT` behind for a port other than 443; loopback may use any port */
function matches({ hostname, port }: URL, name: string): boolean {
  const [, host = '', wanted = isLoopback(hostname) ? port : '443'] = /^(.*?)(?::(\d+))?$/.exec(name) ?? [];
  if (port !== wanted && (port || '443') !== wanted) return false;
  return host.startsWith('*.') ? hostname.endsWith(host.slice(1)) : hostname === host;
}

/** Whether a host name or address, as in a URL or a listener, stands for this machine itself (RFC 6890, RFC 6761). */
export function isLoopback(host: string): boolean {
  const name = host.replace(/^\[|\]$/g, '').toLowerCase();
  return /^(?:(?:.*\.)?localhost|::1|127(?:\.\d{1,3}){3})$/s.test(name);
}
