import { exchangeFaultText } from '../../dialogs/render/faults.ts';
import { systemClock } from '../app/start.ts';
import { openUpstreams } from '../app/upstreams.ts';
import { createExchanges } from '../credentials/exchanges.ts';
import type { ProxyFault } from '../domain/outcome.ts';
import { sayProxyFault } from '../http/proxy.ts';
import type { Environment } from '../settings/environment.ts';
import { readSettingsNamed } from '../settings.ts';

const CREDENTIALS = [
  { word: 'key', name: 'API key', settings: /^AUTHORIZE_|_PROXY$/i, url: 'AUTHORIZE_URL' },
  { word: 'ticket', name: 'ticket', settings: /^TICKET_|_PROXY$/i, url: 'TICKET_URL' },
] as const;

/** Exchanges the service account for a credential, with the present settings. Returns the credential, or why there is none. */
export async function issue(
  word: string | undefined,
  environment: Environment,
): Promise<{ credential: string } | { reasons: readonly string[] }> {
  const wanted = CREDENTIALS.find((each) => each.word === word);
  if (!wanted) return { reasons: ['Name the credential: npm run -s credential -- key (or: -- ticket)'] };
  const { name, settings, url } = wanted;
  const read = readSettingsNamed(settings, environment);
  if ('problems' in read) return { reasons: read.problems.map((each) => `${each.name} ${each.message}`) };
  const account = read.settings.authorize ?? read.settings.ticket; // Only one was read.
  const reasons: string[] = [];
  const onProxy = (fault: ProxyFault | undefined) => fault && reasons.push(sayProxyFault(fault));
  const upstreams = openUpstreams(read.settings, () => onProxy);
  const outcome =
    account && (await createExchanges(read.settings, upstreams, systemClock.now)[name]?.(account));
  await Promise.all(Object.values(upstreams).map((upstream) => upstream.close()));
  if (outcome === undefined) return { reasons: [`${url} is missing: this credential is not configured`] };
  if (outcome.kind === 'held') return { credential: outcome.credential.reveal() };
  return { reasons: [...reasons, `${name}: ${exchangeFaultText(name, outcome)}`] };
}

/** `npm run -s credential -- key` (or `ticket`) prints only the credential on stdout. No other place ever shows one. */
if (import.meta.main) {
  const issued = await issue(process.argv[2], process.env);
  if ('credential' in issued) process.stdout.write(`${issued.credential}\n`);
  else {
    process.stderr.write(`${issued.reasons.join('\n')}\n`);
    process.exitCode = 1;
  }
}
