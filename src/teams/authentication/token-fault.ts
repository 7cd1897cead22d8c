import type { TokenOutcome } from './app-tokens.ts';

/** Says why there is no token, and the cure. Codes: https://learn.microsoft.com/entra/identity-platform/reference-error-codes. */
export function sayTokenFault(outcome: Exclude<TokenOutcome, { kind: 'issued' }>): string {
  switch (outcome.kind) {
    case 'refused':
      return sayRefusal(outcome.code);
    case 'unreachable':
      return 'the authority for tokens cannot be reached or knows no such tenant: check MicrosoftAppTenantId, and the way out (HTTPS_PROXY)';
    case 'timed out':
      return 'the authority for tokens does not answer: check the way out (HTTPS_PROXY)';
    case 'failed':
      return 'no token could be got: check MicrosoftAppType, and for UserAssignedMSI that this machine has the identity';
  }
}

function sayRefusal(code: number | undefined): string {
  switch (code) {
    case 7000215:
      return 'MicrosoftAppPassword is wrong; set the value of a client secret, not its id';
    case 7000222:
      return 'the client secret in MicrosoftAppPassword has expired; make a new one';
    case 700016:
    case 90002:
      return 'MicrosoftAppId is unknown in the tenant; check it, MicrosoftAppTenantId and MicrosoftAppType';
    default: {
      const name = code === undefined ? '' : ` (AADSTS${code})`;
      return `the authority refuses the bot a token${name}; check the settings that begin with MicrosoftApp`;
    }
  }
}
