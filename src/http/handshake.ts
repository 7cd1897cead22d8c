import type { TLSSocket } from 'node:tls';
import type { NoAnswer } from '../domain/outcome.ts';
import { faultOf } from '../http.ts';
import type { TlsMode } from './tls-mode.ts';
import { connectorFor } from './trust.ts';
import { connectThrough, type WayOut } from './tunnel.ts';

/** A system's certificate: its SHA-256 fingerprint (64 upper-case hexadecimal digits), and its last day. */
export type Certificate = { fingerprint: string; validTo: Date };

/** A connection that was made and closed. Without TLS there is no certificate. */
export type Handshake = { kind: 'connected'; certificate: Certificate | undefined } | NoAnswer;

export type HandshakeOptions = { tls: TlsMode; timeoutMs: number; wayOut?: WayOut | undefined };

/**
 * Connects to a system as a call would, and sends nothing. Over http through a proxy, only the way to the proxy is tried.
 * @param options.tls `insecure` reads the certificate of a system that is not trusted
 */
export function shakeHands(url: URL, { tls, timeoutMs, wayOut }: HandshakeOptions): Promise<Handshake> {
  const direct = connectorFor(tls, timeoutMs);
  const connect = wayOut ? connectThrough(wayOut, direct, timeoutMs) : direct;
  const { protocol, host, port } = url;
  const hostname = url.hostname.replace(/^\[|\]$/g, '');
  return new Promise((resolve, reject) => {
    connect({ protocol, host, hostname, port }, (...[error, socket]) => {
      try {
        if (!error) return resolve(closed(socket));
        const fault = faultOf(error, { begun: false, timeoutMs, maxBytes: 0 });
        resolve({ kind: 'no answer', fault });
      } catch (bug) {
        reject(bug);
      }
    });
  });
}

function closed(socket: Parameters<typeof certificateOf>[0]): Handshake {
  const certificate = certificateOf(socket);
  socket.on('error', () => {}).destroy(); // The other side may end the connection first.
  return { kind: 'connected', certificate };
}

function certificateOf(socket: TLSSocket | import('node:net').Socket): Certificate | undefined {
  const presented = 'getPeerX509Certificate' in socket ? socket.getPeerX509Certificate() : undefined;
  return (
    presented && {
      fingerprint: presented.fingerprint256.replaceAll(':', ''),
      validTo: new Date(presented.validTo),
    }
  );
}
