import { TLS } from '../../../dialogs/commands/status.ts';
import { exchangeFaultText, postFaultText, untrustedCure } from '../../../dialogs/render/faults.ts';
import { reasonOf, verdictOf } from '../../../dialogs/render/verdict.ts';
import { readerFor, toPlain, wordsFor } from '../../../dialogs/render/words.ts';
import { systemClock } from '../../app/start.ts';
import { tlsModes, type Upstreams } from '../../app/upstreams.ts';
import { createExchanges, type IssuedName } from '../../credentials/exchanges.ts';
import { cureFor } from '../../domain/cures.ts';
import type { LookupOutcome, NoAnswer, TrustFault } from '../../domain/outcome.ts';
import { basicAuthorization } from '../../domain/secret.ts';
import { visible } from '../../domain/text.ts';
import type { WayOut } from '../../http/proxy.ts';
import { type HttpOutcome, shakeHands } from '../../http.ts';
import { createEndpoints } from '../../nac/endpoints.ts';
import { readActiveCount } from '../../nac/optional-calls.ts';
import {
  activeCountPath,
  getRequest,
  type NacPath,
  NOBODY,
  sessionPath,
  versionPath,
} from '../../nac/paths.ts';
import { readSessionOutcome } from '../../nac/reading/session.ts';
import { readElements, rootElement } from '../../nac/reading/texts.ts';
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
import { type Diagnosis, type Finding, fails, skipped, warning, works } from './table.ts';

/** What the checks of all systems share; `post`: whether one line is posted to the room. */
type Examination = { settings: Settings; upstreams: Upstreams; wayOut: WayOut | undefined; post: boolean };

/** Makes one of the bot's own calls once. */
type Ask = (all: Examination, url: URL) => Promise<Diagnosis | undefined>;

/** A system that the bot calls. It is not asked without an address. */
export type System = {
  name: string;
  key: keyof Upstreams;
  urls: ReadonlyArray<URL | undefined>;
  /** Whether no proxy is on the way, whatever the settings say. */
  isDirect?: boolean;
  ask: Ask;
};

/** Those that judge tokens by their own clocks come first. */
export function systemsOf(settings: Settings): System[] {
  const { identity, nac, endpoints, authorize, ticket, webhook } = settings;
  const authority = identity && authorityOf(identity);
  const isDirect = identity?.type === 'UserAssignedMSI'; // The machine itself issues its tokens.
  const keys = identity && (identity.openIdMetadata ?? BOT_FRAMEWORK_METADATA);
  const chat = identity && settings.serviceHosts.names.find((name) => !name.startsWith('*.'));
  return [
    { name: 'token authority', key: 'authority', urls: [authority], isDirect, ask: askAuthority },
    { name: 'signing keys', key: 'keys', urls: [keys], ask: askKeys },
    { name: 'NAC', key: 'nac', urls: nac.addresses, ask: createAskNac() },
    { name: 'administration node', key: 'endpoints', urls: [endpoints?.url], ask: askEndpoints },
    { name: 'authorization service', key: 'authorize', urls: [authorize?.url], ask: askApiKey },
    { name: 'ticket service', key: 'ticket', urls: [ticket?.url], ask: askTicket },
    { name: 'webhook', key: 'webhook', urls: [webhook.address().base], ask: askWebhook },
    { name: 'chat service', key: 'channel', urls: chat ? [new URL(`https://${chat}`)] : [], ask: askChat },
  ];
}

export async function examineSystem(system: System, all: Examination): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const [index, url] of system.urls.entries()) {
    const diagnosis = url && (await system.ask(all, url));
    if (!diagnosis) continue;
    const name = index === 0 ? system.name : `${system.name} (second)`;
    findings.push(await withCertificate({ system: name, ...diagnosis }, url, system, all));
  }
  return findings;
}

/** Asks for a session, and for the node's part. A second address is not asked with an account that the first refused. */
function createAskNac(): Ask {
  let isRefused = false;
  return async ({ settings: { nac }, upstreams }, url) => {
    const { host } = url;
    if (isRefused) return skipped(`${host} is not asked, because the account was refused`);
    const ask = (path: NacPath) => upstreams.nac.call(getRequest(url, path, basicAuthorization(nac)));
    const session = readSessionOutcome(await ask(sessionPath(NOBODY, nac.macForm)));
    isRefused = session.kind === 'refused';
    const next = nextFor(session, 'nac');
    const part = isRefused || session.kind === 'no answer' ? undefined : partOf(await ask(versionPath()));
    if (part === '3') return fails(`${host} is no monitoring node, so it knows no sessions`, MONITORING_NODE);
    if (part === '2' && url === nac.addresses[0])
      return warning(`${host} is the standby monitoring node`, ACTIVE_FIRST);
    const unread = part === undefined ? '; its page of versions cannot be read' : '';
    const counted = session.kind === 'no session' ? await ask(activeCountPath()) : undefined;
    if (counted?.kind === 'answered' && counted.status === 200 && readActiveCount(counted.text) === 0)
      return warning(`${host} has no active session at all`, NO_LOGS);
    if (session.kind === 'no session')
      return works(`${host} says "no session" for ${NOBODY}, as it must${unread}`);
    if (session.kind === 'found')
      return fails(`${host} shows a session for ${NOBODY}, which no device has`, next);
    const outcome = { whose: 'service', restsUntil: undefined, ...session } as LookupOutcome;
    const answer = { asked: NOBODY, address: NOBODY, outcome } as const;
    const verdict = verdictOf(answer);
    const { words, next: cure } = verdict;
    const reason = toPlain(reasonOf(verdict, readerFor({}, systemClock)));
    return fails(
      `${host}: ${words}.${reason && ` ${reason}`}`,
      isRefused || session.kind === 'no answer' ? next : cure,
    );
  };
}

/** A node's part: 0 alone, 1 active and 2 standby monitoring node, 3 none of them; undefined if the answer does not say. */
function partOf(wire: HttpOutcome): string | undefined {
  if (wire.kind !== 'answered' || rootElement(wire.text) !== 'product') return undefined;
  return readElements(wire.text, 'product').get('type_of_node');
}

const MONITORING_NODE = 'name the monitoring node in NAC_URL';
const NO_LOGS = 'its monitoring node may have stopped receiving logs: ask those who run the NAC';
const ACTIVE_FIRST = 'put the active monitoring node first in NAC_URL';

/** Makes one exchange, and drops what it issues. */
function askExchange(credential: IssuedName, key: 'authorize' | 'ticket'): Ask {
  return async ({ settings, upstreams }, { host }) => {
    const exchange = createExchanges(settings, upstreams, systemClock.now)[credential];
    const outcome = settings[key] && (await exchange?.(settings[key]));
    if (outcome?.kind === 'held') return works(`${host} issues the ${credential}`);
    return outcome && fails(exchangeFaultText(credential, outcome), nextFor(outcome, key));
  };
}

const askApiKey = askExchange('API key', 'authorize');
const askTicket = askExchange('ticket', 'ticket');

async function askEndpoints({ settings: { endpoints }, upstreams, wayOut }: Examination, url: URL) {
  if (endpoints === undefined) return undefined;
  const { promise, resolve } = Promise.withResolvers<'read' | 'refused' | 'failed'>();
  const find = createEndpoints({
    upstream: upstreams.endpoints,
    url,
    account: endpoints,
    lockout: {
      begin: async () => ({ kind: 'call', end() {} }),
      until: () => undefined,
      isUntried: () => false,
    },
    onEnd: resolve,
    steady: systemClock.steady,
  });
  await find(NOBODY, 'doctor');
  resolve('failed'); // It is late.
  const end = await promise;
  if (end === 'read') return works(`${url.host} says that it has no record of ${NOBODY}, as it must`);
  const shaken = await shakeHands(url, { tls: endpoints.tls, timeoutMs: CONNECTS_WITHIN_MS, wayOut });
  if (shaken.kind === 'no answer') {
    const { fault } = shaken;
    const why = fault.kind === 'untrusted' ? `${fault.kind}: ${fault.reason}` : fault.kind;
    return warning(`${url.host} does not tell devices' own records (${why})`, nextFor(shaken, 'endpoints'));
  }
  const judge = end === 'refused' ? fails : warning;
  return judge(
    `${url.host} does not tell devices' own records (${end})`,
    cureFor('ENDPOINTS', { kind: end }),
  );
}

const TEST_LINE = 'This is a test of nac-lookup-bot (doctor --post). There is nothing to do.';

/** Connects to the room's webhook as a post would, and posts only if that was asked for. */
async function askWebhook({ settings: { webhook }, upstreams, wayOut, post }: Examination, url: URL) {
  const pauses = { find: () => undefined, begin() {} };
  const send = createSender({ upstream: upstreams.webhook, address: webhook.address, pauses });
  const outcome = post
    ? await send(TEST_LINE)
    : await shakeHands(url, { tls: webhook.tls, timeoutMs: CONNECTS_WITHIN_MS, wayOut });
  if (outcome.kind === 'posted') return works(`${url.host} took the post: one line stands in the room`);
  const open = `${url.host} is reached; whether the room takes posts, only a post shows:`;
  if (outcome.kind === 'connected') return works(`${open}\nadd --post to this command`);
  const fault = postFaultText({ final: false, ...outcome });
  return fails(`the room gets nothing: ${fault}`, nextFor(outcome, 'webhook'));
}

/** Connects to the chat service as a reply would, and sends nothing. */
async function askChat({ wayOut }: Examination, url: URL) {
  const { host } = url;
  const tls = { kind: 'verify' } as const;
  const outcome = await shakeHands(url, { tls, timeoutMs: CONNECTS_WITHIN_MS, wayOut });
  if (outcome.kind === 'connected') return works(`${host} is reached`);
  const { fault } = outcome;
  const code = fault.kind === 'unreachable' ? fault.code : fault.kind;
  return fails(`${host} is not reached (${code}), so nobody gets an answer`, THE_WAY_OUT);
}

const THE_WAY_OUT = 'check DNS, the firewall, and the way out (HTTPS_PROXY)';

/** Gets one token for replies, and drops it. */
async function askAuthority({ settings: { identity }, upstreams }: Examination) {
  if (identity === undefined) return undefined;
  const { promise, resolve } = Promise.withResolvers<TokenOutcome>();
  const tokens = createAppTokens(identity, upstreams.authority, systemClock.now, resolve);
  await tokens.get().catch(() => {}); // The outcome tells more than the error.
  const outcome = await promise;
  if (outcome.kind === 'issued') return works('issues tokens for replies');
  return fails(sayTokenFault(outcome), identity.type === 'MultiTenant' ? SINGLE_TENANT : undefined);
}

const SINGLE_TENANT =
  'Azure has registered no MultiTenant bots since July 2025: if yours is newer, set MicrosoftAppType=SingleTenant and MicrosoftAppTenantId';

async function askKeys({ settings: { identity }, upstreams }: Examination, metadata: URL) {
  const { host } = metadata;
  const next = `check ${identity?.openIdMetadata ? 'BotOpenIdMetadata' : 'the way out (HTTPS_PROXY)'}; without keys, no message is accepted`;
  try {
    const { size } = await fetchSigningKeys({ upstream: upstreams.keys, metadata });
    if (size > 0) return works(`${host} publishes ${size} that can be used`);
    return fails(`${host} publishes no key that can be used`, next);
  } catch (error) {
    if (!(error instanceof KeysUnavailableError)) throw error;
    return fails(`the keys cannot be fetched from ${host} (${error.message})`, next);
  }
}

const CONNECTS_WITHIN_MS = 10_000;

/** Adds the certificate that a system presents, trusted or not, and warns if nobody checks it. */
async function withCertificate(finding: Finding, url: URL, { name, key }: System, all: Examination) {
  const { settings, wayOut } = all;
  const tls = tlsModes(settings)[name];
  if (url.protocol !== 'https:') return finding;
  if (tls === undefined) return finding.state === 'FAILS' ? withMachinesTrust(finding, url, wayOut) : finding;
  // A connection of its own, over which nothing is sent.
  const shaken = await shakeHands(url, { tls: { kind: 'insecure' }, timeoutMs: CONNECTS_WITHIN_MS, wayOut });
  if (shaken.kind !== 'connected' || shaken.certificate === undefined) return finding;
  const { fingerprint, issuer, validTo } = shaken.certificate;
  const setting = `${key.toUpperCase()}_TLS`;
  const day = validTo.toISOString().slice(0, 10);
  const below = `certificate for ${setting}, issued by ${visible(issuer.replaceAll('\n', ', '))}, valid to ${day}:\npin:${fingerprint}`;
  const shown = { ...finding, below };
  if (finding.state !== 'works' || tls.kind !== 'insecure') return shown;
  const what = `${finding.what}\n${setting}: ${wordsFor(tls, TLS, undefined)}`;
  return { ...shown, ...warning(what, comparing(setting)) };
}

/** Says so if this machine does not trust a certificate, as behind a firewall that opens TLS. */
async function withMachinesTrust(finding: Finding, url: URL, wayOut: WayOut | undefined): Promise<Finding> {
  const shaken = await shakeHands(url, { tls: { kind: 'verify' }, timeoutMs: CONNECTS_WITHIN_MS, wayOut });
  if (shaken.kind === 'connected' || shaken.fault.kind !== 'untrusted') return finding;
  const what = `this machine does not trust the certificate of ${url.host} (${shaken.fault.reason})`;
  const next = 'if a firewall or proxy opens TLS here, name its authority in NODE_EXTRA_CA_CERTS';
  return { ...finding, ...fails(what, next) };
}

/** The next step after a call that failed. The settings of a system begin with its key in capital letters. */
function nextFor(outcome: NoAnswer | { kind: string }, key: System['key']): string | undefined {
  const prefix = key.toUpperCase();
  if (outcome.kind === 'forbidden') return 'ask those who run the system to allow this account';
  if (outcome.kind === 'refused')
    return `check ${prefix}_USERNAME and ${prefix}_PASSWORD. Each run tries the account once: correct them first, or the account may get locked`;
  const check = `check the settings that begin with ${prefix}_`;
  if (!('fault' in outcome)) return `${check}; if they are right, ask those who run the system`;
  const { fault } = outcome;
  if (fault.kind === 'untrusted' && fault.reason !== 'no common TLS')
    return comparing(`${prefix}_TLS`, fault.reason);
  if (fault.kind === 'unreachable' && fault.proxy) return undefined; // The proxy's own row says it.
  const code = fault.kind === 'unreachable' ? `${fault.code}: ` : '';
  return `${code}${check} (name, https or http, port), DNS, the firewall on the way, and whether the system runs`;
}

/** @param reason what is wrong with the certificate; undefined: the setting checks none */
function comparing(setting: string, reason?: TrustFault): string {
  if (reason === 'expired') return untrustedCure(reason, setting);
  const pinning = `compare the fingerprint below with what the owners of the system say; only if both are equal, set ${setting} to that pin`;
  if (reason === 'wrong host name')
    return `${pinning}. Or call the system by a name that its certificate holds`;
  return `${pinning}. Or name its authority in ${setting}=ca:FILE`;
}
