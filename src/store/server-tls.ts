import { isLoopback } from '../http/hosts.ts';
import type { DatabaseSettings } from './engine.ts';

/** How the connection to a database server is protected; `none needed`: it stays on this machine. */
export type ServerTls = 'none needed' | 'TLS' | 'no TLS';

/** Reads `sslmode` of a Postgres address, as its driver does (node-postgres, "SSL"): every mode but `disable` asks for TLS. */
export function serverTlsOf(database: DatabaseSettings): ServerTls {
  if (!('url' in database)) return 'none needed';
  const text = database.url.reveal();
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) return 'no TLS';
  const host = url.searchParams.get('host') ?? url.hostname;
  if (host === '' || host.startsWith('/') || isLoopback(host)) return 'none needed';
  const mode = url.searchParams.get('sslmode') ?? 'disable';
  return mode === 'disable' || mode === 'allow' || mode === 'prefer' ? 'no TLS' : 'TLS';
}
