import { type Connector, DeliveryError } from '../bot/replies/connector.ts';
import type { Observers } from './observe.ts';

/** What became of a reply, as a metric's label says it. */
type ReplyOutcome =
  | 'sent'
  | 'no token'
  | 'unauthorized'
  | 'gone'
  | 'throttled'
  | 'refused'
  | 'failed'
  | 'timed out'
  | 'untrusted'
  | 'unreachable';

/** With these outcomes the chat service works; one message was not for it to take. */
const WORKS: ReadonlySet<ReplyOutcome> = new Set(['sent', 'gone', 'throttled', 'refused']);

/**
 * Counts what becomes of replies, notes the chat's health, and logs when replies stop and when they arrive again. Signs of
 * typing are not counted. A missing token is told where tokens are asked for.
 */
export function observeReplies({ conversations }: Connector, { health, metrics, log }: Observers): Connector {
  let isFailing = false;

  function note(outcome: ReplyOutcome, activity: unknown): void {
    if (!isTyping(activity)) metrics?.reply(outcome);
    if (outcome === 'no token') return;
    const works = WORKS.has(outcome);
    health.note('chat', works ? 'ok' : 'failing');
    if (works === !isFailing) return;
    isFailing = !works;
    if (works) log.info('replies reach the chat service again');
    else log.warn({ outcome }, WORDS[outcome === 'unauthorized' ? 'unauthorized' : 'failing']);
  }

  function observed<Rest extends unknown[], Result>(send: (...rest: Rest) => Promise<Result>) {
    return async (...rest: Rest): Promise<Result> => {
      try {
        const result = await send(...rest);
        note('sent', rest.at(-1));
        return result;
      } catch (error) {
        if (error instanceof DeliveryError) note(outcomeOf(error), rest.at(-1));
        throw error;
      }
    };
  }

  return {
    conversations: {
      sendToConversation: observed(conversations.sendToConversation),
      replyToActivity: observed(conversations.replyToActivity),
      updateActivity: observed(conversations.updateActivity),
    },
  };
}

const WORDS = {
  unauthorized:
    "replies are refused (401), so nobody gets an answer: check that MicrosoftAppId and MicrosoftAppType are the registration's",
  failing:
    'replies do not reach the chat service; they are kept for 24 hours: check the way out (HTTPS_PROXY), and the state of the chat service',
};

function isTyping(activity: unknown): boolean {
  return (activity as { type?: unknown }).type === 'typing';
}

function outcomeOf({ reason, isGone }: DeliveryError): ReplyOutcome {
  if (typeof reason === 'number') {
    if (isGone) return 'gone';
    if (reason === 401) return 'unauthorized';
    if (reason === 429) return 'throttled';
    return reason >= 500 ? 'failed' : 'refused';
  }
  switch (reason) {
    case 'no token':
    case 'timed out':
    case 'untrusted':
      return reason;
    case 'cut off':
    case 'too large':
      return 'failed';
    default:
      return 'unreachable';
  }
}
