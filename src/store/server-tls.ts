import { parse } from 'pg-connection-string';
import { isLoopback } from '../http/hosts.ts';
import type { DatabaseSettings } from './connection.ts';

/** How the connection to a database server is protected; `none needed`: it stays on this machine. */
export type ServerTls = 'none needed' | 'TLS' | 'unchecked TLS' | 'no TLS';

/** Reads a Postgres address with the driver's own parser, which decides what the connection does. */
export function serverTlsOf(database: DatabaseSettings): ServerTls {
  if (!('url' in database)) return 'none needed';
  const { host, ssl } = readAddress(database.url.reveal());
  if (!host || host.startsWith('/') || isLoopback(host)) return 'none needed';
  if (!ssl) return 'no TLS';
  return typeof ssl === 'object' && ssl.rejectUnauthorized === false ? 'unchecked TLS' : 'TLS';
}

/** An address that cannot be read is told when the database is opened; no connection is made with it. */
function readAddress(text: string): Pick<ReturnType<typeof parse>, 'host' | 'ssl'> {
  try {
    return parse(text);
  } catch {
    return { host: URL.canParse(text) ? new URL(text).hostname : null, ssl: false };
  }
}
