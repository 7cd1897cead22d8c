import { sayExchangeFault } from '../../dialogs/lookup/fault-words.ts';
import { systemClock } from '../app/clock.ts';
import type { IssuedName } from '../credentials/exchange-outcome.ts';
import { createExchanges } from '../credentials/exchanges.ts';
import type { ProxyFault } from '../domain/outcome.ts';
import { sayProxyFault } from '../http/proxy.ts';
import { createUpstream } from '../http.ts';
import { readExchangeSettings } from '../settings/exchange-settings.ts';

/**
 * `npm run -s credential -- key` (or `ticket`): exchanges the service account for a credential, with the present settings.
 * Prints only the credential on stdout. No other place ever shows a credential.
 */
const NAMES: Readonly<Record<string, IssuedName>> = { key: 'API key', ticket: 'ticket' };

await main(process.argv[2] ?? '');

async function main(word: string): Promise<void> {
  const name = Object.hasOwn(NAMES, word) ? NAMES[word] : undefined;
  if (name === undefined) return fail('Name the credential: npm run -s credential -- key (or: -- ticket)');
  const read = readExchangeSettings(process.env, name);
  if ('problems' in read)
    return fail(read.problems.map((problem) => `${problem.name} ${problem.message}`).join('\n'));

  const { account, tls, addresses, proxies } = read.settings;
  const wayOut = proxies && {
    proxies,
    onProxy: (fault: ProxyFault | undefined) => fault && fail(sayProxyFault(fault)),
  };
  const upstream = createUpstream({ tls, timeoutMs: 10_000, maxBytes: 1024 * 1024, wayOut });
  const exchange = createExchanges(addresses, { authorize: upstream, ticket: upstream }, systemClock.now)[
    name
  ];
  const outcome = await exchange?.(account);
  await upstream.close();
  if (outcome === undefined) return fail(`${name}: not configured`);
  if (outcome.kind !== 'granted') return fail(`${name}: ${sayExchangeFault(name, outcome)}`);
  process.stdout.write(`${outcome.credential.reveal()}\n`);
}

function fail(reason: string): void {
  process.stderr.write(`${reason}\n`);
  process.exitCode = 1;
}
