import { exchangeFaultText } from '../../dialogs/render/faults.ts';
import { systemClock } from '../app/start.ts';
import { openUpstreams } from '../app/upstreams.ts';
import { createExchanges } from '../credentials/exchanges.ts';
import type { ProxyFault } from '../domain/outcome.ts';
import { proxyFaultText } from '../http/proxy.ts';
import { linesOf, readSettingsNamed } from '../settings.ts';
import type { Command } from './command.ts';

/** `credential key` (or `ticket`): exchanges the service account for a credential. No other place ever shows one. */
export const credential: Command = async ([word, ...others], environment) => {
  if (!['key', 'ticket'].includes(word ?? '') || others.length > 0)
    return { code: 2, text: 'Name the credential: nac-lookup-bot credential key (or: ticket)\n' };
  const [name, prefix] =
    word === 'ticket' ? (['ticket', 'TICKET'] as const) : (['API key', 'AUTHORIZE'] as const);
  const read = readSettingsNamed(RegExp(`^${prefix}_|_PROXY$`, 'i'), environment);
  if ('problems' in read) return { code: 2, text: linesOf(read.problems) };
  const account = read.settings.authorize ?? read.settings.ticket; // Only one was read.
  const reasons: string[] = [];
  const onProxy = (fault: ProxyFault | undefined) => fault && reasons.push(proxyFaultText(fault));
  const upstreams = openUpstreams(read.settings, () => ({ onProxy }));
  const exchange = createExchanges(read.settings, upstreams, systemClock.now)[name];
  const outcome = account && (await exchange?.(account));
  await Promise.all(Object.values(upstreams).map((upstream) => upstream.close()));
  const missing = `${prefix}_URL is missing: this credential is not configured\n`;
  if (outcome === undefined) return { code: 2, text: missing };
  if (outcome.kind === 'held') return { code: 0, text: `${outcome.credential.reveal()}\n` };
  reasons.push(`${name}: ${exchangeFaultText(name, outcome)}`);
  return { code: 1, text: `${reasons.join('\n')}\n` };
};
