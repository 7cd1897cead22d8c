import { type Activity, ActivityTypes } from 'botbuilder';
import type { Logger } from 'pino';
import type { TakenMessage } from '../../dialogs/dialog.ts';
import { isTargetedPlace, type Message, type Place } from '../../dialogs/format/message.ts';
import { endsWithin, type Timing } from '../domain/timing.ts';
import { addressTo } from './activity.ts';
import type { Send, TeamsChat } from './chat.ts';
import type { Connector } from './connector.ts';

/** An activity as it arrived. */
export type Incoming = {
  activity: Activity;
  key: string;
  place: Place;
  /** When it arrived: milliseconds since 1970, and by the steady clock. */
  arrivedAt: number;
  begunAt: number;
  /** Collects the replies that are the answer to its request; undefined: replies go to the chat service. */
  atOnce: Send | undefined;
};

type ReplyParts = {
  chat: TeamsChat;
  connector: Pick<Connector, 'send'>;
  timing: Pick<Timing, 'turnMs'>;
  log: Logger;
};

/** How long a turn tries to send its last message, if nothing queues it. The channel repeats what is not acknowledged. */
const LAST_MS = 2000;

/** Teams shows for about five seconds that the bot is typing. An answer that comes at once needs no sign of it. */
const AGAIN_AFTER_MS = 4000;
const FIRST_AFTER_MS = 500;
/** How long an answer waits for a sign in flight, which must not come after it. */
const OVERTAKE_MS = 1000;

/**
 * The ways in which a turn answers its message. The bot is typing until it sends something. Replies in the answer to the request
 * come all at once, so nothing is shown before; everyone in a conversation sees typing, so a targeted question gets none.
 * @param replacedId the message of an earlier answer, which the first message replaces
 */
export function openReplies(incoming: Incoming, replacedId: string | undefined, parts: ReplyParts) {
  const { place, begunAt, atOnce } = incoming;
  const { chat, connector, timing, log } = parts;
  const through = atOnce ?? connector.send;
  const show = () => connector.send(addressTo(place, { type: ActivityTypes.Typing }));
  const onError = (err: unknown) => log.debug({ err }, 'typing could not be shown');
  const stopTyping = atOnce || isTargetedPlace(place) ? async () => {} : startTyping(show, onError);
  let answerId: string | undefined;
  let earlierId = replacedId;

  async function replace(id: string, message: Message | string): Promise<boolean> {
    const isReplaced = await chat.edit(place, id, toMessage(message));
    if (isReplaced) answerId = id;
    return isReplaced;
  }

  /** Puts the first message in the place of the earlier answer, if there is one. */
  async function isInPlace(message: Message): Promise<boolean> {
    const id = earlierId;
    earlierId = undefined;
    return id !== undefined && replace(id, message);
  }

  return {
    stopTyping,
    /** The message that was sent or edited last; undefined if the chat service gave none an id. */
    answerId: () => answerId,
    async say(message: Message | string): Promise<void> {
      await stopTyping();
      if (await isInPlace(toMessage(message))) return;
      answerId = await chat.send(place, toMessage(message), begunAt + timing.turnMs, through);
    },
    async sayOnce(message: Message, isLast = false): Promise<TakenMessage | undefined> {
      await stopTyping();
      if (atOnce && !isLast) return undefined;
      if (await isInPlace(message)) return { id: answerId };
      const sent = await chat.sendOnce(place, message, isLast ? LAST_MS : 0, through);
      answerId = sent?.id;
      return sent;
    },
    replace,
  };
}

const toMessage = (message: Message | string): Message =>
  typeof message === 'string' ? { text: message } : message;

/** Shows typing from half a second on. Returns a function that ends it: once that has settled, no sign comes any more. */
export function startTyping(show: () => Promise<unknown>, onError: (error: unknown) => void) {
  let showing: Promise<unknown> | undefined;
  let timer = setTimeout(showNow, FIRST_AFTER_MS);

  function showNow(): void {
    showing = show().catch(onError);
    timer = setTimeout(showNow, AGAIN_AFTER_MS);
  }

  return async () => {
    clearTimeout(timer);
    if (showing) await endsWithin(showing, OVERTAKE_MS);
  };
}
