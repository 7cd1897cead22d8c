import { exchangeFaultText } from '../../dialogs/render/faults.ts';
import { systemClock } from '../app/start.ts';
import { openUpstreams } from '../app/upstreams.ts';
import { createExchanges } from '../credentials/exchanges.ts';
import type { ProxyFault } from '../domain/outcome.ts';
import { proxyFaultText } from '../http/proxy.ts';
import { linesOf, readSettingsNamed } from '../settings.ts';
import type { Command } from './command.ts';

const CREDENTIALS = [
  { word: 'key', name: 'API key', settings: /^AUTHORIZE_|_PROXY$/i, url: 'AUTHORIZE_URL' },
  { word: 'ticket', name: 'ticket', settings: /^TICKET_|_PROXY$/i, url: 'TICKET_URL' },
] as const;

/** `credential key` (or `ticket`): exchanges the service account for a credential. No other place ever shows one. */
export const credential: Command = async ([word, ...others], environment) => {
  const wanted = CREDENTIALS.find((each) => each.word === word);
  if (!wanted || others.length > 0)
    return { code: 2, text: 'Name the credential: nac-lookup-bot credential key (or: ticket)\n' };
  const { name, settings, url } = wanted;
  const read = readSettingsNamed(settings, environment);
  if ('problems' in read) return { code: 2, text: linesOf(read.problems) };
  const account = read.settings.authorize ?? read.settings.ticket; // Only one was read.
  const reasons: string[] = [];
  const onProxy = (fault: ProxyFault | undefined) => fault && reasons.push(proxyFaultText(fault));
  const upstreams = openUpstreams(read.settings, () => ({ onProxy }));
  const exchange = createExchanges(read.settings, upstreams, systemClock.now)[name];
  const outcome = account && (await exchange?.(account));
  await Promise.all(Object.values(upstreams).map((upstream) => upstream.close()));
  const missing = `${url} is missing: this credential is not configured\n`;
  if (outcome === undefined) return { code: 2, text: missing };
  if (outcome.kind === 'held') return { code: 0, text: `${outcome.credential.reveal()}\n` };
  reasons.push(`${name}: ${exchangeFaultText(name, outcome)}`);
  return { code: 1, text: `${reasons.join('\n')}\n` };
};
