import { formatFor } from '../../../dialogs/format/locale.ts';
import { sayExchangeFault, sayPostFault, verdictOf } from '../../../dialogs/lookup/verdict.ts';
import { systemClock } from '../../app/clock.ts';
import type { Upstreams } from '../../app/upstreams.ts';
import { createExchanges } from '../../credentials/exchanges.ts';
import { basicAuthorization } from '../../credentials/service-account.ts';
import type { MacAddress } from '../../domain/mac-address.ts';
import type { SessionOutcome } from '../../domain/outcome.ts';
import type { WayOut } from '../../http/proxy.ts';
import type { TlsMode } from '../../http/trust.ts';
import { shakeHands } from '../../http.ts';
import { get, sessionPath } from '../../nac/get.ts';
import { readSessionOutcome } from '../../nac/session-call.ts';
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
} from '../../teams/authentication/signing-keys.ts';
import { createSender } from '../../webhook/sender.ts';
import { nextAfter, nextFor } from './advice.ts';
import type { Watched } from './examine.ts';
import { type Diagnosis, type Finding, fails, skipped, works } from './table.ts';

/** What the checks of all systems share. */
export type Examination = {
  settings: Settings;
  upstreams: Readonly<Record<keyof Upstreams, Watched>>;
  wayOut: WayOut | undefined;
  /** Whether one line is posted to the room. */
  post: boolean;
};

const CONNECTS_WITHIN_MS = 10_000;

/** No device has this address, so that every NAC must say "no session". */
const NOBODY = '00:00:00:00:00:00' as MacAddress;
const MONITORING = 'NAC_URL must name the monitoring node itself (MnT), without a path';

/** Asks each address of the NAC for a session. A second address is not asked with an account that the first refused. */
export async function examineNac(examination: Examination): Promise<Finding[]> {
  const { addresses, tls } = examination.settings.nac;
  const findings: Finding[] = [];
  let isRefused = false;
  for (const [index, url] of addresses.entries()) {
    let diagnosis = skipped(`${url.host} is not asked, because the account was refused`);
    if (!isRefused) ({ diagnosis, isRefused } = await askForNobody(url, examination));
    const system = index === 0 ? 'NAC' : 'NAC (second)';
    findings.push({
      system,
      ...(await withCertificate(diagnosis, { url, tls, prefix: 'NAC' }, examination)),
    });
  }
  return findings;
}

async function askForNobody(url: URL, { settings, upstreams }: Examination) {
  const { username, password, macForm } = settings.nac;
  const authorization = basicAuthorization({ username, password });
  const wire = await get(upstreams.nac, url, sessionPath(NOBODY, macForm), authorization);
  const session = readSessionOutcome(wire);
  const next = nextForNac(session) ?? nextFor(upstreams.nac, url, 'NAC');
  return { diagnosis: saySession(session, url.host, next), isRefused: session.kind === 'refused' };
}

function saySession(session: SessionOutcome, host: string, next: string | undefined): Diagnosis {
  switch (session.kind) {
    case 'no session':
      return works(`${host} says "no session" for ${NOBODY}, as it must`);
    case 'found':
      return fails(`${host} shows a session for ${NOBODY}, which no device has`, MONITORING);
    case 'refused':
      return sayRefused(host, 'NAC');
    default: {
      const outcome = session.kind === 'forbidden' ? ({ ...session, whose: 'service' } as const) : session;
      const { words } = verdictOf({ asked: NOBODY, address: NOBODY, outcome }, FORMAT);
      return fails(`${host}: ${words}`, next);
    }
  }
}

const FORMAT = formatFor({}, systemClock.now);

/** Undefined: no whole answer came. */
function nextForNac(session: SessionOutcome): string | undefined {
  if (session.kind === 'forbidden') return 'give the account a role that may; on Cisco ISE: MnT Admin';
  if (session.kind === 'fault' && session.status !== 404)
    return `ask those who run the NAC. If a balancer stands in front: ${MONITORING}`;
  return session.kind === 'fault' || session.kind === 'unusable' ? MONITORING : undefined;
}

/** What each exchange is called, in the table and in the settings. */
const EXCHANGES = {
  authorize: { credential: 'API key', system: 'authorization service', prefix: 'AUTHORIZE' },
  ticket: { credential: 'ticket', system: 'ticket service', prefix: 'TICKET' },
} as const;

/** Makes one exchange, and drops what it issues. Returns no row for an exchange that is not configured. */
export async function examineExchange(
  which: keyof typeof EXCHANGES,
  examination: Examination,
): Promise<Finding[]> {
  const { settings, upstreams } = examination;
  const account = settings[which];
  if (account === undefined) return [];
  const { credential, system, prefix } = EXCHANGES[which];
  const { url, tls } = account;
  const outcome = await createExchanges(settings, upstreams, systemClock.now)[credential]?.(account);
  if (outcome === undefined) throw new TypeError('a configured exchange exists');
  const where = which === 'ticket' ? 'TICKET_URL' : 'AUTHORIZE_URL and AUTHORIZE_SDK_PREFIX';
  const next = NEXT_FOR_EXCHANGE[outcome.kind]?.(where) ?? nextFor(upstreams[which], url, prefix);
  const diagnosis =
    outcome.kind === 'refused'
      ? sayRefused(url.host, prefix)
      : outcome.kind === 'granted'
        ? works(`${url.host} issues ${credential === 'ticket' ? 'a ticket' : 'an API key'}`)
        : fails(sayExchangeFault(credential, outcome), next);
  return [{ system, ...(await withCertificate(diagnosis, { url, tls, prefix }, examination)) }];
}

const NEXT_FOR_EXCHANGE: Readonly<Record<string, (where: string) => string>> = {
  forbidden: () => 'have the account allowed, by those who run the service',
  redirected: (where) => `set ${where} to the service's own address`,
  fault: (where) => `check ${where}; if they are right, ask those who run the service`,
  'no credential': (where) => `check ${where}; if they are right, ask those who run the service`,
};

/** Connects to the room's webhook as a post would, and posts only if that was asked for. */
export async function examineWebhook(examination: Examination): Promise<Finding[]> {
  const { settings, post } = examination;
  const { address, tls } = settings.webhook;
  const url = address().base;
  const diagnosis = await (post ? postOnce : connectOnce)(url, examination);
  return [
    {
      system: 'webhook',
      ...(await withCertificate(diagnosis, { url, tls, prefix: 'WEBHOOK' }, examination)),
    },
  ];
}

async function connectOnce(url: URL, { settings, wayOut }: Examination): Promise<Diagnosis> {
  const { tls } = settings.webhook;
  const shaken = await shakeHands(url, { tls, timeoutMs: CONNECTS_WITHIN_MS, wayOut });
  if (shaken.kind !== 'connected')
    return fails(
      `the room is not reached (${shaken.fault.kind})`,
      nextAfter(shaken.fault, url.host, 'WEBHOOK'),
    );
  return works(
    `${url.host} is reached; whether the room takes posts, only a post shows:\nnpm run doctor -- --post`,
  );
}

const TEST_LINE = 'This is a test of nac-lookup-bot (npm run doctor -- --post). There is nothing to do.';

async function postOnce(url: URL, { settings, upstreams }: Examination): Promise<Diagnosis> {
  const outcome = await createSender({ upstream: upstreams.webhook, address: settings.webhook.address })(
    TEST_LINE,
  );
  if (outcome.kind === 'posted') return works(`${url.host} took the post: one line stands in the room`);
  const next = NEXT_FOR_POST[outcome.kind] ?? nextFor(upstreams.webhook, url, 'WEBHOOK');
  return fails(`the room did not take the post: ${sayPostFault(outcome)}`, next);
}

const NEXT_FOR_POST: Readonly<Record<string, string>> = {
  'not found': 'make a new webhook in the room, and set WEBHOOK_URL to its whole address',
  rejected: 'check WEBHOOK_FORM (v2 or legacy), WEBHOOK_URL and WEBHOOK_TOKEN',
  'error verdict': 'try again; if it stays, ask those who run the chat',
  failed: 'try again; if it stays, ask those who run the chat',
};

/** Gets one token for replies, and drops it. Returns no row while authentication is off. */
export async function examineAuthority({ settings, upstreams }: Examination): Promise<Finding[]> {
  const { identity } = settings;
  if (identity === undefined) return [];
  const outcomes: TokenOutcome[] = [];
  const tokens = createAppTokens(identity, upstreams.authority, systemClock.now, (each) =>
    outcomes.push(each),
  );
  await tokens.get().catch(() => {}); // The outcome tells more than the error.
  const [outcome = { kind: 'failed' }] = outcomes;
  const issuer = identity.type === 'UserAssignedMSI' ? 'this machine' : authorityOf(identity).host;
  const diagnosis =
    outcome.kind === 'issued'
      ? works(`${issuer} issues tokens for replies`)
      : fails(`no token: ${sayTokenFault(outcome)}`, nextFor(upstreams.authority, authorityOf(identity)));
  return [{ system: 'token authority', ...diagnosis }];
}

/** Fetches the keys that sign the channel's tokens. Returns no row while authentication is off. */
export async function examineKeys({ settings, upstreams }: Examination): Promise<Finding[]> {
  if (settings.identity === undefined) return [];
  const metadata = settings.identity.openIdMetadata;
  const { host } = metadata ?? BOT_FRAMEWORK_METADATA;
  const check = `check ${metadata ? 'BotOpenIdMetadata' : 'the way out (HTTPS_PROXY)'}; without keys, no message is accepted`;
  let diagnosis: Diagnosis;
  try {
    const { size } = await fetchSigningKeys({ upstream: upstreams.keys, metadata });
    diagnosis =
      size > 0
        ? works(`${host} publishes ${size} that can be used`)
        : fails(`${host} publishes no key that can be used`, check);
  } catch (error) {
    if (!(error instanceof KeysUnavailableError)) throw error;
    const next = nextFor(upstreams.keys, metadata ?? BOT_FRAMEWORK_METADATA);
    diagnosis = fails(`the keys cannot be fetched from ${host} (${error.message})`, next ?? check);
  }
  return [{ system: 'signing keys', ...diagnosis }];
}

function sayRefused(host: string, prefix: string): Diagnosis {
  return fails(
    `${host} refuses the user name or the password (401)`,
    `check ${prefix}_USERNAME and ${prefix}_PASSWORD, and that the account is an internal one and not locked. Each run tries the account once: correct the settings first, or the account may get locked`,
  );
}

/** Adds the certificate that a system presents, trusted or not, and warns if nobody checks it. */
async function withCertificate(
  diagnosis: Diagnosis,
  { url, tls, prefix }: { url: URL; tls: TlsMode; prefix: string },
  { wayOut }: Examination,
): Promise<Diagnosis> {
  if (url.protocol !== 'https:') return diagnosis;
  // A connection of its own, over which nothing is sent.
  const shaken = await shakeHands(url, { tls: { kind: 'insecure' }, timeoutMs: CONNECTS_WITHIN_MS, wayOut });
  if (shaken.kind !== 'connected' || shaken.certificate === undefined) return diagnosis;
  const setting = `${prefix}_TLS`;
  const certificate = { presented: shaken.certificate, setting };
  if (diagnosis.state !== 'works' || tls.kind !== 'insecure') return { ...diagnosis, certificate };
  return {
    state: 'warning',
    what: `${diagnosis.what}\n${setting}=insecure: nobody checks the certificate`,
    next: `if the owners of the system confirm the fingerprint below, set ${setting} to that pin`,
    certificate,
  };
}
