import { toPlain } from '../../../dialogs/format/line.ts';
import { formatFor } from '../../../dialogs/format/locale.ts';
import { sayExchangeFault, sayPostFault, verdictOf } from '../../../dialogs/lookup/verdict.ts';
import { systemClock } from '../../app/start.ts';
import type { Upstreams } from '../../app/upstreams.ts';
import { basicAuthorization, createExchanges } from '../../credentials/exchanges.ts';
import type { LookupOutcome, NoAnswer, SessionOutcome } from '../../domain/outcome.ts';
import type { WayOut } from '../../http/proxy.ts';
import type { TlsMode } from '../../http/trust.ts';
import { shakeHands } from '../../http.ts';
import { createEndpoints } from '../../nac/endpoints.ts';
import { NOBODY, sessionPath } from '../../nac/paths.ts';
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
      const wire = await get(upstreams.nac, url, path, basicAuthorization(settings.nac));
      const session = readSessionOutcome(wire);
      isRefused = session.kind === 'refused';
      diagnosis = saySession(session, url.host);
    }
    const system = index === 0 ? 'NAC' : 'NAC (second)';
    findings.push(await withCertificate({ system, ...diagnosis }, { url, tls, prefix: 'NAC' }, examination));
  }
  return findings;
}

/** What a lookup would say. */
function saySession(session: SessionOutcome, host: string): Diagnosis {
  if (session.kind === 'no session') return works(`${host} says "no session" for ${NOBODY}, as it must`);
  if (session.kind === 'found')
    return fails(`${host} shows a session for ${NOBODY}, which no device has`, nextFor(session, NAC));
  const whose = { whose: 'service', restsUntil: undefined } as const;
  const { words, meaning = [] } = verdictOf(
    { asked: NOBODY, address: NOBODY, outcome: { ...whose, ...session } as LookupOutcome },
    FORMAT,
  );
  return fails(`${host}: ${words}. ${toPlain(meaning)}`, nextFor(session, NAC));
}

/** The settings of a system: the prefix of its names, and those that name its place. */
type Named = { prefix: string; place: string };
const NAC: Named = {
  prefix: 'NAC',
  place: 'NAC_URL: it must name the monitoring node itself (MnT), without a path',
};
const WEBHOOK: Named = { prefix: 'WEBHOOK', place: 'WEBHOOK_URL, WEBHOOK_TOKEN and WEBHOOK_FORM' };
const EXCHANGES = {
  authorize: {
    credential: 'API key',
    system: 'authorization service',
    named: { prefix: 'AUTHORIZE', place: 'AUTHORIZE_URL and AUTHORIZE_SDK_PREFIX' },
  },
  ticket: {
    credential: 'ticket',
    system: 'ticket service',
    named: { prefix: 'TICKET', place: 'TICKET_URL' },
  },
} as const;

/** Makes one exchange, and drops what it issues. Returns no row for an exchange that is not configured. */
export async function examineExchange(which: keyof typeof EXCHANGES, examination: Examination) {
  const { settings, upstreams } = examination;
  const { credential, system, named } = EXCHANGES[which];
  const account = settings[which];
  const exchange = createExchanges(settings, upstreams, systemClock.now)[credential];
  if (account === undefined || exchange === undefined) return [];
  const { url, tls } = account;
  const outcome = await exchange(account);
  const diagnosis =
    outcome.kind === 'granted'
      ? works(`${url.host} issues the ${credential}`)
      : fails(sayExchangeFault(credential, outcome), nextFor(outcome, named));
  return [await withCertificate({ system, ...diagnosis }, { url, tls, prefix: named.prefix }, examination)];
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
      ? fails(`${url.host} refuses the account (401 or 403)`, ENDPOINT_CURES.refused)
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
    return fails(`the room is not reached (${shaken.fault.kind})`, nextFor(shaken, WEBHOOK));
  const what = `${url.host} is reached; whether the room takes posts, only a post shows:`;
  return works(`${what}\nnpm run doctor -- --post`);
}

async function postOnce({ host }: URL, { settings, upstreams }: Examination): Promise<Diagnosis> {
  const sender = createSender({ upstream: upstreams.webhook, address: settings.webhook.address });
  const outcome = await sender(TEST_LINE);
  if (outcome.kind === 'posted') return works(`${host} took the post: one line stands in the room`);
  return fails(`the room did not take the post: ${sayPostFault(outcome)}`, nextFor(outcome, WEBHOOK));
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

/** The next step after a call that failed: which settings to check, and what stands between. */
function nextFor(outcome: NoAnswer | { kind: string }, { prefix, place }: Named): string | undefined {
  if (outcome.kind === 'refused' || outcome.kind === 'forbidden')
    return `check ${prefix}_USERNAME and ${prefix}_PASSWORD. Each run tries the account once: correct them first, or the account may get locked`;
  if (!('fault' in outcome)) return `check ${place}; if this is right, ask those who run the system`;
  const { fault } = outcome;
  if (fault.kind === 'untrusted' && fault.reason !== 'no common TLS')
    return `compare the fingerprint below with what the owners of the system say; only if both are equal, set ${prefix}_TLS to that pin. Or name its authority in ${prefix}_TLS=ca:FILE`;
  if (fault.kind === 'unreachable' && fault.proxy) return undefined; // The proxy's own row says it.
  const code = fault.kind === 'unreachable' ? `${fault.code}: ` : '';
  return `${code}check ${place} (name, https or http, port), DNS, the firewall on the way, and whether the system runs`;
}
