import type { ExchangeFault, IssuedName } from '../src/credentials/exchange-outcome.ts';
import { sayUntrusted } from './trust-words.ts';

/** Which system issues which credential, in words. */
const ISSUERS: Readonly<Record<IssuedName, string>> = {
  'API key': 'the authorization service',
  ticket: 'the ticket service',
};

/** Why a credential was not issued; goes on after "API key: " or "ticket: ". */
export function sayExchangeFault(name: IssuedName, fault: ExchangeFault): string {
  const issuer = ISSUERS[name];
  switch (fault.kind) {
    case 'refused':
      return `refused by ${issuer}: user name or password is wrong`;
    case 'forbidden':
      return `refused by ${issuer}: this account may not have one`;
    case 'redirected':
      return REDIRECTED[fault.reason](issuer);
    case 'fault':
      return `${issuer} reported a fault (HTTP status ${fault.status})`;
    case 'no credential':
      return `${issuer} answered without a ${name === 'API key' ? 'key' : 'ticket'}`;
    case 'timed out':
      return `${issuer} did not answer within ${fault.timeoutMs / 1000} s (time-out)`;
    case 'untrusted':
      return `not asked, ${sayUntrusted(issuer, fault.reason)}`;
    case 'unreachable':
      return `${issuer} could not be reached`;
  }
}

const REDIRECTED = {
  'another origin': (issuer: string) =>
    `${issuer} redirected to another place, and the password does not go there`,
  'too many': (issuer: string) => `${issuer} redirected more than 5 times`,
  'no address': (issuer: string) => `${issuer} redirected without saying where to`,
};
