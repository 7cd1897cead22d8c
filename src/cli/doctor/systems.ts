import { TLS } from '../../../dialogs/commands/status.ts';
import { describe } from '../../../dialogs/render/describe.ts';
import { exchangeFaultText, postFaultText } from '../../../dialogs/render/faults.ts';
import { createFormatter, toPlain, wordingFor } from '../../../dialogs/render/words.ts';
import { systemClock } from '../../app/start.ts';
import { tlsModes, type Upstreams } from '../../app/upstreams.ts';
import { createExchanges, type IssuedName } from '../../credentials/exchanges.ts';
import { cureFor, type Prefix } from '../../domain/cures.ts';
import type { HttpFault, LookupOutcome } from '../../domain/outcome.ts';
import { certificateFault } from '../../domain/part.ts';
import { basicAuthorization } from '../../domain/secret.ts';
import { visible } from '../../domain/text.ts';
import type { ProxyRoute } from '../../http/proxy.ts';
import type { TlsMode } from '../../http/trust.ts';
import { type HttpOutcome, probeTls } from '../../http.ts';
import { createEndpoints } from '../../nac/endpoints.ts';
import { readActiveCount } from '../../nac/optional-calls.ts';
import * as paths from '../../nac/paths.ts';
import { readSessionOutcome } from '../../nac/reading/session.ts';
import { readElements, rootElement } from '../../nac/reading/texts.ts';
import type { Settings } from '../../settings.ts';
import * as tokens from '../../teams/authentication/app-tokens.ts';
import * as signing from '../../teams/authentication/signing-keys.ts';
import { createSender } from '../../webhook/sender.ts';
import { type Diagnosis, type Finding, fails, skipped, warning, works } from './table.ts';

/** What the checks of all systems share; `post`: whether one line is posted to the room. */
type Examination = {
  settings: Settings;
  upstreams: Upstreams;
  proxyRoute: ProxyRoute | undefined;
  post: boolean;
};

/** Makes one of the bot's own calls once. */
type Ask = (all: Examination, url: URL) => Promise<Diagnosis | undefined>;

/** A system that the bot calls. It is not asked without an address. `isDirect`: no proxy is ever on the way. */
export type System = {
  name: string;
  key: keyof Upstreams;
  urls: ReadonlyArray<URL | undefined>;
  isDirect?: boolean;
  ask: Ask;
};

/** Those that judge tokens by their own clocks come first. */
export function systemsOf(settings: Settings): System[] {
  const { identity, nac, endpoints, authorize, ticket, webhook } = settings;
  const authority = identity && tokens.authorityOf(identity);
  const isDirect = identity?.type === 'UserAssignedMSI'; // The machine itself issues its tokens.
  const keys = identity && (identity.openIdMetadata ?? signing.BOT_FRAMEWORK_METADATA);
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
    const name = index === 0 ? system.name : `${system.name} (second)`;
    if (diagnosis) findings.push(await withCertificate({ system: name, ...diagnosis }, url, system, all));
  }
  return findings;
}

/** Asks for a session, and for the node's part. A second address is not asked with an account that the first refused. */
function createAskNac(): Ask {
  let isRefused = false;
  return async ({ settings: { nac }, upstreams }, url) => {
    const { host } = url;
    if (isRefused) return skipped(`${host} is not asked, because the account was refused`);
    const ask = (path: paths.NacPath) =>
      upstreams.nac.call(paths.getRequest(url, path, basicAuthorization(nac)));
    const session = readSessionOutcome(await ask(paths.sessionPath(paths.NOBODY, nac.macForm)));
    isRefused = session.kind === 'refused';
    const part = isRefused || session.kind === 'no answer' ? '' : partOf(await ask(paths.versionPath()));
    const first = 'name the active monitoring node first in NAC_URL';
    if (part === '3') return fails(`${host} is no monitoring node, so it knows no sessions`, first);
    if (session.kind === 'found')
      return fault(`${host} shows a session for ${paths.NOBODY}, which no device has`, 'NAC', UNUSABLE);
    if (session.kind !== 'no session') {
      const outcome = { whose: 'service', restsUntil: undefined, ...session } as LookupOutcome;
      const answer = { asked: paths.NOBODY, address: paths.NOBODY, outcome };
      const { words, reason } = describe(answer, createFormatter({}, systemClock));
      return fault(`${host}: ${words}. ${toPlain(reason)}`.trim(), 'NAC', session);
    }
    if (part === '2' && url === nac.addresses[0])
      return warning(`${host} is the standby monitoring node`, first);
    const counted = await ask(paths.activeCountPath());
    if (counted.kind === 'answered' && counted.status === 200 && readActiveCount(counted.text) === 0)
      return warning(`${host} has no active session at all`, NO_LOGS);
    const unread = part === undefined ? '; its page of versions cannot be read' : '';
    return works(`${host} says "no session" for ${paths.NOBODY}, as it must${unread}`);
  };
}

const UNUSABLE = { kind: 'unusable' };
const NO_LOGS = 'its monitoring node may have stopped receiving logs: ask those who run the NAC';

/** A node's part: 0 alone, 1 active and 2 standby monitoring node, 3 none of them; undefined if the answer does not say. */
function partOf(wire: HttpOutcome): string | undefined {
  if (wire.kind !== 'answered' || rootElement(wire.text) !== 'product') return undefined;
  return readElements(wire.text, 'product').get('type_of_node');
}

/** Makes one exchange, and drops what it issues. */
function askExchange(credential: IssuedName, key: 'authorize' | 'ticket', prefix: Prefix): Ask {
  return async ({ settings, upstreams }, { host }) => {
    const exchange = createExchanges(settings, upstreams, systemClock.now)[credential];
    const outcome = settings[key] && (await exchange?.(settings[key]));
    if (outcome?.kind === 'held') return works(`${host} issues the ${credential}`);
    return outcome && fault(exchangeFaultText(credential, outcome), prefix, outcome);
  };
}

const askApiKey = askExchange('API key', 'authorize', 'AUTHORIZE');
const askTicket = askExchange('ticket', 'ticket', 'TICKET');

const NO_LOCKOUT = {
  begin: async () => ({ kind: 'call', end() {} }) as const,
  until: () => undefined,
  isUntried: () => false,
};

async function askEndpoints(all: Examination, url: URL) {
  const { endpoints: account } = all.settings;
  if (account === undefined) return undefined;
  const { promise, resolve: onEnd } = Promise.withResolvers<'read' | 'refused' | 'failed'>();
  const upstream = all.upstreams.endpoints;
  const { steady } = systemClock;
  const find = createEndpoints({ upstream, url, account, lockout: NO_LOCKOUT, onEnd, steady });
  await find(paths.NOBODY, 'doctor');
  onEnd('failed'); // It is late.
  const end = await promise;
  if (end === 'read') return works(`${url.host} says that it has no record of ${paths.NOBODY}, as it must`);
  const shaken = await connectTo(url, account.tls, all);
  const outcome = shaken.kind === 'no answer' ? shaken : { kind: end };
  const what = `${url.host} does not tell devices' own records${shaken.kind === 'connected' ? ` (${end})` : ''}`;
  return { ...fault(what, 'ENDPOINTS', outcome), state: end === 'refused' ? 'FAILS' : 'warning' } as const;
}

const TEST_LINE = 'This is a test of nac-lookup-bot (doctor --post). There is nothing to do.';

/** Connects to the room's webhook as a post would, and posts only if that was asked for. */
async function askWebhook(all: Examination, url: URL) {
  const { webhook } = all.settings;
  const pauses = { findPause: () => undefined, beginPause() {} };
  const send = createSender({ upstream: all.upstreams.webhook, address: webhook.address, pauses });
  const outcome = all.post ? await send(TEST_LINE) : await connectTo(url, webhook.tls, all);
  if (outcome.kind === 'posted') return works(`${url.host} took the post: one line stands in the room`);
  if (outcome.kind === 'connected')
    return works(`${url.host} is reached; whether the room takes posts, only a post shows: add --post`);
  return fault(`the room gets nothing: ${postFaultText({ final: false, ...outcome })}`, 'WEBHOOK', outcome);
}

/** Connects to the chat service as a reply would, and sends nothing. */
async function askChat(all: Examination, url: URL) {
  const outcome = await connectTo(url, { kind: 'verify' }, all);
  if (outcome.kind === 'connected') return works(`${url.host} is reached`);
  const what = `${url.host} is not reached${codeText(outcome)}, so nobody gets an answer`;
  return fails(what, 'check DNS, the firewall, and the way out (HTTPS_PROXY)');
}

/** Gets one token for replies, and drops it. */
async function askAuthority({ settings: { identity }, upstreams }: Examination) {
  if (identity === undefined) return undefined;
  const { promise, resolve } = Promise.withResolvers<tokens.TokenOutcome>();
  const source = tokens.createAppTokens(identity, upstreams.authority, systemClock.now, resolve);
  await source.get().catch(() => {}); // The outcome tells more than the error.
  const outcome = await promise;
  if (outcome.kind === 'issued') return works('issues tokens for replies');
  return fails(outcome.cure, identity.type === 'MultiTenant' ? SINGLE_TENANT : undefined);
}

const SINGLE_TENANT =
  'Azure has registered no MultiTenant bots since July 2025: if yours is newer, set MicrosoftAppType=SingleTenant and MicrosoftAppTenantId';

async function askKeys({ settings: { identity }, upstreams }: Examination, metadata: URL) {
  const { host } = metadata;
  const next = `check ${identity?.openIdMetadata ? 'BotOpenIdMetadata' : 'the way out (HTTPS_PROXY)'}; without keys, no message is accepted`;
  try {
    const { size } = await signing.fetchSigningKeys({ upstream: upstreams.keys, metadata });
    if (size > 0) return works(`${host} publishes ${size} that can be used`);
    return fails(`${host} publishes no key that can be used`, next);
  } catch (error) {
    if (!(error instanceof signing.KeysUnavailableError)) throw error;
    return fails(`the keys cannot be fetched from ${host} (${error.message})`, next);
  }
}

const connectTo = (url: URL, tls: TlsMode, { proxyRoute }: Examination) =>
  probeTls(url, { tls, timeoutMs: 10_000, proxyRoute });

const OPENED = 'if a firewall or proxy opens TLS here, name its authority in NODE_EXTRA_CA_CERTS';

/** Adds the certificate that a system presents, trusted or not. Warns if it ends soon, or if nobody checks it. */
async function withCertificate(finding: Finding, url: URL, { name, key }: System, all: Examination) {
  const tls = tlsModes(all.settings)[name];
  if (url.protocol !== 'https:') return finding;
  // A connection of its own, over which nothing is sent.
  const shaken = await connectTo(url, { kind: tls ? 'insecure' : 'verify' }, all);
  const isUntrusted = shaken.kind === 'no answer' && shaken.fault.kind === 'untrusted';
  if (tls === undefined && finding.state === 'FAILS' && isUntrusted) {
    const what = `this machine does not trust the certificate of ${url.host}${codeText(shaken)}`;
    return { ...finding, ...fails(what, OPENED) };
  }
  if (tls === undefined) return finding;
  if (shaken.kind !== 'connected' || shaken.certificate === undefined) return finding;
  const { fingerprint, issuer, validTo } = shaken.certificate;
  const setting = `${key.toUpperCase()}_TLS`;
  const day = validTo.toISOString().slice(0, 10);
  const below = `certificate for ${setting}, issued by ${visible(issuer.replaceAll('\n', ', '))}, valid to ${day}:\npin:${fingerprint}`;
  const shown = { ...finding, below };
  if (finding.state !== 'works') return shown;
  const ending = certificateFault(validTo.getTime(), systemClock.now(), setting);
  if (ending)
    return { ...shown, ...warning(`${finding.what}\nits certificate ${ending.state}`, ending.cure) };
  if (tls.kind !== 'insecure') return shown;
  const cure = `compare the fingerprint below with what the owners of the system say, and set ${setting} to that pin`;
  return { ...shown, ...warning(`${finding.what}\n${setting}: ${wordingFor(tls, TLS, undefined)}`, cure) };
}

/** A failure with its code or reason, and the bot's own cure. */
function fault(what: string, prefix: Prefix, outcome: Parameters<typeof cureFor>[1]): Diagnosis {
  const once = '. Each run tries the account once: correct them first, or the account may get locked';
  const next = `${cureFor(prefix, outcome)}${outcome.kind === 'refused' ? once : ''}`;
  return fails(`${what}${codeText(outcome)}`, next);
}

function codeText({ fault }: { fault?: HttpFault }): string {
  if (fault === undefined) return '';
  if (fault.kind === 'untrusted') return ` (${fault.reason})`;
  return fault.kind === 'unreachable' ? ` (${fault.proxy?.code ?? fault.code})` : ` (${fault.kind})`;
}
