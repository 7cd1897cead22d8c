import type { TLSSocket } from 'node:tls';
import { buildConnector } from 'undici';
import type { TrustFault } from '../domain/outcome.ts';
import type { TlsMode } from './tls-mode.ts';

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
      const presented = (socket as TLSSocket).getPeerX509Certificate?.()?.fingerprint256.replaceAll(':', '');
      const isPlain = options.protocol === 'http:';
      if (isPlain || (presented !== undefined && fingerprints.includes(presented)))
        return callback(null, socket);
      socket.destroy();
      callback(Object.assign(new Error('certificate has another fingerprint'), { code: WRONG_PIN }), null);
    });
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
