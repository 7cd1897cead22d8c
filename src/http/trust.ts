import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { buildConnector } from 'undici';
import type { TrustFault } from '../domain/outcome.ts';

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
