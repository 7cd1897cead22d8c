import type { Logger } from 'pino';
import type { Health } from './health.ts';
import type { Lookup } from './nac/lookup.ts';
import type { PostToRoom } from './webhook/sender.ts';

/** Logs each lookup's outcome, and notes how the NAC was seen. */
export function observeLookups(lookUp: Lookup, health: Health, log: Logger): Lookup {
  return async (address, person) => {
    const outcome = await lookUp(address, person);
    health.note('nac', outcome.kind === 'found' || outcome.kind === 'no session' ? 'ok' : 'failing');
    log.info({ address, person, outcome: outcome.kind }, 'lookup');
    return outcome;
  };
}

/** Logs each post's outcome, and notes how the webhook was seen. */
export function observePosts(post: PostToRoom, health: Health, log: Logger): PostToRoom {
  return async (text) => {
    const outcome = await post(text);
    health.note('webhook', outcome.kind === 'posted' ? 'ok' : 'failing');
    log.info({ outcome: outcome.kind }, 'post');
    return outcome;
  };
}
