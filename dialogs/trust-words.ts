import type { TrustFault } from '../src/http.ts';

/** Why a system's certificate was refused; goes on after a comma. */
export function sayUntrusted(system: string, reason: TrustFault): string {
  switch (reason) {
    case 'not acceptable':
      return `for the certificate of ${system} is not acceptable, so the bot does not trust it`;
    case 'unknown authority':
      return `for the certificate of ${system} comes from an authority that the bot does not trust`;
    case 'wrong host name':
      return `for the certificate of ${system} is for another host name, so the bot does not trust it`;
    case 'expired':
      return `for the certificate of ${system} is expired or not yet valid, so the bot does not trust it`;
    case 'wrong pin':
      return `for the certificate of ${system} does not match its pin`;
    case 'no common TLS':
      return `for no TLS connection that the bot can trust came about with ${system}`;
  }
}
