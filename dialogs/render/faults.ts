import type { ExchangeFault, IssuedName } from '../../src/credentials/exchanges.ts';
import type { HttpFault, TrustFault } from '../../src/domain/outcome.ts';
import type { PostFault } from '../../src/webhook/sender.ts';
import { type Wording, wordingFor } from './words.ts';

export function postFaultText(post: PostFault): string {
  return wordingFor(post, POST_FAULTS, undefined);
}

const POST_FAULTS: Wording<PostFault, undefined, string> = {
  'not found': () => 'its webhook does not exist (not found)',
  suspended: () => 'its webhook is suspended: somebody has to switch it on again, or make a new one',
  rejected: ({ status }) => `its webhook rejected them (HTTP status ${status})`,
  'error verdict': () => 'its webhook answered with an error',
  failed: ({ status }) => `its webhook failed (HTTP status ${status})`,
  'no answer': ({ fault }) =>
    fault.kind === 'untrusted'
      ? `nothing was sent, ${untrustedText("the room's webhook", fault.reason)}`
      : noAnswerText('its webhook', fault, 'its webhook sent an answer that could not be read'),
};

const ISSUERS: Readonly<Record<IssuedName, string>> = {
  'API key': 'the authorization service',
  ticket: 'the ticket service',
};

/** The reason why a credential was not issued. Continues after "API key: " or "ticket: ". */
export function exchangeFaultText(name: IssuedName, fault: ExchangeFault): string {
  return wordingFor(fault, EXCHANGE_FAULTS, ISSUERS[name]);
}

const EXCHANGE_FAULTS: Wording<ExchangeFault, string, string> = {
  refused: (_, issuer) => `refused by ${issuer}: user name or password is wrong`,
  forbidden: (_, issuer) => `refused by ${issuer}: this account is not allowed`,
  redirected: (_, issuer) =>
    `${issuer} redirected to another address, and the bot does not send the password there`,
  fault: ({ status }, issuer) => `${issuer} reported a fault (HTTP status ${status})`,
  'no credential': (_, issuer) => `${issuer} answered without one`,
  'no answer': ({ fault }, issuer) => noAnswerText(issuer, fault, `${issuer} answered without one`),
};

/** The reason why a system gave no answer. @param unread stands for an answer that is not whole */
export function noAnswerText(system: string, fault: HttpFault, unread = ''): string {
  if (fault.kind === 'timed out')
    return `${system} did not answer within ${fault.timeoutMs / 1000} s (time-out)`;
  if (fault.kind === 'untrusted') return `not asked, ${untrustedText(system, fault.reason)}`;
  return fault.kind === 'unreachable' ? `${system} could not be reached` : unread;
}

function untrustedText(system: string, reason: TrustFault): string {
  if (reason === 'no common TLS')
    return `because the TLS handshake with ${system} failed, so the bot cannot trust the connection`;
  const why = reason === 'expired' ? 'expired or not yet valid' : reason;
  return `because the bot does not trust the certificate of ${system} (${why})`;
}
