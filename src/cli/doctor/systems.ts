import { describe } from '../../../dialogs/render/describe.ts';
import { exchangeFaultText, noAnswerText, postFaultText } from '../../../dialogs/render/outcomes.ts';
import { createFormatter, toPlain } from '../../../dialogs/render/words.ts';
import { systemClock, type Upstreams } from '../../app/start.ts';
import type { IssuedName } from '../../credentials/exchanges.ts';
import { certificateFault, cureFor, NO_SESSIONS, type Outcome, type Prefix } from '../../domain/part.ts';
import { visible } from '../../domain/text.ts';
import { fingerprintOf, proxyFaultText, proxyFor, type TlsMode } from '../../http/connection.ts';
import { probeTls } from '../../http.ts';
import { createEndpointReader } from '../../nac/endpoints.ts';
import * as paths from '../../nac/paths.ts';
import { readActiveCount, readSessionOutcome, readXml } from '../../nac/reading/session.ts';
import type { Settings } from '../../settings.ts';
import { authorityOf, createAppTokens, readTokenFault } from '../../teams/authentication/app-tokens.ts';
import * as signing from '../../teams/authentication/channel-token.ts';
import { sendText } from '../../webhook/sender.ts';
import { exchangeOnce } from '../credential.ts';

/**
 * The doctor's finding about one system. No text holds a secret, or another system's own words but for the database's. A line break in a text stays one.
 * `FAILS`: the bot cannot do its work there. `skipped`: not asked, for the reason in `what`. `isRefused`: the account was refused.
 */
export type Finding = {
  state: 'works' | 'warning' | 'FAILS' | 'skipped';
  what: string;
  next?: string | undefined;
  isRefused?: boolean;
};

export const works = (what: string): Finding => ({ state: 'works', what });
export const warning = (what: string, next: string): Finding => ({ state: 'warning', what, next });
export const fails = (what: string, next?: string): Finding => ({ state: 'FAILS', what, next });
const skipped = (what: string): Finding => ({ state: 'skipped', what });

type All = { settings: Settings; upstreams: Upstreams; post: boolean };

/**
 * `ask` makes one of the bot's own calls. `prefix` begins the names of a system's settings; Microsoft's systems have none.
 * `isDirect`: no proxy is on the way, and no handshake goes before the call.
 */
type System = { system: string; url: URL; ask: Ask; prefix?: Prefix | undefined; isDirect?: boolean };
type Ask = (all: All, url: URL) => Finding | Promise<Finding>;

const SECOND = 'NAC (second)';

/** Returns the configured systems, in the order of the table. */
export function systemsOf({ identity, nac, serviceHosts, ...settings }: Settings): System[] {
  const isDirect = identity?.type === 'UserAssignedMSI'; // The machine itself issues its tokens.
  const host = identity && serviceHosts.names.find((name) => !name.startsWith('*.'));
  const chat = host === undefined ? undefined : new URL(`https://${host}`);
  const row = (system: string, url: URL | undefined, ask: Ask, prefix?: Prefix, isDirect = false) =>
    url ? [{ system, url, ask, prefix, isDirect }] : [];
  return [
    ...row('token authority', identity && authorityOf(identity), askAuthority, undefined, isDirect),
    ...row('signing keys', identity?.openIdMetadata, askKeys),
    ...row('NAC', nac.addresses[0], askNac, 'NAC'),
    ...row(SECOND, nac.addresses[1], askNac, 'NAC'),
    ...row('administration node', settings.endpoints?.url, askEndpoints, 'ENDPOINTS'),
    ...row('authorization service', settings.authorize?.url, askExchange('API key'), 'AUTHORIZE'),
    ...row('ticket service', settings.ticket?.url, askExchange('ticket'), 'TICKET'),
    ...row('webhook', settings.webhook.address.reveal().base, askWebhook, 'WEBHOOK'),
    ...row('chat service', chat, (_, url) => works(`${url.host} is reached`)),
    ...row('clock', identity?.openIdMetadata, askTime, undefined, true),
  ];
}

/**
 * Makes a system's call, and adds the certificate that it presents, trusted or not. Warns if that ends soon, or if nobody checks it.
 * @param first the NAC's first address: the second does not get an account that was refused there
 */
export async function examineSystem(each: System, all: All, first?: Promise<Finding>): Promise<Finding> {
  const { system, prefix, url, isDirect, ask } = each;
  if (system === SECOND && (await first)?.isRefused)
    return skipped(`${url.host} is not asked, because the account was refused`);
  const tls = prefix && all.settings[prefix.toLowerCase() as Lowercase<Prefix>]?.tls;
  const { proxies } = all.settings;
  const connect = (mode: TlsMode) => probeTls(url, { tls: mode, timeoutMs: 10_000, proxyRoute: proxies });
  const shaken = isDirect ? undefined : await connect(tls ?? { kind: 'verify' });
  const failed = shaken?.kind === 'no answer' ? shaken : undefined;
  const found = failed ? fault(noAnswerText(url.host, failed.fault), prefix, failed) : await ask(all, url);
  const proxy = proxies && !isDirect && proxyFor(proxies, url)?.url.host;
  if (proxy) found.what += `\nthrough the proxy ${proxy}`;
  // An untrusted certificate is shown, to be pinned.
  const seen = failed?.fault.kind === 'untrusted' ? await connect({ kind: 'insecure' }) : shaken;
  if (!tls || seen?.kind !== 'connected' || !seen.certificate) return found;
  const { issuer, validToDate } = seen.certificate;
  const setting = `${prefix}_TLS`;
  const by = visible((issuer ?? '').replaceAll('\n', ', '));
  const day = validToDate.toISOString().slice(0, 10);
  const pin = `pin:${fingerprintOf(seen.certificate)}`;
  found.what += `\nits certificate for ${setting}, issued by ${by}, valid to ${day}:\n${pin}`;
  const cure = `compare the fingerprint with what the owners of the system say, and set ${setting} to that pin`;
  const unchecked = tls.kind === 'insecure' && { state: 'is not checked (insecure)', cure };
  const doubt = certificateFault(validToDate.getTime(), systemClock.now(), setting) ?? unchecked;
  if (found.state !== 'works' || !doubt) return found;
  return warning(`${found.what}\nit ${doubt.state}`, doubt.cure);
}

const ACTIVE_FIRST = 'name the active monitoring node first in NAC_URL';

async function askNac({ settings: { nac }, upstreams }: All, url: URL): Promise<Finding> {
  const { host } = url;
  const ask = (path: paths.NacPath) => upstreams.nac.call(paths.getRequest(url, path, nac));
  const textAt = async (path: paths.NacPath) => ({ text: '', ...(await ask(path)) }).text;
  const answered = readSessionOutcome(await ask(paths.sessionPath(paths.NOBODY, nac.macForm)));
  // No device has that address.
  const outcome = answered.kind === 'found' ? ({ kind: 'unusable', reason: 'unknown' } as const) : answered;
  if (outcome.kind !== 'no session') {
    const answer = { asked: paths.NOBODY, address: paths.NOBODY, outcome };
    const { words, reason } = describe(answer, createFormatter(systemClock));
    return fault(`${host}: ${words}. ${toPlain(reason)}`.trim(), 'NAC', outcome);
  }
  // 0 alone, 1 active and 2 standby monitoring node, 3 none of them; undefined if the answer does not say.
  const part = new Map(readXml(await textAt(paths.versionPath()), 'product').items[0]).get('type_of_node');
  if (part === '3') return fails(`${host} is no monitoring node, so it knows no sessions`, ACTIVE_FIRST);
  if (part === '2' && url === nac.addresses[0])
    return warning(`${host} is the standby monitoring node`, ACTIVE_FIRST);
  if (readActiveCount(await textAt(paths.activeCountPath())) === 0)
    return warning(`${host} has ${NO_SESSIONS.state}`, NO_SESSIONS.cure);
  return works(`${host} says "no session" for ${paths.NOBODY}, as it must`);
}

const askExchange =
  (name: IssuedName): Ask =>
  async ({ settings, upstreams }, { host }) => {
    const outcome = await exchangeOnce(name, settings, upstreams);
    if (!outcome || outcome.kind === 'held') return works(`${host} issues the ${name}`);
    return fault(exchangeFaultText(name, outcome), name === 'ticket' ? 'TICKET' : 'AUTHORIZE', outcome);
  };

async function askEndpoints({ settings, upstreams }: All, url: URL): Promise<Finding> {
  const account = settings.endpoints ?? settings.nac;
  const find = createEndpointReader({ upstream: upstreams.endpoints, url }, account);
  const { kind } = await find(paths.NOBODY);
  if (kind === 'read') return works(`${url.host} says that it has no record of ${paths.NOBODY}, as it must`);
  return fault(`${url.host} does not return devices' own records (${kind})`, 'ENDPOINTS', { kind });
}

const TEST_LINE = 'This is a test of nac-lookup-bot (doctor --post). There is nothing to do.';

async function askWebhook({ settings, upstreams, post }: All, { host }: URL): Promise<Finding> {
  if (!post) return works(`${host} is reached; whether the room takes posts, only a post shows: add --post`);
  const rests = { pauseOf: () => undefined, beginPause() {}, read: async () => {} };
  const way = { ...settings.webhook, upstream: upstreams.webhook, rests, steady: systemClock.steady };
  const outcome = await sendText(TEST_LINE, way);
  if (outcome.kind === 'posted') return works(`${host} took the post: one line stands in the room`);
  return fault(`the room gets nothing: ${postFaultText(outcome)}`, 'WEBHOOK', outcome);
}

async function askAuthority({ settings: { identity }, upstreams }: All): Promise<Finding> {
  const tokens = identity && createAppTokens(identity, upstreams.authority, systemClock.now, () => {});
  const fault = await tokens?.get().then(() => undefined, readTokenFault);
  return fault?.cure ? fails(fault.cure) : works('issues tokens for replies');
}

async function askKeys({ upstreams }: All, metadata: URL): Promise<Finding> {
  const found = await signing.fetchSigningKeys({ upstream: upstreams.keys, metadata });
  const [why, count] = typeof found === 'string' ? [found, 0] : ['no key that can be used', found.size];
  if (count > 0) return works(`${metadata.host} publishes ${count} that can be used`);
  const next = `without keys, no message is accepted: ${signing.CURE}`;
  return fails(`the keys cannot be fetched from ${metadata.host} (${why})`, next);
}

async function askTime({ upstreams }: All, url: URL): Promise<Finding> {
  const { host } = url;
  const answer = await upstreams.keys.call({ method: 'GET', url });
  const then = answer.kind === 'answered' ? Date.parse(String(answer.headers.date)) : Number.NaN;
  if (Number.isNaN(then)) return skipped(`${host} did not say the time`);
  const seconds = Math.round((systemClock.now() - then) / 1000);
  if (Math.abs(seconds) <= signing.CLOCK_TOLERANCE_S)
    return works(`this machine's clock agrees with that of ${host}`);
  const apart = `${Math.abs(seconds)} s ${seconds > 0 ? 'ahead of' : 'behind'}`;
  const what = `this machine's clock is ${apart} that of ${host}, so that tokens get refused`;
  return fails(what, 'have this machine set its clock by NTP (timedatectl set-ntp true)');
}

const WAY_OUT =
  'without this system, nobody gets an answer: check DNS, the firewall, and the way out (HTTPS_PROXY); where one of these opens TLS, name its authority in NODE_EXTRA_CA_CERTS';
const ONCE = '. Each run tries the account once: correct them first, or the account may get locked';

/** A lookup needs no administration node, so its faults are warnings. @param prefix undefined: one of Microsoft's systems */
function fault(what: string, prefix: Prefix | undefined, outcome: Outcome): Finding {
  const { kind, fault } = outcome;
  const isRefused = kind === 'refused';
  const code = fault?.kind === 'unreachable' ? ` (${fault.proxy?.code ?? fault.code})` : '';
  const cure = prefix ? `${cureFor(prefix, outcome)}${isRefused ? ONCE : ''}` : WAY_OUT;
  const proxy = fault?.kind === 'unreachable' && fault.proxy;
  const next = proxy ? proxyFaultText(proxy) : cure;
  const state = prefix === 'ENDPOINTS' && !isRefused ? 'warning' : 'FAILS';
  return { state, what: `${what}${code}`, next, isRefused };
}
