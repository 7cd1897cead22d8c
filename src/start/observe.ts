import type { Logger } from 'pino';
import type { Limits } from '../../dialogs/dialog.ts';
import type { Lookup } from '../nac/lookup.ts';
import type { Health } from '../ops/health.ts';
import type { Metrics } from '../ops/metrics.ts';
import type { PostToRoom } from '../webhook/sender.ts';

/** The receivers of outcomes. */
export type Observers = { health: Health; metrics: Metrics | undefined; log: Logger };

/** Logs and counts each lookup's outcome, and notes the NAC's health. */
export function observeLookups(lookUp: Lookup, { health, metrics, log }: Observers): Lookup {
  return async (address, person) => {
    const begun = performance.now();
    const outcome = await lookUp(address, person);
    const ms = Math.round(performance.now() - begun);
    health.note('nac', outcome.kind === 'found' || outcome.kind === 'no session' ? 'ok' : 'failing');
    metrics?.lookup(outcome.kind, ms / 1000);
    log.info({ address, person, outcome: outcome.kind, ms }, 'lookup');
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
