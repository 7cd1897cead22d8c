import { formatFor } from '../../../dialogs/format/locale.ts';
import { sayExchangeFault, sayPostFault, verdictOf } from '../../../dialogs/lookup/verdict.ts';
import { systemClock } from '../../app/start.ts';
import type { Upstreams } from '../../app/upstreams.ts';
import { basicAuthorization, createExchanges } from '../../credentials/exchanges.ts';
import type { MacAddress } from '../../domain/mac-address.ts';
import type { NoAnswer, SessionOutcome } from '../../domain/outcome.ts';
import type { WayOut } from '../../http/proxy.ts';
import type { TlsMode } from '../../http/trust.ts';
import { shakeHands } from '../../http.ts';
import { createEndpoints } from '../../nac/endpoints.ts';
import { sessionPath } from '../../nac/paths.ts';
import { get, readSessionOutcome } from '../../nac/session-call.ts';
import { ENDPOINT_CURES } from '../../ops/health.ts';
import type { Settings } from '../../settings.ts';
import {
  authorityOf,
  createAppTokens,
  sayTokenFault,
  type TokenOutcome,
} from '../../teams/authentication/app-tokens.ts';
import {
  BOT_FRAMEWORK_METADATA,
  fetchSigningKeys,
  KeysUnavailableError,
} from '../../teams/authentication/channel-token.ts';
import { createSender } from '../../webhook/delivery.ts';
import { type Diagnosis, type Finding, fails, skipped, warning, works } from './table.ts';

/** What the checks of all systems share; `post`: whether one line is posted to the room. */
type Examination = { settings: Settings; upstreams: Upstreams; wayOut: WayOut | undefined; post: boolean };

/** No device has this address, so that every NAC must say "no session". */
const NOBODY = '00:00:00:00:00:00' as MacAddress;
const MONITORING = 'NAC_URL must name the monitoring node itself (MnT), without a path';
const FORMAT = formatFor({}, systemClock.now);

/** Asks each address of the NAC for a session. A second address is not asked with an account that the first refused. */
export async function examineNac(examination: Examination): Promise<Finding[]> {
  const { settings, upstreams } = examination;
  const { addresses, tls, macForm } = settings.nac;
  const findings: Finding[] = [];
  let isRefused = false;
  for (const [index, url] of addresses.entries()) {
    let diagnosis = skipped(`${url.host} is not asked, because the account was refused`);
    if (!isRefused) {
      const path = sessionPath(NOBODY, macForm);
      const session = readSessionOutcome(
        await get(upstreams.nac, url, path, basicAuthorization(settings.nac)),
      );
      isRefused = session.kind === 'refused';
      diagnosis = saySession(session, url.host);
    }
    const system = index === 0 ? 'NAC' : 'NAC (second)';
    findings.push(await withCertificate({ system, ...diagnosis }, { url, tls, prefix: 'NAC' }, examination));
  }
  return findings;
}

function saySession(session: SessionOutcome, host: string): Diagnosis {
  if (session.kind === 'no session') return works(`${host} says "no session" for ${NOBODY}, as it must`);
  if (session.kind === 'found')
    return fails(`${host} shows a session for ${NOBODY}, which no device has`, MONITORING);
  if (session.kind === 'refused') return refused(host, 'NAC');
  const outcome = session.kind === 'forbidden' ? ({ ...session, whose: 'service' } as const) : session;
  const { words } = verdictOf({ asked: NOBODY, address: NOBODY, outcome }, FORMAT);
  const isNotFound = session.kind === 'fault' && session.status === 404;
  const askThem = `ask those who run the NAC. If a balancer stands in front: ${MONITORING}`;
  const next = {
    forbidden: 'give the account a role that may; on Cisco ISE: MnT Admin',
    fault: isNotFound ? MONITORING : askThem,
    unusable: MONITORING,
  };
  return fails(`${host}: ${words}`, nextAfter(session, host, 'NAC', next));
}

/** What each exchange is called, in the table and in the settings, and which of these name its place. */
const EXCHANGES = {
  authorize: {
    credential: 'API key',
    system: 'authorization service',
    prefix: 'AUTHORIZE',
    place: 'AUTHORIZE_URL and AUTHORIZE_SDK_PREFIX',
  },
  ticket: { credential: 'ticket', system: 'ticket service', prefix: 'TICKET', place: 'TICKET_URL' },
} as const;

/** Makes one exchange, and drops what it issues. Returns no row for an exchange that is not configured. */
export async function examineExchange(which: keyof typeof EXCHANGES, examination: Examination) {
  const { settings, upstreams } = examination;
  const { credential, system, prefix, place } = EXCHANGES[which];
  const account = settings[which];
  const exchange = createExchanges(settings, upstreams, systemClock.now)[credential];
  if (account === undefined || exchange === undefined) return [];
  const { url, tls } = account;
  const outcome = await exchange(account);
  const check = `check ${place}; if they are right, ask those who run the service`;
  const next = {
    forbidden: 'have the account allowed, by those who run the service',
    redirected: `set ${place} to the service's own address`,
    fault: check,
    'no credential': check,
  };
  const diagnosis =
    outcome.kind === 'granted'
      ? works(`${url.host} issues ${credential === 'ticket' ? 'a ticket' : 'an API key'}`)
      : outcome.kind === 'refused'
        ? refused(url.host, prefix)
        : fails(sayExchangeFault(credential, outcome), nextAfter(outcome, url.host, prefix, next));
  return [await withCertificate({ system, ...diagnosis }, { url, tls, prefix }, examination)];
}

/** Asks for the record of a device that does not exist. Returns no row for an administration node that is not configured. */
export async function examineEndpoints(examination: Examination): Promise<Finding[]> {
  const { endpoints: account } = examination.settings;
  if (account === undefined) return [];
  const { url, tls } = account;
  const ends: string[] = [];
  const find = createEndpoints({
    upstream: examination.upstreams.endpoints,
    url,
    authorization: () => basicAuthorization(account),
    lockout: { guard: (call) => call(), until: () => undefined },
    onEnd: (end) => ends.push(end),
    now: systemClock.steady,
  });
  await find(NOBODY, 'doctor');
  const diagnosis = ends.includes('read')
    ? works(`${url.host} says that it has no record of ${NOBODY}, as it must`)
    : ends.includes('refused')
      ? refused(url.host, 'ENDPOINTS')
      : warning(`${url.host} does not tell devices' own records`, ENDPOINT_CURES.failed);
  const trusted = { url, tls, prefix: 'ENDPOINTS' };
  return [await withCertificate({ system: 'administration node', ...diagnosis }, trusted, examination)];
}

const TEST_LINE = 'This is a test of nac-lookup-bot (npm run doctor -- --post). There is nothing to do.';

/** Connects to the room's webhook as a post would, and posts only if that was asked for. */
export async function examineWebhook(examination: Examination): Promise<Finding[]> {
  const { address, tls } = examination.settings.webhook;
  const trusted = { url: address().base, tls, prefix: 'WEBHOOK' };
  const diagnosis = await (examination.post ? postOnce : connectOnce)(trusted.url, examination);
  return [await withCertificate({ system: 'webhook', ...diagnosis }, trusted, examination)];
}

async function connectOnce(url: URL, { settings, wayOut }: Examination): Promise<Diagnosis> {
  const shaken = await shakeHands(url, { tls: settings.webhook.tls, timeoutMs: CONNECTS_WITHIN_MS, wayOut });
  if (shaken.kind === 'no answer')
    return fails(
      `the room is not reached (${shaken.fault.kind})`,
      nextAfter(shaken, url.host, 'WEBHOOK', {}),
    );
  const what = `${url.host} is reached; whether the room takes posts, only a post shows:`;
  return works(`${what}\nnpm run doctor -- --post`);
}

async function postOnce({ host }: URL, { settings, upstreams }: Examination): Promise<Diagnosis> {
  const sender = createSender({ upstream: upstreams.webhook, address: settings.webhook.address });
  const outcome = await sender(TEST_LINE);
  if (outcome.kind === 'posted') return works(`${host} took the post: one line stands in the room`);
  const again = 'try again; if it stays, ask those who run the chat';
  const next = {
    'not found': 'make a new webhook in the room, and set WEBHOOK_URL to its whole address',
    rejected: 'check WEBHOOK_FORM (v2 or legacy), WEBHOOK_URL and WEBHOOK_TOKEN',
    'error verdict': again,
    failed: again,
  };
  const what = `the room did not take the post: ${sayPostFault(outcome)}`;
  return fails(what, nextAfter(outcome, host, 'WEBHOOK', next));
}

/** Gets one token for replies, and drops it. Returns no row while authentication is off. */
export async function examineAuthority({ settings, upstreams }: Examination): Promise<Finding[]> {
  const { identity } = settings;
  if (identity === undefined) return [];
  const outcomes: TokenOutcome[] = [];
  const note = (outcome: TokenOutcome) => void outcomes.push(outcome);
  const tokens = createAppTokens(identity, upstreams.authority, systemClock.now, note);
  await tokens.get().catch(() => {}); // The outcome tells more than the error.
  const [outcome = { kind: 'failed' }] = outcomes;
  const issuer = identity.type === 'UserAssignedMSI' ? 'this machine' : authorityOf(identity).host;
  const diagnosis =
    outcome.kind === 'issued'
      ? works(`${issuer} issues tokens for replies`)
      : fails(`no token: ${sayTokenFault(outcome)}`);
  return [{ system: 'token authority', ...diagnosis }];
}

/** Fetches the keys that sign the channel's tokens. Returns no row while authentication is off. */
export async function examineKeys({ settings, upstreams }: Examination): Promise<Finding[]> {
  if (settings.identity === undefined) return [];
  const metadata = settings.identity.openIdMetadata;
  const { host } = metadata ?? BOT_FRAMEWORK_METADATA;
  const next = `check ${metadata ? 'BotOpenIdMetadata' : 'the way out (HTTPS_PROXY)'}; without keys, no message is accepted`;
  const diagnosis = await fetchSigningKeys({ upstream: upstreams.keys, metadata }).then(
    ({ size }) =>
      size > 0
        ? works(`${host} publishes ${size} that can be used`)
        : fails(`${host} publishes no key that can be used`, next),
    (error: unknown) => {
      if (!(error instanceof KeysUnavailableError)) throw error;
      return fails(`the keys cannot be fetched from ${host} (${error.message})`, next);
    },
  );
  return [{ system: 'signing keys', ...diagnosis }];
}

function refused(host: string, prefix: string): Diagnosis {
  return fails(
    `${host} refuses the user name or the password (401)`,
    `check ${prefix}_USERNAME and ${prefix}_PASSWORD, and that the account is an internal one and not locked. Each run tries the account once: correct the settings first, or the account may get locked`,
  );
}

const CONNECTS_WITHIN_MS = 10_000;

/** Adds the certificate that a system presents, trusted or not, and warns if nobody checks it. */
async function withCertificate(
  finding: Finding,
  { url, tls, prefix }: { url: URL; tls: TlsMode; prefix: string },
  { wayOut }: Examination,
): Promise<Finding> {
  if (url.protocol !== 'https:') return finding;
  // A connection of its own, over which nothing is sent.
  const shaken = await shakeHands(url, { tls: { kind: 'insecure' }, timeoutMs: CONNECTS_WITHIN_MS, wayOut });
  if (shaken.kind !== 'connected' || shaken.certificate === undefined) return finding;
  const setting = `${prefix}_TLS`;
  const shown = { ...finding, certificate: { presented: shaken.certificate, setting } };
  if (finding.state !== 'works' || tls.kind !== 'insecure') return shown;
  const what = `${finding.what}\n${setting}=insecure: nobody checks the certificate`;
  const next = `if the owners of the system confirm the fingerprint below, set ${setting} to that pin`;
  return { ...shown, ...warning(what, next) };
}

/**
 * Returns the next step after a call that failed; undefined if the words on the fault say the cure too.
 * @param prefix of the settings that name the system's address and trust
 * @param next the step after each kind of answer
 */
function nextAfter<Kind extends string>(
  outcome: NoAnswer | { kind: Kind },
  host: string,
  prefix: string,
  next: Record<Exclude<Kind, 'no answer' | 'refused'>, string>,
): string | undefined {
  if (!('fault' in outcome)) return next[outcome.kind as keyof typeof next];
  const { fault } = outcome;
  switch (fault.kind) {
    case 'timed out':
      return `check the firewall on the way to ${host}, and whether the system runs`;
    case 'too large':
    case 'cut off':
      return `check what stands between, such as a filter; and ${prefix}_URL`;
    case 'unreachable':
      return fault.proxy
        ? undefined
        : `${fault.code}: check ${prefix}_URL (name, http or https, port), DNS, the firewall on the way to ${host}, and whether the system runs`;
    case 'untrusted':
      return fault.reason === 'no common TLS'
        ? `check ${prefix}_URL: https and its port; the system must speak TLS 1.2 or newer`
        : `compare the fingerprint below with what the owners of the system say; only if both are equal, set ${prefix}_TLS to that pin. Or name its authority in ${prefix}_TLS=ca:FILE`;
  }
}
