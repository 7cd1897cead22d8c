import type { TLSSocket } from 'node:tls';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import { Agent, buildConnector } from 'undici';
import { type Exchanged, exchange } from './http/round-trip.ts';
import type { TlsMode } from './http/tls-mode.ts';

/** What came of one HTTP call. Every way that the wire can fail is a value. */
export type HttpOutcome =
  | { kind: 'answered'; status: number; headers: HttpHeaders; text: string }
  /** More than `maxBytes`, packed or unpacked; the connection was closed. */
  | { kind: 'too large'; maxBytes: number }
  /** No whole answer within `timeoutMs`; `begun` when its head had come and its body did not end. */
  | { kind: 'timed out'; timeoutMs: number; begun: boolean }
  /** The connection ended, or the packed data did, before the answer was whole. */
  | { kind: 'cut off' }
  /** The other side's certificate was refused; no byte of the request was sent. */
  | { kind: 'untrusted'; reason: TrustFault }
  /** No connection, or it ended before an answer began. */
  | { kind: 'unreachable'; code: string };

export type TrustFault =
  | 'not acceptable'
  | 'unknown authority'
  | 'wrong host name'
  | 'expired'
  | 'wrong pin'
  | 'no common TLS';
export type HttpHeaders = Exchanged['headers'];

/** Where a call goes; a URL is one. */
export type Target = Readonly<Pick<URL, 'origin' | 'pathname' | 'search'>>;

export type HttpRequest = {
  url: Target;
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  headers?: Record<string, string>;
  body?: string;
};

export type UpstreamOptions = { tls: TlsMode; timeoutMs: number; maxBytes: number };

/** One system that the bot calls: its connections, its trust and its bounds. Redirects are not followed. */
export type Upstream = {
  call(request: HttpRequest): Promise<HttpOutcome>;
  close(): Promise<void>;
};

/** @param options.timeoutMs of a whole call, connecting included. @param options.maxBytes of an answer's body, unpacked. */
export function createUpstream({ tls, timeoutMs, maxBytes }: UpstreamOptions): Upstream {
  const agent = new Agent({
    connect: connectorFor(tls, timeoutMs),
    allowH2: false,
    maxResponseSize: maxBytes,
    headersTimeout: 0, // The call's own timer bounds both.
    bodyTimeout: 0,
  });

  async function call({ url, method, headers = {}, body }: HttpRequest): Promise<HttpOutcome> {
    let begun = false;
    try {
      const answer = await exchange(
        agent,
        {
          origin: url.origin,
          path: url.pathname + url.search,
          method,
          headers: { ...headers, 'accept-encoding': 'gzip, deflate, br' },
          body: body ?? null,
        },
        timeoutMs,
        () => {
          begun = true;
        },
      );
      const unpacked = unpack(answer.body, answer.headers['content-encoding'], maxBytes);
      const text = decode(unpacked, answer.headers['content-type']);
      return { kind: 'answered', status: answer.status, headers: answer.headers, text };
    } catch (error) {
      return outcomeOf(error, { begun, timeoutMs, maxBytes });
    }
  }

  return { call, close: () => agent.destroy() };
}

/** The address of `path` (with its slash) under a base that may have a path of its own and a slash at its end. */
export function targetUnder(base: URL, path: string): Target {
  return { origin: base.origin, pathname: normalised(base.pathname.replace(/\/+$/, '') + path), search: '' };
}

/** As a URL would have it. Most paths are so already, and a URL takes long to make. */
function normalised(pathname: string): string {
  if (/^(?:\/(?!\.|%2e)[\w.~:%-]*)+$/i.test(pathname)) return pathname;
  const url = new URL('http://localhost');
  url.pathname = pathname; // Set, not parsed: a path can begin like a host (`//...`).
  return url.pathname;
}

/** How long `Retry-After` asks to wait, in milliseconds; seconds or a date (RFC 9110, section 10.2.3), a day at most, else 0. */
export function readRetryAfter(headers: HttpHeaders): number {
  const text = String(headers['retry-after'] ?? '');
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return ms > 0 ? Math.min(ms, 24 * 3_600_000) : 0;
}

function connectorFor(tls: TlsMode, timeout: number): buildConnector.connector | buildConnector.BuildOptions {
  switch (tls.kind) {
    case 'verify':
      return { timeout };
    case 'ca':
      return { timeout, ca: tls.pem };
    case 'insecure':
      return { timeout, rejectUnauthorized: false };
    case 'pin':
      return pinningConnector(tls.fingerprints, timeout);
  }
}

/** Sessions are not resumed, for a resumed one shows no certificate to compare. */
function pinningConnector(fingerprints: readonly string[], timeout: number): buildConnector.connector {
  const connect = buildConnector({
    timeout,
    rejectUnauthorized: false,
    maxCachedSessions: 0,
    allowH2: false,
  });
  return (options, callback) =>
    connect(options, (...[error, socket]) => {
      if (error) return callback(error, null);
      const presented = (socket as TLSSocket).getPeerX509Certificate?.()?.fingerprint256.replaceAll(':', '');
      const isPlain = options.protocol === 'http:';
      if (isPlain || (presented !== undefined && fingerprints.includes(presented)))
        return callback(null, socket);
      socket.destroy();
      callback(Object.assign(new Error('certificate has another fingerprint'), { code: WRONG_PIN }), null);
    });
}

/** By the answer's own charset where it is known, else UTF-8; a byte order mark is dropped. */
function decode(bytes: Buffer, contentType: string | string[] | undefined): string {
  const charset = /charset=\s*"?([\w-]+)/i.exec(String(contentType ?? ''))?.[1] ?? 'utf-8';
  if (/^utf-?8$/i.test(charset)) return UTF_8.decode(bytes);
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return UTF_8.decode(bytes);
  }
}

const UTF_8 = new TextDecoder();

function unpack(packed: Buffer, encoding: string | string[] | undefined, maxOutputLength: number): Buffer {
  if (packed.length === 0) return packed;
  switch (
    String(encoding ?? '')
      .trim()
      .toLowerCase()
  ) {
    case 'gzip':
    case 'x-gzip':
      return gunzipSync(packed, { maxOutputLength });
    case 'deflate':
      return inflateSync(packed, { maxOutputLength });
    case 'br':
      return brotliDecompressSync(packed, { maxOutputLength });
    default:
      return packed;
  }
}

const WRONG_PIN = 'WRONG_PIN';

const TRUST_FAULTS: Readonly<Record<string, TrustFault>> = {
  [WRONG_PIN]: 'wrong pin',
  CERT_HAS_EXPIRED: 'expired',
  CERT_NOT_YET_VALID: 'expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'wrong host name',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'unknown authority',
  SELF_SIGNED_CERT_IN_CHAIN: 'unknown authority',
  UNABLE_TO_GET_ISSUER_CERT: 'unknown authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'unknown authority',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'unknown authority',
  CERT_UNTRUSTED: 'unknown authority',
  CERT_REJECTED: 'unknown authority',
  CERT_SIGNATURE_FAILURE: 'unknown authority',
  INVALID_CA: 'unknown authority',
  INVALID_PURPOSE: 'unknown authority',
  EPROTO: 'no common TLS',
};

/** OpenSSL has many more names for what is wrong with a certificate; unlike the system's and undici's, they are bare words. */
function trustFaultOf(code: string): TrustFault | undefined {
  if (code.startsWith('ERR_SSL_')) return 'no common TLS';
  const isCertificates = /^[A-Z]+_[A-Z_]+$/.test(code) && !/^(?:UND_ERR|ERR|EAI|HPE|Z)_/.test(code);
  return TRUST_FAULTS[code] ?? (isCertificates ? 'not acceptable' : undefined);
}

type CallState = { begun: boolean; timeoutMs: number; maxBytes: number };

function outcomeOf(error: unknown, { begun, timeoutMs, maxBytes }: CallState): HttpOutcome {
  const { name, code } = error as { name?: string; code?: unknown };
  if (name === 'TimeoutError' || code === 'UND_ERR_CONNECT_TIMEOUT')
    return { kind: 'timed out', timeoutMs, begun };
  if (name === 'HTTPParserError')
    return begun ? { kind: 'cut off' } : { kind: 'unreachable', code: 'NOT_HTTP' };
  if (typeof code !== 'string' || code === 'UND_ERR_INVALID_ARG') throw error; // A bug of ours, not of the wire.
  if (code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE' || code === 'ERR_BUFFER_TOO_LARGE')
    return { kind: 'too large', maxBytes };
  const reason = trustFaultOf(code);
  if (reason !== undefined) return { kind: 'untrusted', reason };
  return begun ? { kind: 'cut off' } : { kind: 'unreachable', code };
}
