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

/**
 * Reads `verify`, `ca:FILE`, `pin:SHA256[,SHA256]` or `insecure`; colons inside a fingerprint are optional.
 * @returns the mode, or a sentence that says what is wrong with the text
 */
export function parseTlsMode(text: string): TlsMode | string {
  if (text === 'verify' || text === 'insecure') return { kind: text };
  if (text.startsWith('ca:')) return readAuthorities(text.slice('ca:'.length));
  if (text.startsWith('pin:')) return parsePins(text.slice('pin:'.length));
  return 'must be verify, ca:FILE, pin:SHA256 (several with commas) or insecure';
}

function readAuthorities(file: string): TlsMode | string {
  try {
    const pem = readFileSync(file, 'utf8');
    return pem.includes('-----BEGIN CERTIFICATE-----')
      ? { kind: 'ca', pem }
      : `names ${file}, which holds no certificate in PEM form`;
  } catch {
    return `names the file ${file}, which cannot be read`;
  }
}

function parsePins(list: string): TlsMode | string {
  const fingerprints = list.split(',').map((pin) => pin.trim().replaceAll(':', '').toUpperCase());
  return fingerprints.every((pin) => /^[0-9A-F]{64}$/.test(pin))
    ? { kind: 'pin', fingerprints }
    : 'has a pin that is not a SHA-256 fingerprint of 64 hexadecimal digits';
}

/** How undici connects to a system under its TLS mode. @param timeout of connecting, in milliseconds */
export function connectorFor(tls: TlsMode, timeout: number): buildConnector.connector {
  switch (tls.kind) {
    case 'verify':
      return buildConnector({ timeout, allowH2: false });
    case 'ca':
      return buildConnector({ timeout, allowH2: false, ca: tls.pem });
    case 'insecure':
      return buildConnector({ timeout, allowH2: false, rejectUnauthorized: false });
    case 'pin':
      return pinningConnector(tls.fingerprints, timeout);
  }
}

/** Resumes no session, because a resumed session shows no certificate to compare. */
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
      const presented = certificateOf(socket)?.fingerprint;
      const isPlain = options.protocol === 'http:';
      if (isPlain || (presented !== undefined && fingerprints.includes(presented)))
        return callback(null, socket);
      socket.destroy();
      callback(Object.assign(new Error('certificate has another fingerprint'), { code: WRONG_PIN }), null);
    });
}

/** A system's certificate: its SHA-256 fingerprint (64 upper-case hexadecimal digits), and its last day. */
export type Certificate = { fingerprint: string; validTo: Date };

/** Returns the certificate that the other side presented; undefined without TLS. */
export function certificateOf(socket: Socket | TLSSocket): Certificate | undefined {
  const presented = 'getPeerX509Certificate' in socket ? socket.getPeerX509Certificate() : undefined;
  if (presented === undefined) return undefined;
  const fingerprint = presented.fingerprint256.replaceAll(':', '');
  return { fingerprint, validTo: new Date(presented.validTo) };
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

/**
 * The trust fault that an error's code stands for; undefined for any other code. OpenSSL has many more names for a bad
 * certificate; they are bare words, unlike the system's codes and undici's.
 */
export function trustFaultOf(code: string): TrustFault | undefined {
  if (code.startsWith('ERR_SSL_')) return 'no common TLS';
  const isCertificates = /^[A-Z]+_[A-Z_]+$/.test(code) && !/^(?:UND_ERR|ERR|EAI|HPE|Z)_/.test(code);
  return TRUST_FAULTS[code] ?? (isCertificates ? 'not acceptable' : undefined);
}
