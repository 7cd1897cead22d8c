import type { Upstreams } from '../../app/upstreams.ts';
import { type Certificate, shakeHands } from '../../http/handshake.ts';
import type { ProxyFault } from '../../http/proxies.ts';
import type { TlsMode } from '../../http/tls-mode.ts';
import type { WayOut } from '../../http/tunnel.ts';
import type { Settings } from '../../settings.ts';
import type { Diagnosis } from './finding.ts';
import type { Refusals } from './refusals.ts';
import type { AccountRest } from './server-check.ts';
import type { Watched } from './watch.ts';

/** What the checks of all systems share. */
export type Examination = {
  settings: Settings;
  upstreams: Readonly<Record<keyof Upstreams, Watched>>;
  wayOut: WayOut | undefined;
  /** What proxies have refused so far. */
  proxyFaults: readonly ProxyFault[];
  refusals: Refusals;
  /** The accounts that rest for the bots on the same database. */
  resting: Promise<readonly AccountRest[]>;
  /** Whether accounts are tried although they rest. */
  again: boolean;
  /** Whether one line is posted to the room. */
  post: boolean;
};

/** How long a connection may take that only reads a certificate. */
const READS_WITHIN_MS = 5000;

type Trusted = { url: URL; tls: TlsMode; setting: string; wayOut: WayOut | undefined };

/** Adds the certificate that a system presents, trusted or not, and warns if nobody checks it. */
export async function withCertificate(
  diagnosis: Diagnosis,
  { url, tls, setting, wayOut }: Trusted,
): Promise<Diagnosis> {
  const presented = await readCertificate(url, wayOut);
  if (presented === undefined) return diagnosis;
  const certificate = { presented, setting };
  if (diagnosis.state !== 'works' || tls.kind !== 'insecure') return { ...diagnosis, certificate };
  return {
    state: 'warning',
    what: `${diagnosis.what}\n${setting}=insecure: nobody checks the certificate`,
    next: `if the owners of the system confirm the fingerprint below, set ${setting} to that pin`,
    certificate,
  };
}

/** Reads a certificate on a connection of its own, over which nothing is sent. Returns undefined if there is none. */
async function readCertificate(url: URL, wayOut: WayOut | undefined): Promise<Certificate | undefined> {
  if (url.protocol !== 'https:') return undefined;
  const shaken = await shakeHands(url, { tls: { kind: 'insecure' }, timeoutMs: READS_WITHIN_MS, wayOut });
  return shaken.kind === 'connected' ? shaken.certificate : undefined;
}
