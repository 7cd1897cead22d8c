import type { HttpFault } from '../../domain/outcome.ts';
import type { Watched } from './examine.ts';

/**
 * Returns the next step after a call without an answer; undefined if the last call was answered, or its words say the cure.
 * @param prefix of the settings that name the system's address and trust; undefined for Microsoft's own systems
 */
export function nextFor(
  upstream: Pick<Watched, 'lastFault'>,
  { host }: URL,
  prefix?: string,
): string | undefined {
  const fault = upstream.lastFault();
  return fault && nextAfter(fault, host, prefix);
}

export function nextAfter(fault: HttpFault, host: string, prefix?: string): string | undefined {
  const setting = prefix === undefined ? 'the way out (HTTPS_PROXY)' : `${prefix}_URL`;
  switch (fault.kind) {
    case 'timed out':
      return `check the firewall on the way to ${host}, and whether the system runs`;
    case 'too large':
    case 'cut off':
      return `check what stands between, such as a filter; and ${setting}`;
    case 'unreachable':
      return fault.proxy
        ? undefined
        : `${fault.code}: check ${setting} (name, http or https, port), DNS, the firewall on the way to ${host}, and whether the system runs`;
    case 'untrusted':
      if (fault.reason === 'no common TLS')
        return `check ${setting}: https and its port; the system must speak TLS 1.2 or newer`;
      return prefix === undefined
        ? 'if a proxy on the way replaces certificates, name its authority in NODE_EXTRA_CA_CERTS; else check the clock'
        : `compare the fingerprint below with what the owners of the system say; only if both are equal, set ${prefix}_TLS to that pin. Or name its authority in ${prefix}_TLS=ca:FILE`;
  }
}
