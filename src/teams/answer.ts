import { ActivityTypes, type TurnContext } from 'botbuilder';
import type { Logger } from 'pino';
import type { Message } from '../../dialogs/format/message.ts';
import { endsWithin } from '../domain/timing.ts';
import { isAnsweredAtOnce, send } from './adapter.ts';
import type { Replies } from './replies.ts';
import { isTargeted } from './targeted.ts';

/**
 * How a turn answers its message. The bot is typing until it says something. Replies in the answer to the request come all at
 * once, so nothing is shown before. Everyone in a conversation sees typing, so nobody sees it for a targeted question.
 * @param replacedId the message in whose place the first reply comes
 */
export function createAnswer(
  context: TurnContext,
  replacedId: string | undefined,
  { replies, log }: { replies: Pick<Replies, 'say' | 'sayOnce' | 'replace'>; log: Logger },
) {
  const isAtOnce = isAnsweredAtOnce(context.activity);
  const stopTyping =
    isAtOnce || isTargeted(context.activity)
      ? async () => {}
      : startTyping(
          () => send(context, { type: ActivityTypes.Typing }),
          (error) => log.debug({ err: error }, 'typing could not be shown'),
        );
  let answerId: string | undefined;

  async function replace(id: string, message: Message): Promise<boolean> {
    const isReplaced = await replies.replace(context, id, message);
    if (isReplaced) answerId = id;
    return isReplaced;
  }

  /** Puts the first reply in the place of the replaced message if the chat service allows it. */
  async function speak(say: Replies['say'], message: Message): Promise<string | undefined> {
    const id = replacedId;
    replacedId = undefined;
    if (id === undefined || !(await replace(id, message))) answerId = await say(context, message);
    return answerId;
  }

  return {
    stopTyping,
    /** The message that was said or edited last; undefined if the chat service gave none an id. */
    answerId: () => answerId,
    async say(message: Message | string): Promise<void> {
      await stopTyping();
      await speak(replies.say, asMessage(message));
    },
    async sayOnce(message: Message): Promise<string | undefined> {
      await stopTyping();
      return isAtOnce ? undefined : speak(replies.sayOnce, message);
    },
    replace: (id: string, message: Message | string) => replace(id, asMessage(message)),
  };
}

function asMessage(message: Message | string): Message {
  return typeof message === 'string' ? { text: message } : message;
}

/** Teams shows for about five seconds that the bot is typing. An answer that comes at once needs no sign of it. */
const AGAIN_AFTER_MS = 4000;
const FIRST_AFTER_MS = 500;

/** How long an answer waits for a sign under way, which must not come after it. */
const OVERTAKE_MS = 1000;

/**
 * Shows that the bot is typing, from half a second on and again before the sign goes out.
 * @param show shows the sign once; its faults are for `onError`, since nothing depends on it
 * @returns ends it; when that is done, no sign comes any more
 */
export function startTyping(
  show: () => Promise<unknown>,
  onError: (error: unknown) => void,
): () => Promise<void> {
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
