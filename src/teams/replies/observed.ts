import { type Connector, DeliveryError } from './connector.ts';

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

/** Tells what becomes of each activity that a connector sends. */
export function observed(
  { conversations }: Connector,
  note: (outcome: ReplyOutcome, isTyping: boolean) => void,
): Connector {
  function telling<Rest extends unknown[], Result>(send: (...rest: Rest) => Promise<Result>) {
    return async (...rest: Rest): Promise<Result> => {
      const isTyping = (rest.at(-1) as { type?: unknown }).type === 'typing';
      try {
        const result = await send(...rest);
        note('sent', isTyping);
        return result;
      } catch (error) {
        if (error instanceof DeliveryError) note(outcomeOf(error), isTyping);
        throw error;
      }
    };
  }

  return {
    conversations: {
      sendToConversation: telling(conversations.sendToConversation),
      replyToActivity: telling(conversations.replyToActivity),
      updateActivity: telling(conversations.updateActivity),
    },
  };
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
