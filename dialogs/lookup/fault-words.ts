import type { ExchangeFault, IssuedName } from '../../src/credentials/exchange-outcome.ts';
import type { HttpFault, TrustFault } from '../../src/domain/outcome.ts';
import type { Delivery } from '../../src/webhook/delivery.ts';
import type { PostFault } from '../../src/webhook/sender.ts';

/** Says what became of the room's post: a lookup's tokens, or an alert's devices. Contains no foreign text. */
export function sayDelivery(
  { outcome, partly, kept }: Delivery,
  what: 'tokens' | 'devices' = 'tokens',
): string {
  if (outcome.kind === 'posted') return `The ${what} were posted to the room.`;
  if (outcome.kind === 'waiting')
    return `The ${what} are not posted yet, because the room did not take them at first. I keep trying for 24 hours.`;
  const opening = partly
    ? `Some of the ${what} were posted to the room; the rest were not posted`
    : `The ${what} were not posted to the room`;
  const fault = `${opening}: ${sayPostFault(outcome)}.`;
  if (kept) return `${fault} I keep trying for 24 hours.`;
  const settings = isUntrusted(outcome) ? 'WEBHOOK_TLS' : 'WEBHOOK_URL and WEBHOOK_TOKEN';
  return `${fault} Please pass them on yourself. Whoever runs the bot can check ${settings}.`;
}

/** Says why the room's webhook did not take a post. */
export function sayPostFault(post: PostFault): string {
  switch (post.kind) {
    case 'not found':
      return 'its webhook does not exist (not found)';
    case 'rejected':
      return `its webhook rejected them (HTTP status ${post.status})`;
    case 'error verdict':
      return 'its webhook answered with an error';
    case 'failed':
      return `its webhook failed (HTTP status ${post.status})`;
    case 'no answer':
      return isUntrusted(post)
        ? `nothing was sent, ${sayUntrusted("the room's webhook", post.fault.reason)}`
        : sayNoAnswer('its webhook', post.fault, 'its webhook sent an answer that could not be read');
  }
}

function isUntrusted(outcome: PostFault): outcome is PostFault & { fault: { kind: 'untrusted' } } {
  return outcome.kind === 'no answer' && outcome.fault.kind === 'untrusted';
}

/** Says why a system gave no answer. @param unread what is said of an answer that came, but not whole */
function sayNoAnswer(system: string, fault: HttpFault, unread: string): string {
  switch (fault.kind) {
    case 'timed out':
      return `${system} did not answer within ${fault.timeoutMs / 1000} s (time-out)`;
    case 'untrusted':
      return `not asked, ${sayUntrusted(system, fault.reason)}`;
    case 'unreachable':
      return `${system} could not be reached`;
    case 'too large':
    case 'cut off':
      return unread;
  }
}

/** The system that issues each credential. */
const ISSUERS: Readonly<Record<IssuedName, string>> = {
  'API key': 'the authorization service',
  ticket: 'the ticket service',
};

/** Says why a credential was not issued. Continues after "API key: " or "ticket: ". */
export function sayExchangeFault(name: IssuedName, fault: ExchangeFault): string {
  const issuer = ISSUERS[name];
  switch (fault.kind) {
    case 'refused':
      return `refused by ${issuer}: user name or password is wrong`;
    case 'forbidden':
      return `refused by ${issuer}: this account is not allowed`;
    case 'redirected':
      return REDIRECTED[fault.reason](issuer);
    case 'fault':
      return `${issuer} reported a fault (HTTP status ${fault.status})`;
    case 'no credential':
      return sayNone(name);
    case 'no answer':
      return sayNoAnswer(issuer, fault.fault, sayNone(name));
  }
}

function sayNone(name: IssuedName): string {
  return `${ISSUERS[name]} answered without a ${name === 'API key' ? 'key' : 'ticket'}`;
}

const REDIRECTED = {
  'another origin': (issuer: string) =>
    `${issuer} redirected to another address, and the bot does not send the password there`,
  'too many': (issuer: string) => `${issuer} redirected more than 5 times`,
  'no address': (issuer: string) => `${issuer} redirected without an address`,
};

/** Says why the bot does not trust a system. Continues after a comma. */
export function sayUntrusted(system: string, reason: TrustFault): string {
  switch (reason) {
    case 'not acceptable':
      return `because the bot does not trust the certificate of ${system} (not acceptable)`;
    case 'unknown authority':
      return `because the certificate of ${system} comes from an authority that the bot does not trust`;
    case 'wrong host name':
      return `because the bot does not trust the certificate of ${system} (issued for another host name)`;
    case 'expired':
      return `because the bot does not trust the certificate of ${system} (expired or not yet valid)`;
    case 'wrong pin':
      return `because the certificate of ${system} does not match its pin`;
    case 'no common TLS':
      return `because the TLS handshake with ${system} failed, so the bot cannot trust the connection`;
  }
}
