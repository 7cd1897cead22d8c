import type { Logger } from 'pino';
import type { Limits } from '../../dialogs/dialog.ts';
import type { TokenOutcome } from '../authentication/app-tokens.ts';
import type { Lookup } from '../nac/lookup.ts';
import type { Health } from '../ops/health.ts';
import type { Metrics } from '../ops/metrics.ts';
import type { PostToRoom } from '../webhook/sender.ts';

/** The receivers of outcomes. */
export type Observers = { health: Health; metrics: Metrics | undefined; log: Logger };

/** Counts each lookup's outcome, and notes the NAC's health. */
export function observeLookups(lookUp: Lookup, { health, metrics }: Observers): Lookup {
  return async (address, person) => {
    const begun = performance.now();
    const outcome = await lookUp(address, person);
    health.note('nac', outcome.kind === 'found' || outcome.kind === 'no session' ? 'ok' : 'failing');
    metrics?.lookup(outcome.kind, (performance.now() - begun) / 1000);
    return outcome;
  };
}

/** Counts each post's outcome, logs failures, and notes the webhook's health. */
export function observePosts(post: PostToRoom, { health, metrics, log }: Observers): PostToRoom {
  return async (text) => {
    const outcome = await post(text);
    health.note('webhook', outcome.kind === 'posted' ? 'ok' : 'failing');
    metrics?.post(outcome.kind);
    if (outcome.kind !== 'posted') log.warn({ outcome: outcome.kind }, 'not posted');
    return outcome;
  };
}

/** Counts each request for a token, notes the chat's health, and logs when tokens stop and when they come again. */
export function observeTokens({ health, metrics, log }: Observers): (outcome: TokenOutcome) => void {
  let before: TokenOutcome['kind'] | undefined;
  return (outcome) => {
    metrics?.token(outcome.kind);
    const isNew = outcome.kind !== before;
    before = outcome.kind;
    if (outcome.kind !== 'issued') {
      health.note('chat', 'failing');
      if (isNew)
        log.warn(
          { outcome: outcome.kind },
          `the bot gets no token, so nobody gets an answer: ${sayTokenFault(outcome)}`,
        );
    } else if (isNew) {
      health.note('chat', 'ok');
      log.info('the authority issues tokens for replies');
    }
  };
}

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

/** Counts what a limit refuses. */
export function observeLimits(limits: Limits, metrics: Metrics | undefined): Limits {
  const counted = (waitMs: number) => {
    if (waitMs > 0) metrics?.limited();
    return waitMs;
  };
  return {
    takeMessage: (person) => counted(limits.takeMessage(person)),
    take: (person, addresses) => counted(limits.take(person, addresses)),
    waitFor: limits.waitFor,
  };
}
