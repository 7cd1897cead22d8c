import { sayProxyFault } from '../../http/proxy-fault.ts';
import type { TrustFault } from '../../http/trust.ts';
import type { HttpFault } from '../../http.ts';
import { type Diagnosis, fails } from './finding.ts';

/** Where a system is, and what says so. */
export type Whereabouts = {
  /** The origin of the address that was asked. */
  origin: string;
  /** The setting of its address; undefined: Microsoft's own address. */
  address: string | undefined;
  /** The setting of its trust; undefined: the machine's authorities judge. */
  tls: string | undefined;
};

/** Says why a system did not answer, and the next step. */
export function sayNoAnswer(fault: HttpFault, at: Whereabouts): Diagnosis {
  const { host } = new URL(at.origin);
  switch (fault.kind) {
    case 'timed out':
      return fails(
        `${host} does not answer within ${fault.timeoutMs / 1000} s (time-out)`,
        `check the firewall on the way to ${host}, and whether the system runs`,
      );
    case 'untrusted':
      return fails(TRUST_WORDS[fault.reason](host), trustAdvice(fault.reason, at));
    case 'unreachable':
      return fault.proxy
        ? fails(`${host} is not reached: ${sayProxyFault(fault.proxy)}`)
        : sayUnreachable(fault.code, at);
    case 'too large':
    case 'cut off':
      return fails(
        `${host} answers, but not to the end (${fault.kind})`,
        `check what stands between, such as a filter; and ${at.address ?? 'the way out (HTTPS_PROXY)'}`,
      );
  }
}

function sayUnreachable(code: string, { origin, address }: Whereabouts): Diagnosis {
  const { host, hostname } = new URL(origin);
  const setting = address ?? 'the way out (HTTPS_PROXY)';
  switch (code) {
    case 'ENOTFOUND':
      return fails(`DNS knows no ${hostname} (${code})`, `check ${setting}, and the DNS of this machine`);
    case 'EAI_AGAIN':
      return fails(`DNS does not answer for ${hostname} (${code})`, 'check the DNS of this machine');
    case 'ECONNREFUSED':
      return fails(`nothing listens at ${host} (${code})`, `check ${setting}, and whether the system runs`);
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return fails(
        `no way leads to ${host} (${code})`,
        'check the network; if a proxy leads out, set HTTPS_PROXY',
      );
    case 'NOT_HTTP':
      return fails(`${host} does not speak HTTP`, `check ${setting}: http or https, and the port`);
    default:
      return fails(
        `${host} ends the connection (${code})`,
        `check the firewall on the way, and ${setting}: http or https, and the port`,
      );
  }
}

const TRUST_WORDS: Readonly<Record<TrustFault, (host: string) => string>> = {
  'unknown authority': (host) => `the certificate of ${host} comes from an authority that is not trusted`,
  'wrong host name': (host) => `the certificate of ${host} is issued for another name`,
  expired: (host) => `the certificate of ${host} has expired, or is not valid yet`,
  'wrong pin': (host) => `the certificate of ${host} does not match its pin`,
  'not acceptable': (host) => `the certificate of ${host} is not acceptable`,
  'no common TLS': (host) => `${host} and the bot have no common TLS`,
};

function trustAdvice(reason: TrustFault, { address, tls }: Whereabouts): string {
  if (reason === 'no common TLS')
    return `check ${address ?? 'the way out'}: https and its port; the system must speak TLS 1.2 or newer`;
  if (tls === undefined)
    return 'if a proxy on the way replaces certificates, name its authority in NODE_EXTRA_CA_CERTS; else check the clock';
  const pin = `compare the fingerprint below with what the owners of the system say; only if both are equal, set ${tls} to that pin`;
  switch (reason) {
    case 'unknown authority':
      return `name the authority in ${tls}=ca:FILE. Or ${pin}`;
    case 'wrong host name':
      return `name the system in ${address} as its certificate does. Or ${pin}`;
    case 'expired':
      return `have the certificate renewed, or set this machine's clock. Or ${pin}`;
    case 'wrong pin':
    case 'not acceptable':
      return `ask the owners whether the certificate is new: ${pin}`;
  }
}
