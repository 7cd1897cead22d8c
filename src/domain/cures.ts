import type { HttpFault, TrustFault } from './outcome.ts';

/** How the settings of an upstream begin. */
export type Prefix = 'NAC' | 'WEBHOOK' | 'AUTHORIZE' | 'TICKET' | 'ENDPOINTS';

export type Outcome = { kind: string; status?: number; fault?: HttpFault };

const ROLES: Partial<Record<Prefix, string>> = {
  NAC: 'a monitoring role (on Cisco ISE, MnT Admin)',
  ENDPOINTS: 'the role ERS Operator',
};

/** The action of an operator for an upstream that does not do its work. Continues a sentence. */
export function cureFor(prefix: Prefix, { kind, status, fault }: Outcome): string {
  if (fault) return wireCure(prefix, fault);
  const role = ROLES[prefix];
  switch (kind === 'fault' || status === 429 ? status : kind) {
    case 'refused':
      return `check ${prefix}_USERNAME and ${prefix}_PASSWORD${role ? `, and that the account has ${role}` : ''}`;
    case 'forbidden':
      return `give the account ${role ?? 'the right to do this'}`;
    case 404:
    case 'unusable':
      return `check that ${prefix}_URL names the ${prefix === 'NAC' ? 'monitoring node' : 'system'} itself: http or https, the port, and no path behind the host`;
    case 429:
      return 'it gets too many requests: look for what else asks it';
    case 'failed':
      return prefix === 'ENDPOINTS'
        ? 'check ENDPOINTS_URL, and that its interface (Open API or ERS) is on'
        : 'look at the state of that service; the bot tries again for 24 hours';
    case 'not found':
      return `make a new webhook in the room, and paste its whole address into ${prefix}_URL`;
    case 'suspended':
      return `switch the webhook on again in the room, or make a new one and paste its address into ${prefix}_URL`;
    case 'rejected':
    case 'error verdict':
      return `check that ${prefix}_URL is the whole address of the room's webhook; the doctor with --post tries one post`;
  }
  return 'ask those who run the system';
}

function wireCure(prefix: Prefix, fault: HttpFault): string {
  const url = `${prefix}_URL`;
  switch (fault.kind) {
    case 'untrusted':
      return trustCure(prefix, fault.reason);
    case 'timed out':
      return 'the system is overloaded, or a firewall drops the calls';
    case 'cut off':
    case 'too large':
      return `look at what stands between the bot and ${url}: the answer did not come whole`;
    case 'unreachable':
      if (fault.proxy) return 'the proxy on the way lets nothing through; its own line says why';
      return reachCure(url, fault.code);
  }
}

/** @param url the name of the setting that holds the system's address */
export function reachCure(url: string, code: string): string {
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return `check the host name in ${url}, and the DNS of this machine`;
  if (code === 'ECONNREFUSED') return `check the port in ${url}, and whether the system runs`;
  if (code === 'NOT_HTTP') return `check http or https and the port in ${url}: something else answers there`;
  return `check ${url}, the proxy, the firewall on the way, and whether the system runs`;
}

function trustCure(prefix: Prefix, reason: TrustFault): string {
  const tls = `${prefix}_TLS`;
  switch (reason) {
    case 'expired':
      return 'have those who run the system renew the certificate first. If it is still valid, set the clock of this machine';
    case 'wrong host name':
      return `name the system in ${prefix}_URL as its certificate does; else set ${tls} to a pin`;
    case 'wrong pin':
      return `ask those who run the system whether they renewed the certificate; if so, set ${tls} to the fingerprint that the doctor shows`;
    case 'unknown authority':
      return `name the authority's PEM file in ${tls}=ca:FILE; else compare the fingerprint that the doctor shows with that of its owners, and set ${tls} to that pin`;
    case 'no common TLS':
      return `check http or https and the port in ${prefix}_URL, and which versions of TLS the system speaks`;
    case 'not acceptable':
      return `check ${tls} against the system's certificate, which the doctor shows`;
  }
}
