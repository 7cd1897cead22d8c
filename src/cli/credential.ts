import { sayExchangeFault } from '../../dialogs/lookup/verdict.ts';
import { systemClock } from '../app/start.ts';
import { createExchanges } from '../credentials/exchanges.ts';
import type { ProxyFault } from '../domain/outcome.ts';
import { sayProxyFault } from '../http/proxy.ts';
import { createUpstream } from '../http.ts';
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
  const { authorize, ticket, proxies } = read.settings;
  const account = authorize ?? ticket; // Only one was read.
  if (account === undefined) return { reasons: [`${url} is missing: this credential is not configured`] };

  const reasons: string[] = [];
  const onProxy = (fault: ProxyFault | undefined) => fault && reasons.push(sayProxyFault(fault));
  const wayOut = proxies && { proxies, onProxy };
  const upstream = createUpstream({ tls: account.tls, timeoutMs: 10_000, maxBytes: 1024 * 1024, wayOut });
  const upstreams = { authorize: upstream, ticket: upstream };
  const outcome = await createExchanges({ authorize, ticket }, upstreams, systemClock.now)[name]?.(account);
  await upstream.close();
  if (outcome?.kind === 'held') return { credential: outcome.credential.reveal() };
  return {
    reasons: [...reasons, `${name}: ${outcome ? sayExchangeFault(name, outcome) : 'not configured'}`],
  };
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
