import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { BlockList, isIP, isIPv6, type Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { buildConnector, Client } from 'undici';
import type { ProxyFault, TrustFault } from '../domain/outcome.ts';
import { type Account, basicAuthorization } from '../domain/secret.ts';

/**
 * How one upstream's certificate is judged.
 * - `verify`: by the machine's trusted authorities (and `NODE_EXTRA_CA_CERTS`), host name included
 * - `ca`: by the authorities in a PEM file alone, host name included
 * - `pin`: by its SHA-256 fingerprint alone (64 upper-case hexadecimal digits each)
 * - `insecure`: not at all
 */
export type TlsMode =
  | { kind: 'verify' }
  | { kind: 'ca'; pem: string }
  | { kind: 'pin'; fingerprints: readonly string[] }
  | { kind: 'insecure' };

/** Reads `verify`, `ca:FILE`, `pin:SHA256[,SHA256]` (colons are optional) or `insecure`, or returns the text's fault. */
export function parseTlsMode(text: string): TlsMode | string {
  if (text === 'verify' || text === 'insecure') return { kind: text };
  if (text.startsWith('ca:')) return readAuthorities(text.slice('ca:'.length));
  if (text.startsWith('pin:')) return parsePins(text.slice('pin:'.length));
  return 'must be verify, ca:FILE, pin:SHA256 (several with commas) or insecure';
}

function readAuthorities(file: string): TlsMode | string {
  try {
    const pem = readFileSync(file, 'utf8');
    const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]*(?:-----END CERTIFICATE-----)?/g) ?? [];
    for (const block of blocks) new X509Certificate(block);
    return blocks.length > 0 ? { kind: 'ca', pem } : `names ${file}, which holds no certificate in PEM form`;
  } catch {
    return `names the file ${file}, which cannot be read, or a certificate in it cannot`;
  }
}

function parsePins(list: string): TlsMode | string {
  const fingerprints = list.split(',').map((pin) => pin.trim().replaceAll(':', '').toUpperCase());
  return fingerprints.every((pin) => /^[0-9A-F]{64}$/.test(pin))
    ? { kind: 'pin', fingerprints }
    : 'has a pin that is not a SHA-256 fingerprint of 64 hexadecimal digits';
}

/** Called after each connection over TLS. @param host without a port @param end of the certificate; undefined: a session was resumed */
export type OnCertificate = (host: string, end: Date | undefined) => void;

/** `timeoutMs`: of a call with its connecting. */
export type TrustOptions = { tls: TlsMode; timeoutMs: number; onCertificate?: OnCertificate | undefined };

/** How undici connects to a system under its TLS mode. */
export function connectorFor({ tls, timeoutMs, onCertificate }: TrustOptions): buildConnector.connector {
  const connect = buildConnector({
    timeout: timeoutMs,
    allowH2: false,
    rejectUnauthorized: tls.kind === 'verify' || tls.kind === 'ca',
    ...(tls.kind === 'ca' && { ca: tls.pem }),
    ...(tls.kind === 'pin' && { maxCachedSessions: 0 }), // A resumed session shows no certificate to compare.
  });
  return (options, callback) =>
    connect(options, (...[error, socket]) => {
      if (error) return callback(error, null);
      if (options.protocol === 'http:') return callback(null, socket);
      const certificate = certificateOf(socket);
      if (tls.kind === 'pin' && !tls.fingerprints.includes(certificate ? fingerprintOf(certificate) : '')) {
        socket.destroy();
        return callback(Object.assign(new Error('another fingerprint'), { code: 'WRONG_PIN' }), null);
      }
      onCertificate?.(options.hostname, certificate?.validToDate);
      callback(null, socket);
    });
}

/** Returns the certificate that the other side presented, whose texts are untrusted; undefined without TLS. */
export function certificateOf(socket: Socket | TLSSocket): X509Certificate | undefined {
  // Before Node 26, getPeerX509Certificate() takes the certificate away: a second call returns the next of the chain, or none.
  const presented = 'getPeerCertificate' in socket ? socket.getPeerCertificate()?.raw : undefined;
  return presented && new X509Certificate(presented);
}

/** SHA-256, as 64 upper-case hexadecimal digits. */
export const fingerprintOf = ({ fingerprint256 }: X509Certificate) => fingerprint256.replaceAll(':', '');

const TRUST_FAULTS: ReadonlyArray<readonly [fault: TrustFault, codes: RegExp]> = [
  ['wrong pin', /^WRONG_PIN$/],
  ['expired', /^CERT_(?:HAS_EXPIRED|NOT_YET_VALID)$/],
  ['wrong host name', /^ERR_TLS_CERT_ALTNAME_INVALID$/],
  ['unknown authority', /SELF_SIGNED|^UNABLE_TO_(?:GET_ISSUER|VERIFY_LEAF)/],
  ['unknown authority', /^(?:CERT_(?:UNTRUSTED|REJECTED|SIGNATURE_FAILURE)|INVALID_(?:CA|PURPOSE))$/],
  ['no common TLS', /^(?:EPROTO$|ERR_SSL_)/],
  // OpenSSL has many more names for a bad certificate: bare words, unlike the system's codes and undici's.
  ['not acceptable', /^(?!(?:UND_ERR|ERR|EAI|HPE|Z)_)[A-Z]+_[A-Z_]+$/],
];

/** Why TLS was refused, by the code of Node's or OpenSSL's error; undefined: the code is no fault of TLS. */
export function trustFaultOf(code: string): TrustFault | undefined {
  return TRUST_FAULTS.find(([, codes]) => codes.test(code))?.[0];
}

/** A proxy: its address without user and password, which stand apart. */
export type ProxyServer = { url: URL; account: Account | undefined };

/** The way out: a proxy for https addresses, one for http addresses, and the hosts that are reached without. */
export type Proxies = { https: ProxyServer | undefined; http: ProxyServer | undefined; isDirect: IsDirect };

/** @property onProxy called after each connection through a proxy, with undefined if the proxy let it through */
export type ProxyRoute = Proxies & { onProxy?: ((fault: ProxyFault | undefined) => void) | undefined };

/** Where a connection goes: `hostname` of an IPv6 address with or without brackets, and a port or ''. */
type Destination = { protocol: string; hostname: string; port: string };

/** Returns the proxy on the way to an address; undefined if the way is direct. Loopback is no exception. */
export function proxyFor(proxies: Proxies, { protocol, hostname, port }: Destination) {
  const isHttps = protocol === 'https:';
  const isDirect = proxies.isDirect(bare(hostname), Number(port || (isHttps ? 443 : 80)));
  return isDirect ? undefined : proxies[isHttps ? 'https' : 'http'];
}

/** The header that carries a proxy's user and password; no header without a user. */
export function proxyAuthorization({ account }: ProxyServer): Record<string, string> {
  return account ? { 'proxy-authorization': basicAuthorization(account) } : {};
}

/** The proxy failed, and not the system behind it. It has a code because undici retries forever after some of its own. */
export const proxyError = (proxy: ProxyFault) =>
  Object.assign(new Error('the proxy lets nothing through'), { code: 'PROXY', proxy });

/**
 * Connects through a proxy where there is one on the way. Over https the proxy makes a tunnel (CONNECT, RFC 9110, section
 * 9.3.6), in which `connect` judges the system's own certificate; undici's ProxyAgent has no place for a pin there. For http,
 * the socket ends at the proxy, because many proxies refuse tunnels to port 80: requests must name the whole address. The
 * machine's authorities judge the proxy's certificate.
 * @param timeout of the way to the proxy, and of its answer, in milliseconds
 */
export function connectThrough(
  route: ProxyRoute,
  connect: buildConnector.connector,
  timeout: number,
): buildConnector.connector {
  const connectToProxy = buildConnector({ timeout, allowH2: false });

  return (options, callback) => {
    const proxy = proxyFor(route, options);
    if (proxy === undefined) return connect(options, callback);

    const fail = (code: string) => {
      const fault = { proxy: proxy.url.host, code };
      route.onProxy?.(fault);
      callback(proxyError(fault), null);
    };
    if (options.protocol === 'http:')
      return connectToProxy(peerOf(proxy.url), (...[error, socket]) =>
        error ? fail(codeOf(error)) : callback(null, socket),
      );
    const name = options.host ?? options.hostname; // `host` has the port behind it, unless that is 443.
    const to = options.port ? name : `${name}:443`;
    const client = new Client(proxy.url.origin, { connect: connectToProxy, allowH2: false });
    const headers = { host: to, ...proxyAuthorization(proxy) };
    const signal = AbortSignal.timeout(timeout);
    client.connect({ path: to, headers, signal }, (error, answer) => {
      void client.destroy(); // The socket belongs to the tunnel.
      if (error) return fail(codeOf(error));
      const httpSocket = answer.socket as Socket;
      if (answer.statusCode >= 200 && answer.statusCode < 300) {
        route.onProxy?.(undefined);
        return connect({ ...options, httpSocket }, callback);
      }
      httpSocket.on('error', () => {}).destroy();
      fail(String(answer.statusCode));
    });
  };
}

/** Returns where a connection goes; `hostname` without the brackets of an IPv6 address. */
export function peerOf({ protocol, host, hostname, port }: URL) {
  return { protocol, host, hostname: bare(hostname), port };
}

const codeOf = ({ name, code }: Error & { code?: unknown }) => (typeof code === 'string' ? code : name);

const bare = (hostname: string) => hostname.replace(/^\[|\]$/g, '');

export const proxyFaultText = ({ proxy, code }: ProxyFault) =>
  `the proxy ${proxy} lets nothing through: ${causeOf(code)}`;

function causeOf(code: string): string {
  const trust = trustFaultOf(code);
  if (code === '407')
    return 'it wants a user and a password, or others (407): correct HTTPS_PROXY or HTTP_PROXY';
  if (/^\d+$/.test(code))
    return `it does not reach the system, or may not (${code}): ask those who run the proxy, or name the system in NO_PROXY`;
  if (trust) return `its own certificate is refused (${trust}): name its authority in NODE_EXTRA_CA_CERTS`;
  return `it cannot be reached, or is no HTTP proxy (${code}): check HTTPS_PROXY and HTTP_PROXY`;
}

/** Whether a host is reached without the proxy. @param host as in a URL, an IPv6 address without brackets */
type IsDirect = (host: string, port: number) => boolean;

/**
 * Reads `NO_PROXY` (curl's `CURLOPT_NOPROXY`, and ports as Node and Go read them). Commas or blanks separate the entries:
 * - `*`: every host
 * - `example.com`, `.example.com`: the host itself, and every host below
 * - `*.example.com`: every host below
 * - `192.0.2.7`, `::1`, `[::1]`, `10.0.0.0/8`, `fd00::/8`: addresses that stand in a URL; no name is resolved
 *
 * `:PORT` behind any of these, with brackets around an IPv6 address, means that port alone.
 * @returns undefined for a text with any other entry
 */
export function parseNoProxy(text: string): IsDirect | undefined {
  const entries = (text.match(/[^\s,]+/g) ?? []).map(parseEntry);
  return entries.every((entry) => entry !== undefined)
    ? (host, port) => entries.some((isDirect) => isDirect(host.replace(/\.$/, ''), port))
    : undefined;
}

function parseEntry(entry: string): IsDirect | undefined {
  const [, host = '', wanted] = isIPv6(entry) ? [entry, entry] : (ENTRY.exec(entry) ?? []);
  const isMeant = parseNetwork(bare(host)) ?? parseDomain(host);
  return isMeant && ((name, port) => (wanted === undefined || Number(wanted) === port) && isMeant(name));
}

/** An address in brackets or a host, which holds a colon only within an IPv6 network; and a port. */
const ENTRY = /^(\[[^\]]+\]|[^:]+|[\da-f:]+\/\d+)(?::(\d{1,5}))?$/i;

function parseNetwork(text: string): ((host: string) => boolean) | undefined {
  const [, address = '', bits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const [family, maxBits] = isIPv6(address) ? (['ipv6', 128] as const) : (['ipv4', 32] as const);
  if (isIP(address) === 0 || Number(bits ?? 0) > maxBits) return undefined;
  const network = new BlockList();
  network.addSubnet(address, Number(bits ?? maxBits), family);
  return (host) => network.check(host, isIPv6(host) ? 'ipv6' : 'ipv4');
}

function parseDomain(text: string): ((host: string) => boolean) | undefined {
  if (text === '*') return () => true;
  const [, start, name] = /^(\*?\.)?((?:[\w-]+\.)*(?!\d+\.?$)[\w-]+)\.?$/.exec(text.toLowerCase()) ?? [];
  return name ? (host) => (host === name && start !== '*.') || host.endsWith(`.${name}`) : undefined;
}
