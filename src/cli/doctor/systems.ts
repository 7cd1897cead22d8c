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
import type { Certificate, TlsMode } from '../../http/trust.ts';
import { probeTls } from '../../http.ts';
import { AdministrationNode } from '../../nac/endpoints.ts';
import { readActiveCount } from '../../nac/optional-calls.ts';
import * as paths from '../../nac/paths.ts';
import { readSessionOutcome } from '../../nac/reading/session.ts';
import { readElements } from '../../nac/reading/texts.ts';
import type { Settings } from '../../settings.ts';
import * as tokens from '../../teams/authentication/app-tokens.ts';
import * as signing from '../../teams/authentication/signing-keys.ts';
import { sendText } from '../../webhook/sender.ts';
import { type Diagnosis, type Finding, fails, skipped, warning, works } from './table.ts';

/** The input of all checks; `post`: whether one line is posted to the room. */
type Examination = {
  settings: Settings;
  upstreams: Upstreams;
  proxyRoute: ProxyRoute | undefined;
  post: boolean;
};

/** A system that the bot calls. It is not asked without an address. `isDirect`: no proxy is ever on the way. */
export type System = {
  name: string;
  key: keyof Upstreams;
  urls: ReadonlyArray<URL | undefined>;
  isDirect?: boolean;
  /** Makes one of the bot's own calls once. */
  ask(all: Examination, url: URL): Promise<Diagnosis>;
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
    { name: 'NAC', key: 'nac', urls: nac.addresses, ask: askNac },
    { name: 'administration node', key: 'endpoints', urls: [endpoints?.url], ask: askEndpoints },
    { name: 'authorization service', key: 'authorize', urls: [authorize?.url], ask: askApiKey },
    { name: 'ticket service', key: 'ticket', urls: [ticket?.url], ask: askTicket },
    { name: 'webhook', key: 'webhook', urls: [webhook.address().base], ask: askWebhook },
    {
      name: 'chat service',
      key: 'channel',
      urls: chat ? [new URL(`https://${chat}`)] : [],
      ask: async (_, { host }) => works(`${host} is reached`),
    },
  ];
}

/** Asks at each address, but at no other one with an account that the first refused. */
export async function examineSystem(system: System, all: Examination): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const url of system.urls) {
    if (url === undefined) continue;
    const name = findings.length === 0 ? system.name : `${system.name} (second)`;
    const notAsked = `${url.host} is not asked, because the account was refused`;
    const diagnosis = findings[0]?.isRefused ? skipped(notAsked) : await examineAt(url, system, all);
    findings.push({ system: name, ...diagnosis });
  }
  return findings;
}

async function examineAt(url: URL, { name, key, isDirect, ask }: System, all: Examination) {
  const tls = tlsModes(all.settings)[name];
  const mode = { kind: tls ? 'insecure' : 'verify' } as const; // Nothing is sent over this connection.
  const shaken = isDirect ? undefined : await connectTo(url, mode, all);
  if (tls) {
    const certificate = shaken?.kind === 'connected' ? shaken.certificate : undefined;
    return withCertificate(await ask(all, url), certificate, `${key.toUpperCase()}_TLS`, tls);
  }
  if (shaken?.kind !== 'no answer') return ask(all, url);
  if (shaken.fault.kind === 'untrusted')
    return fails(`this machine does not trust the certificate of ${url.host}${codeText(shaken)}`, OPENED);
  return fails(`${url.host} is not reached${codeText(shaken)}, so nobody gets an answer`, WAY_OUT);
}

const OPENED = 'if a firewall or proxy opens TLS here, name its authority in NODE_EXTRA_CA_CERTS';
const WAY_OUT = 'check DNS, the firewall, and the way out (HTTPS_PROXY)';

const connectTo = (url: URL, tls: TlsMode, { proxyRoute }: Examination) =>
  probeTls(url, { tls, timeoutMs: 10_000, proxyRoute });

/** Adds the certificate that a system presents, trusted or not. Warns if it ends soon, or if nobody checks it. */
function withCertificate(
  found: Diagnosis,
  certificate: Certificate | undefined,
  setting: string,
  tls: TlsMode,
): Diagnosis {
  if (certificate === undefined) return found;
  const { fingerprint, issuer, validTo } = certificate;
  const day = validTo.toISOString().slice(0, 10);
  const by = visible(issuer.replaceAll('\n', ', '));
  const below = `certificate for ${setting}, issued by ${by}, valid to ${day}:\npin:${fingerprint}`;
  const ending = certificateFault(validTo.getTime(), systemClock.now(), setting);
  if (found.state !== 'works' || !(ending || tls.kind === 'insecure')) return { ...found, below };
  if (ending) return { ...warning(`${found.what}\nits certificate ${ending.state}`, ending.cure), below };
  const cure = `compare the fingerprint below with what the owners of the system say, and set ${setting} to that pin`;
  return { ...warning(`${found.what}\n${setting}: ${wordingFor(tls, TLS, undefined)}`, cure), below };
}

async function askNac({ settings: { nac }, upstreams }: Examination, url: URL): Promise<Diagnosis> {
  const { host } = url;
  const ask = (path: paths.NacPath) =>
    upstreams.nac.call(paths.getRequest(url, path, basicAuthorization(nac)));
  const session = readSessionOutcome(await ask(paths.sessionPath(paths.NOBODY, nac.macForm)));
  const isAnswered = session.kind !== 'refused' && session.kind !== 'no answer';
  const version = isAnswered ? await ask(paths.versionPath()) : undefined;
  // 0 alone, 1 active and 2 standby monitoring node, 3 none of them; undefined if the answer does not say.
  const part = version?.kind === 'answered' && readElements(version.text, 'product').get('type_of_node');
  if (part === '3') return fails(`${host} is no monitoring node, so it knows no sessions`, ACTIVE_FIRST);
  if (session.kind === 'found')
    return fault(`${host} shows a session for ${paths.NOBODY}, which no device has`, 'NAC', UNUSABLE);
  if (session.kind !== 'no session') {
    const outcome = { whose: 'service', restsUntil: undefined, ...session } as LookupOutcome;
    const answer = { asked: paths.NOBODY, address: paths.NOBODY, outcome };
    const { words, reason } = describe(answer, createFormatter({}, systemClock));
    return fault(`${host}: ${words}. ${toPlain(reason)}`.trim(), 'NAC', session);
  }
  if (part === '2' && url === nac.addresses[0])
    return warning(`${host} is the standby monitoring node`, ACTIVE_FIRST);
  const counted = await ask(paths.activeCountPath());
  if (counted.kind === 'answered' && counted.status === 200 && readActiveCount(counted.text) === 0)
    return warning(`${host} has no active session at all`, NO_LOGS);
  const unread = !part ? '; its page of versions cannot be read' : '';
  return works(`${host} says "no session" for ${paths.NOBODY}, as it must${unread}`);
}

const UNUSABLE = { kind: 'unusable' };
const ACTIVE_FIRST = 'name the active monitoring node first in NAC_URL';
const NO_LOGS = 'its monitoring node may have stopped receiving logs: ask those who run the NAC';

function askExchange(credential: IssuedName, prefix: Prefix): System['ask'] {
  return async ({ settings, upstreams }, { host }) => {
    const exchange = createExchanges(settings, upstreams, systemClock.now)[credential];
    const account = credential === 'ticket' ? settings.ticket : settings.authorize;
    const outcome = account && (await exchange?.(account));
    if (!outcome || outcome.kind === 'held') return works(`${host} issues the ${credential}`);
    return fault(exchangeFaultText(credential, outcome), prefix, outcome);
  };
}

const askApiKey = askExchange('API key', 'AUTHORIZE');
const askTicket = askExchange('ticket', 'TICKET');

async function askEndpoints(all: Examination, url: URL): Promise<Diagnosis> {
  const { endpoints: account = all.settings.nac } = all.settings;
  const { steady } = systemClock;
  const node = new AdministrationNode({ upstream: all.upstreams.endpoints, url, account, steady });
  const { end } = await node.find(paths.NOBODY, steady());
  if (end === 'read') return works(`${url.host} says that it has no record of ${paths.NOBODY}, as it must`);
  const shaken = await connectTo(url, account.tls, all);
  const what = `${url.host} does not tell devices' own records`;
  if (end === 'refused') return fault(`${what} (refused)`, 'ENDPOINTS', { kind: end });
  const outcome = shaken.kind === 'no answer' ? shaken : { kind: end };
  return {
    ...fault(`${what}${shaken.kind === 'connected' ? ' (failed)' : ''}`, 'ENDPOINTS', outcome),
    state: 'warning',
  };
}

const TEST_LINE = 'This is a test of nac-lookup-bot (doctor --post). There is nothing to do.';

/** Connects to the room's webhook as a post would, and posts only if that was asked for. */
async function askWebhook(all: Examination, url: URL): Promise<Diagnosis> {
  const { webhook } = all.settings;
  const rests = { pauses: new Map(), beginPause() {} };
  const { address } = webhook;
  const way = { upstream: all.upstreams.webhook, address, rests, steady: systemClock.steady };
  const outcome = all.post ? await sendText(TEST_LINE, way) : await connectTo(url, webhook.tls, all);
  if (outcome.kind === 'posted') return works(`${url.host} took the post: one line stands in the room`);
  if (outcome.kind === 'connected')
    return works(`${url.host} is reached; whether the room takes posts, only a post shows: add --post`);
  return fault(`the room gets nothing: ${postFaultText({ final: false, ...outcome })}`, 'WEBHOOK', outcome);
}

async function askAuthority({ settings: { identity }, upstreams }: Examination): Promise<Diagnosis> {
  if (identity === undefined) return skipped('there is no identity');
  try {
    await tokens.createAppTokens(identity, upstreams.authority, systemClock.now, () => {}).get();
    return works('issues tokens for replies');
  } catch (error) {
    const next = identity.type === 'MultiTenant' ? SINGLE_TENANT : undefined;
    return fails(tokens.readTokenFault(error).cure ?? '', next);
  }
}

const SINGLE_TENANT =
  'Azure has registered no MultiTenant bots since July 2025: if yours is newer, set MicrosoftAppType=SingleTenant and MicrosoftAppTenantId';

async function askKeys(
  { settings: { identity }, upstreams }: Examination,
  metadata: URL,
): Promise<Diagnosis> {
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

function fault(what: string, prefix: Prefix, outcome: Parameters<typeof cureFor>[1]): Diagnosis {
  const isRefused = outcome.kind === 'refused';
  const once = '. Each run tries the account once: correct them first, or the account may get locked';
  const next = `${cureFor(prefix, outcome)}${isRefused ? once : ''}`;
  return { ...fails(`${what}${codeText(outcome)}`, next), isRefused };
}

function codeText({ fault }: { fault?: HttpFault }): string {
  if (fault === undefined) return '';
  if (fault.kind === 'untrusted') return ` (${fault.reason})`;
  return fault.kind === 'unreachable' ? ` (${fault.proxy?.code ?? fault.code})` : ` (${fault.kind})`;
}
