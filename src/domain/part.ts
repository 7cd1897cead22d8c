import type { HttpFault, TrustFault } from './outcome.ts';

/**
 * The bot's database, a system that it calls, or a certificate, for `/readyz`, the metric `upstream_failing`, the log and `status`.
 * `state`: `ok`, `not asked yet`, or the fault: `failing`, unless there is a better word. `since`: when it began, and `at`: when it
 * was last seen (milliseconds since 1970); undefined: not asked yet. `why`: the outcome's name. `cure`: the action of an operator.
 */
export type Part = { part: string; state: string; since?: number; at?: number; why?: string; cure?: string };

/** `detail` is for the log alone. */
export type PartFault = { state?: string; why?: string; cure: string; detail?: object };

export const isUnknown = ({ state }: Part) => state === 'not asked yet';
export const isFailing = ({ state }: Part) => state !== 'ok' && state !== 'not asked yet';

const EXPIRING_MS = 14 * 86_400_000;

/**
 * The fault of a certificate that has ended, or ends within 14 days; undefined: it holds longer.
 * @param validTo its end, and `now`: milliseconds since 1970
 * @param tls the name of the upstream's TLS setting
 */
export function certificateFault(validTo: number, now: number, tls: string): PartFault | undefined {
  if (validTo - now > EXPIRING_MS) return undefined;
  const day = new Date(validTo).toISOString().slice(0, 10);
  const renew = `have the system's certificate renewed; where ${tls} is a pin, set the new fingerprint then`;
  return { state: `${validTo > now ? 'ends' : 'ended'} on ${day}`, cure: renew };
}

/** How the settings of an upstream begin. */
export type Prefix = 'NAC' | 'WEBHOOK' | 'AUTHORIZE' | 'TICKET' | 'ENDPOINTS';

export type Outcome = { kind: string; status?: number; fault?: HttpFault };

/** The NAC counts its active sessions, and has none. Source: Cisco ISE's monitoring node has what the other nodes log to it. */
export const NO_SESSIONS = {
  state: 'no active session at all',
  cure: 'its monitoring node may have stopped receiving logs. Those who run the NAC can check that node, and where the others log to',
};

/** The action of an operator for an upstream that does not do its work. Continues a sentence. */
export function cureFor(prefix: Prefix, { kind, status, fault }: Outcome): string {
  if (fault?.kind === 'unreachable' && !fault.proxy)
    return (CURES[fault.code] ?? CURES.unreachable).replaceAll('X_', `${prefix}_`);
  const answer = kind === 'fault' || status === 429 ? `${status}` : kind;
  const wire = fault?.kind === 'untrusted' ? fault.reason : fault?.kind;
  const name = wire === 'unreachable' ? 'proxy' : (wire ?? answer);
  const cure = CURES[`${prefix} ${name}`] ?? CURES[name] ?? 'ask those who run the system';
  return cure.replaceAll('X_', `${prefix}_`);
}

const ADDRESS = 'itself: http or https, the port, and no path behind the host';
const NOT_WHOLE = 'look at what stands between the bot and X_URL: the answer did not come whole';
const WEBHOOK =
  "check that X_URL is the whole address of the room's webhook; the doctor with --post tries one post";

type Wire = TrustFault | Exclude<HttpFault['kind'], 'untrusted'>;

/** By the outcome's kind, its status or the fault's name, and first by the upstream with it. `X_` stands for the upstream's prefix. */
const CURES: Readonly<Record<string, string> & Record<Wire, string>> = {
  refused: 'check X_USERNAME and X_PASSWORD',
  'NAC refused':
    'check X_USERNAME and X_PASSWORD, and that the account has a monitoring role (on Cisco ISE, MnT Admin)',
  'ENDPOINTS refused': 'check X_USERNAME and X_PASSWORD, and that the account has the role ERS Operator',
  forbidden: 'give the account the right to do this',
  'NAC forbidden': 'give the account a monitoring role (on Cisco ISE, MnT Admin)',
  'ENDPOINTS forbidden': 'give the account the role ERS Operator',
  404: `check that X_URL names the system ${ADDRESS}`,
  unusable: `check that X_URL names the system ${ADDRESS}`,
  'NAC 404': `check that X_URL names the monitoring node ${ADDRESS}`,
  'NAC unusable': `check that X_URL names the monitoring node ${ADDRESS}`,
  429: 'it gets too many requests: look for what else asks it',
  failed: 'look at the state of that service; the bot tries again for 24 hours',
  'ENDPOINTS failed': 'check X_URL, and that its interface (Open API or ERS) is on',
  'not found': 'make a new webhook in the room, and paste its whole address into X_URL',
  suspended: 'switch the webhook on again in the room, or make a new one and paste its address into X_URL',
  rejected: WEBHOOK,
  'error verdict': WEBHOOK,
  'timed out': 'the system is overloaded, or a firewall drops the calls',
  'cut off': NOT_WHOLE,
  'too large': NOT_WHOLE,
  proxy: 'the proxy on the way lets nothing through; its own line says why',
  ENOTFOUND: 'check the host name in X_URL, and the DNS of this machine',
  EAI_AGAIN: 'check the host name in X_URL, and the DNS of this machine',
  ECONNREFUSED: 'check the port in X_URL, and whether the system runs',
  NOT_HTTP: 'check http or https and the port in X_URL: something else answers there',
  unreachable: 'check X_URL, the proxy, the firewall on the way, and whether the system runs',
  expired:
    'have those who run the system renew the certificate first. If it is still valid, set the clock of this machine',
  'wrong host name': 'name the system in X_URL as its certificate does; else set X_TLS to a pin',
  'wrong pin':
    'ask those who run the system whether they renewed the certificate; if so, set X_TLS to the fingerprint that the doctor shows',
  'unknown authority':
    "name the authority's PEM file in X_TLS=ca:FILE; else compare the fingerprint that the doctor shows with that of its owners, and set X_TLS to that pin",
  'no common TLS': 'check http or https and the port in X_URL, and which versions of TLS the system speaks',
  'not acceptable': "check X_TLS against the system's certificate, which the doctor shows",
};
