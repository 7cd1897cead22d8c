import type { X509Certificate } from 'node:crypto';
import { describe } from '../../../dialogs/render/describe.ts';
import { exchangeFaultText, noAnswerText, postFaultText } from '../../../dialogs/render/faults.ts';
import { createFormatter, toPlain } from '../../../dialogs/render/words.ts';
import { systemClock } from '../../app/start.ts';
import { tlsModes, type Upstreams } from '../../app/upstreams.ts';
import { createExchanges, type IssuedName } from '../../credentials/exchanges.ts';
import { cureFor, type Prefix } from '../../domain/cures.ts';
import { certificateFault } from '../../domain/part.ts';
import { basicAuthorization } from '../../domain/secret.ts';
import { visible } from '../../domain/text.ts';
import type { ProxyRoute } from '../../http/proxy.ts';
import { fingerprintOf, type TlsMode } from '../../http/trust.ts';
import { probeTls } from '../../http.ts';
import { AdministrationNode } from '../../nac/endpoints.ts';
import { readActiveCount } from '../../nac/optional-calls.ts';
import * as paths from '../../nac/paths.ts';
import { readSessionOutcome, readXml } from '../../nac/reading/session.ts';
import { NO_SESSIONS } from '../../ops/health.ts';
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
  ask(all: Examination, url: URL): Diagnosis | Promise<Diagnosis>;
};

export function systemsOf({ identity, nac, endpoints, ...settings }: Settings): System[] {
  const authority = identity && tokens.authorityOf(identity);
  const isDirect = identity?.type === 'UserAssignedMSI'; // The machine itself issues its tokens.
  const { authorize, ticket, webhook, serviceHosts } = settings;
  const host = identity && serviceHosts.names.find((name) => !name.startsWith('*.'));
  const chat = host === undefined ? undefined : new URL(`https://${host}`);
  return [
    { name: 'token authority', key: 'authority', urls: [authority], isDirect, ask: askAuthority },
    { name: 'signing keys', key: 'keys', urls: [identity?.openIdMetadata], ask: askKeys },
    { name: 'NAC', key: 'nac', urls: nac.addresses, ask: askNac },
    { name: 'administration node', key: 'endpoints', urls: [endpoints?.url], ask: askEndpoints },
    { name: 'authorization service', key: 'authorize', urls: [authorize?.url], ask: askExchange('API key') },
    { name: 'ticket service', key: 'ticket', urls: [ticket?.url], ask: askExchange('ticket') },
    { name: 'webhook', key: 'webhook', urls: [webhook.address.reveal().base], ask: askWebhook },
    { name: 'chat service', key: 'channel', urls: [chat], ask: (_, url) => works(`${url.host} is reached`) },
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
  const prefix = tls && (key.toUpperCase() as Prefix); // Undefined: one of Microsoft's systems.
  const connect = (mode: TlsMode) =>
    probeTls(url, { tls: mode, timeoutMs: 10_000, proxyRoute: all.proxyRoute });
  const shaken = isDirect ? undefined : await connect(tls ?? { kind: 'verify' });
  const isRefused = shaken?.kind === 'no answer';
  const found = isRefused ? fault(noAnswerText(url.host, shaken.fault), prefix, shaken) : await ask(all, url);
  const isShown = isRefused && shaken.fault.kind === 'untrusted'; // To be pinned.
  const seen = isShown ? await connect({ kind: 'insecure' }) : shaken;
  const certificate = seen?.kind === 'connected' ? seen.certificate : undefined;
  return tls && certificate ? withCertificate(found, certificate, `${prefix}_TLS`, tls) : found;
}

/** Adds the certificate that a system presents, trusted or not. Warns if it ends soon, or if nobody checks it. */
function withCertificate(found: Diagnosis, certificate: X509Certificate, setting: string, tls: TlsMode) {
  const { issuer, validToDate } = certificate;
  const by = visible((issuer ?? '').replaceAll('\n', ', '));
  const day = validToDate.toISOString().slice(0, 10);
  const below = `certificate for ${setting}, issued by ${by}, valid to ${day}:\npin:${fingerprintOf(certificate)}`;
  const compare = `compare the fingerprint below with what the owners of the system say, and set ${setting} to that pin`;
  const unchecked = tls.kind === 'insecure' && { state: 'is not checked (insecure)', cure: compare };
  const doubt = certificateFault(validToDate.getTime(), systemClock.now(), setting) ?? unchecked;
  if (found.state !== 'works' || !doubt) return { ...found, below };
  return { ...warning(`${found.what}\nits certificate ${doubt.state}`, doubt.cure), below };
}

/** For the address that no device has. */
const NO_DEVICES_SESSION = { kind: 'unusable', reason: 'unknown' } as const;
const ACTIVE_FIRST = 'name the active monitoring node first in NAC_URL';

async function askNac({ settings: { nac }, upstreams }: Examination, url: URL): Promise<Diagnosis> {
  const { host } = url;
  const ask = (path: paths.NacPath) =>
    upstreams.nac.call(paths.getRequest(url, path, basicAuthorization(nac)));
  const textAt = async (path: paths.NacPath) => {
    const answer = await ask(path);
    return answer.kind === 'answered' ? answer.text : '';
  };
  const answered = readSessionOutcome(await ask(paths.sessionPath(paths.NOBODY, nac.macForm)));
  const outcome = answered.kind === 'found' ? NO_DEVICES_SESSION : answered;
  if (outcome.kind !== 'no session') {
    const answer = { asked: paths.NOBODY, address: paths.NOBODY, outcome };
    const { words, reason } = describe(answer, createFormatter({}, systemClock));
    return fault(`${host}: ${words}. ${toPlain(reason)}`.trim(), 'NAC', outcome);
  }
  // 0 alone, 1 active and 2 standby monitoring node, 3 none of them; undefined if the answer does not say.
  const part = readXml(await textAt(paths.versionPath()), 'product').items[0]?.get('type_of_node');
  if (part === '3') return fails(`${host} is no monitoring node, so it knows no sessions`, ACTIVE_FIRST);
  if (part === '2' && url === nac.addresses[0])
    return warning(`${host} is the standby monitoring node`, ACTIVE_FIRST);
  if (readActiveCount(await textAt(paths.activeCountPath())) === 0)
    return warning(`${host} has no active session at all`, NO_SESSIONS);
  return works(`${host} says "no session" for ${paths.NOBODY}, as it must`);
}

const askExchange =
  (credential: IssuedName): System['ask'] =>
  async ({ settings, upstreams }, { host }) => {
    const prefix = credential === 'ticket' ? 'TICKET' : 'AUTHORIZE';
    const account = credential === 'ticket' ? settings.ticket : settings.authorize;
    const exchange = createExchanges(settings, upstreams, systemClock.now)[credential];
    const outcome = account && (await exchange?.(account));
    if (!outcome || outcome.kind === 'held') return works(`${host} issues the ${credential}`);
    return fault(exchangeFaultText(credential, outcome), prefix, outcome);
  };

async function askEndpoints({ settings, upstreams }: Examination, url: URL): Promise<Diagnosis> {
  const account = settings.endpoints ?? settings.nac;
  const node = new AdministrationNode({ upstream: upstreams.endpoints, url, account });
  const { kind } = await node.find(paths.NOBODY);
  if (kind === 'read') return works(`${url.host} says that it has no record of ${paths.NOBODY}, as it must`);
  return fault(`${url.host} does not return devices' own records (${kind})`, 'ENDPOINTS', { kind });
}

const TEST_LINE = 'This is a test of nac-lookup-bot (doctor --post). There is nothing to do.';

async function askWebhook({ settings, upstreams, post }: Examination, { host }: URL): Promise<Diagnosis> {
  if (!post) return works(`${host} is reached; whether the room takes posts, only a post shows: add --post`);
  const { address } = settings.webhook;
  const rests = { pauses: new Map(), beginPause() {} };
  const way = { upstream: upstreams.webhook, address, rests, steady: systemClock.steady };
  const outcome = await sendText(TEST_LINE, way);
  if (outcome.kind === 'posted') return works(`${host} took the post: one line stands in the room`);
  return fault(`the room gets nothing: ${postFaultText(outcome)}`, 'WEBHOOK', outcome);
}

async function askAuthority({ settings: { identity }, upstreams }: Examination): Promise<Diagnosis> {
  try {
    if (identity)
      await tokens.createAppTokens(identity, upstreams.authority, systemClock.now, () => {}).get();
    return works('issues tokens for replies');
  } catch (error) {
    return fails(tokens.readTokenFault(error).cure ?? '');
  }
}

const NO_KEYS = `without keys, no message is accepted: ${signing.CURE}`;

async function askKeys({ upstreams }: Examination, metadata: URL): Promise<Diagnosis> {
  const { host } = metadata;
  const found = await signing.fetchSigningKeys({ upstream: upstreams.keys, metadata });
  if (typeof found === 'string') return fails(`the keys cannot be fetched from ${host} (${found})`, NO_KEYS);
  if (found.size > 0) return works(`${host} publishes ${found.size} that can be used`);
  return fails(`${host} publishes no key that can be used`, NO_KEYS);
}

const OPENED = 'if a firewall or proxy opens TLS here, name its authority in NODE_EXTRA_CA_CERTS';
const WAY_OUT =
  'check DNS, the firewall, and the way out (HTTPS_PROXY): without this system, nobody gets an answer';
const ONCE = '. Each run tries the account once: correct them first, or the account may get locked';

/** A lookup needs no administration node, so its faults are warnings. @param prefix undefined: one of Microsoft's systems */
function fault(what: string, prefix: Prefix | undefined, outcome: Parameters<typeof cureFor>[1]): Diagnosis {
  const { kind, fault } = outcome;
  const isRefused = kind === 'refused';
  const code = fault?.kind === 'unreachable' ? ` (${fault.proxy?.code ?? fault.code})` : '';
  const wayOut = fault?.kind === 'untrusted' ? OPENED : WAY_OUT;
  const next = prefix ? `${cureFor(prefix, outcome)}${isRefused ? ONCE : ''}` : wayOut;
  const state = prefix === 'ENDPOINTS' && !isRefused ? 'warning' : 'FAILS';
  return { state, what: `${what}${code}`, next, isRefused };
}
