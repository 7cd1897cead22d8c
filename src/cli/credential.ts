import { exchangeFaultText } from '../../dialogs/render/outcomes.ts';
import { openUpstreams, systemClock, type Upstreams } from '../app/start.ts';
import { createExchanges, type IssuedName } from '../credentials/exchanges.ts';
import { proxyFaultText } from '../http/connection.ts';
import { linesOf, readSettingsNamed, type Settings } from '../settings.ts';
import type { Command } from './command.ts';

/** `credential key` (or `ticket`): exchanges the service account for a credential. No other place ever shows one. */
export const credential: Command = async ([word, ...others], environment) => {
  if (!['key', 'ticket'].includes(word ?? '') || others.length > 0) return undefined;
  const [name, prefix] =
    word === 'ticket' ? (['ticket', 'TICKET'] as const) : (['API key', 'AUTHORIZE'] as const);
  const read = readSettingsNamed(RegExp(`^${prefix}_|_PROXY$`, 'i'), environment);
  if ('problems' in read) return { code: 2, text: linesOf(read.problems) };
  const upstreams = openUpstreams(read.settings);
  const outcome = await exchangeOnce(name, read.settings, upstreams);
  await Promise.all(Object.values(upstreams).map((upstream) => upstream.close()));
  if (outcome === undefined) return { code: 2, text: `${prefix}_URL is missing: there is no ${name}\n` };
  if (outcome.kind === 'held') return { code: 0, text: `${outcome.credential.reveal()}\n` };
  const proxy = outcome.kind === 'no answer' && outcome.fault.kind === 'unreachable' && outcome.fault.proxy;
  const reason = proxy ? `: ${proxyFaultText(proxy)}` : '';
  return { code: 1, text: `${name}: ${exchangeFaultText(name, outcome)}${reason}\n` };
};

/** Exchanges the account once; undefined if the credential is not configured. */
export async function exchangeOnce(name: IssuedName, settings: Settings, upstreams: Upstreams) {
  const account = name === 'ticket' ? settings.ticket : settings.authorize;
  return account && createExchanges(settings, upstreams, systemClock.now)[name]?.(account);
}
