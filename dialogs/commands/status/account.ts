import type { CredentialOutcome, Held, NotConnected } from '../../../src/credentials/credential-outcome.ts';
import type { Owner, Vault } from '../../../src/credentials/vault.ts';
import { code } from '../../format/line.ts';
import type { Format } from '../../format/locale.ts';
import { timeAndAge } from '../../lookup/facts.ts';
import { sayExchangeFault } from '../../lookup/fault-words.ts';

/** The three credentials of one account. */
export type Account = {
  basic: Held | NotConnected;
  issued: Readonly<Record<'API key' | 'ticket', CredentialOutcome>>;
};

const WORDS = {
  notConnected: `not connected; ${code('connect')} changes that`,
  unknown: 'not known: what people connected with cannot be read now',
};

/** Reads an account's credentials. Renews what has expired. */
export async function readAccount(
  vault: Pick<Vault, 'apiKey' | 'ticket' | 'basic'>,
  owner: Owner,
): Promise<Account> {
  const [apiKey, ticket] = await Promise.all([vault.apiKey(owner), vault.ticket(owner)]);
  const basic = await vault.basic(owner); // Last, because a refused exchange forgets the person's account.
  return { basic, issued: { 'API key': apiKey, ticket } };
}

/** Says since when each credential is held, or why it is not. Never shows a credential. */
export function sayAccount({ basic, issued }: Account, format: Format): string[] {
  if (basic.kind === 'not connected') return [basic.unknown ? WORDS.unknown : WORDS.notConnected];
  return [
    `Basic: ${sayHeld(basic, format)}`,
    `API key: ${sayCredential('API key', issued['API key'], format)}`,
    `ticket: ${sayCredential('ticket', issued.ticket, format)}`,
  ];
}

/** The credentials that should be held, and are not. */
export function missingOf({ issued }: Account): string[] {
  return Object.entries(issued)
    .filter(([, { kind }]) => kind !== 'held' && kind !== 'not configured')
    .map(([name]) => name);
}

function sayCredential(name: 'API key' | 'ticket', outcome: CredentialOutcome, format: Format): string {
  switch (outcome.kind) {
    case 'held':
      return sayHeld(outcome, format);
    case 'not configured':
      return 'not configured';
    case 'not connected':
      return outcome.unknown ? WORDS.unknown : WORDS.notConnected;
    case 'resting':
      return `refused; not asked again for ${format.timeLeft(outcome.until)}`;
    case 'refused':
    case 'forbidden':
    case 'redirected':
    case 'fault':
    case 'no credential':
    case 'no answer':
      return sayExchangeFault(name, outcome);
  }
}

function sayHeld({ since, until }: Held, format: Format): string {
  const end = until === undefined ? '' : `, until ${format.time(until)}`;
  return `held since ${timeAndAge(since, format)}${end}`;
}
