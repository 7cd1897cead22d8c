import { sayExchangeFault } from '../../../dialogs/lookup/fault-words.ts';
import { systemClock } from '../../app/clock.ts';
import type { ExchangeFault, IssuedName } from '../../credentials/exchange-outcome.ts';
import { createExchanges } from '../../credentials/exchanges.ts';
import { sayRefused, sayResting } from './account.ts';
import { type Examination, withCertificate } from './examination.ts';
import { type Diagnosis, type Finding, fails, works } from './finding.ts';
import { sayNoAnswer } from './no-answer.ts';
import type { Watched } from './watch.ts';

/** What each exchange is called, in the table and in the settings. */
const NAMES = {
  authorize: { credential: 'API key', system: 'authorization service', prefix: 'AUTHORIZE' },
  ticket: { credential: 'ticket', system: 'ticket service', prefix: 'TICKET' },
} as const;

type Which = keyof typeof NAMES;

/** Makes one exchange, and drops what it issues. Returns no row for an exchange that is not configured. */
export async function examineExchange(which: Which, examination: Examination): Promise<Finding[]> {
  const configured = examination.settings[which];
  if (configured === undefined) return [];
  const { system, prefix } = NAMES[which];
  const { url, tls } = configured;
  const diagnosis = await exchangeOnce(which, configured, examination);
  const trusted = { url, tls, setting: `${prefix}_TLS`, wayOut: examination.wayOut };
  return [{ system, ...(await withCertificate(diagnosis, trusted)) }];
}

async function exchangeOnce(
  which: Which,
  account: NonNullable<Examination['settings'][Which]>,
  examination: Examination,
): Promise<Diagnosis> {
  const { settings, upstreams, refusals } = examination;
  const { credential, prefix } = NAMES[which];
  const tried = { system: credential, username: account.username };
  const resting = await sayResting(tried, examination);
  if (resting) return resting;

  const exchange = createExchanges(settings, upstreams, systemClock.now)[credential];
  if (exchange === undefined) throw new TypeError('a configured exchange exists');
  const outcome = await exchange(account);
  if (outcome.kind === 'refused')
    return sayRefused(tried, {
      refusals,
      what: `${account.url.host} refuses the user name or the password`,
      check: `check ${prefix}_USERNAME and ${prefix}_PASSWORD, and that the account is not locked`,
    });
  if (outcome.kind !== 'granted')
    return sayFault(outcome, { credential, prefix, upstream: upstreams[which] });
  refusals.forget(credential, account.username);
  return works(`${account.url.host} issues ${credential === 'ticket' ? 'a ticket' : 'an API key'}`);
}

type Asked = { credential: IssuedName; prefix: string; upstream: Watched };

function sayFault(
  outcome: Exclude<ExchangeFault, { kind: 'refused' }>,
  { credential, prefix, upstream }: Asked,
): Diagnosis {
  const last = upstream.last();
  if (last && last.outcome.kind !== 'answered')
    return sayNoAnswer(last.outcome, {
      origin: last.origin,
      address: `${prefix}_URL`,
      tls: `${prefix}_TLS`,
    });
  return fails(sayExchangeFault(credential, outcome), adviceFor(outcome, prefix));
}

function adviceFor({ kind }: Exclude<ExchangeFault, { kind: 'refused' }>, prefix: string): string {
  const where = prefix === 'TICKET' ? 'TICKET_URL' : 'AUTHORIZE_URL and AUTHORIZE_SDK_PREFIX';
  switch (kind) {
    case 'forbidden':
      return 'have the account allowed, by those who run the service';
    case 'redirected':
      return `set ${where} to the service's own address`;
    case 'fault':
    case 'no credential':
      return `check ${where}; if they are right, ask those who run the service`;
    case 'timed out':
    case 'untrusted':
    case 'unreachable':
      return `check ${where}`;
  }
}
