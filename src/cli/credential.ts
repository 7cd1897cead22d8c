import { sayExchangeFault } from '../../dialogs/lookup/outcome-words.ts';
import { systemClock } from '../app/clock.ts';
import { createExchanges } from '../credentials/exchanges.ts';
import type { ProxyFault } from '../domain/outcome.ts';
import { sayProxyFault } from '../http/proxy.ts';
import { createUpstream } from '../http.ts';
import { readSettingsNamed } from '../settings.ts';

/**
 * `npm run -s credential -- key` (or `ticket`): exchanges the service account for a credential, with the present settings.
 * Prints only the credential on stdout. No other place ever shows a credential.
 */
const CREDENTIALS = [
  { word: 'key', name: 'API key', settings: /^AUTHORIZE_|_PROXY$/i, url: 'AUTHORIZE_URL' },
  { word: 'ticket', name: 'ticket', settings: /^TICKET_|_PROXY$/i, url: 'TICKET_URL' },
] as const;

const wanted = CREDENTIALS.find(({ word }) => word === process.argv[2]);
if (wanted) await print(wanted);
else fail('Name the credential: npm run -s credential -- key (or: -- ticket)');

async function print({ name, settings, url }: (typeof CREDENTIALS)[number]): Promise<void> {
  const read = readSettingsNamed(settings, process.env);
  if ('problems' in read)
    return fail(read.problems.map((problem) => `${problem.name} ${problem.message}`).join('\n'));
  const { authorize, ticket, proxies } = read.settings;
  const account = authorize ?? ticket; // Only one was read.
  if (account === undefined) return fail(`${url} is missing: this credential is not configured`);

  const onProxy = (fault: ProxyFault | undefined) => fault && fail(sayProxyFault(fault));
  const wayOut = proxies && { proxies, onProxy };
  const upstream = createUpstream({ tls: account.tls, timeoutMs: 10_000, maxBytes: 1024 * 1024, wayOut });
  const exchanges = createExchanges(
    { authorize, ticket },
    { authorize: upstream, ticket: upstream },
    systemClock.now,
  );
  const outcome = await exchanges[name]?.(account);
  await upstream.close();
  if (outcome === undefined) return fail(`${name}: not configured`);
  if (outcome.kind !== 'granted') return fail(`${name}: ${sayExchangeFault(name, outcome)}`);
  process.stdout.write(`${outcome.credential.reveal()}\n`);
}

function fail(reason: string): void {
  process.stderr.write(`${reason}\n`);
  process.exitCode = 1;
}
