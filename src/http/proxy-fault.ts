import type { ProxyFault } from '../domain/outcome.ts';
import { trustFaultOf } from './trust.ts';

/** Says which proxy let nothing through, why, and the cure. */
export function sayProxyFault({ proxy, code }: ProxyFault): string {
  return `the proxy ${proxy} lets nothing through: ${causeOf(code)}`;
}

function causeOf(code: string): string {
  if (code === '407')
    return 'it wants a user and a password, or others (407): correct HTTPS_PROXY or HTTP_PROXY';
  if (/^5\d\d$/.test(code)) return `it does not reach the system (${code}): ask those who run the proxy`;
  if (/^\d+$/.test(code))
    return `it refuses the tunnel (${code}): have it allow the system, or name the system in NO_PROXY`;
  if (code === 'NOT_HTTP') return 'it does not answer as an HTTP proxy: check HTTPS_PROXY and HTTP_PROXY';
  const trust = trustFaultOf(code);
  if (trust !== undefined)
    return `its own certificate is refused (${trust}): name its authority in NODE_EXTRA_CA_CERTS`;
  return `it cannot be reached, or ends the connection (${code}): check HTTPS_PROXY and HTTP_PROXY`;
}
