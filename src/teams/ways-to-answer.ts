import { ActivityTypes, DeliveryModes, type TurnContext } from 'botbuilder';
import type { Logger } from 'pino';
import type { Turn } from '../../dialogs/dialog.ts';
import type { Message } from '../../dialogs/format/message.ts';
import { send } from './replies/context.ts';
import type { Replies } from './replies/replies.ts';
import { isTargeted } from './replies/targeted.ts';
import { startTyping } from './replies/typing.ts';

/** How a turn answers its message. */
export type Ways = Pick<Turn, 'say' | 'sayOnce' | 'replace'> & {
  stopTyping(): Promise<void>;
  /** The message that was said or edited last; undefined if the chat service gave none an id. */
  answerId(): string | undefined;
};

/**
 * The bot is typing until it says something. Replies in the answer to the request come all at once, so nothing is shown
 * before. Everyone in a conversation sees typing, so nobody sees it for a targeted question.
 * @param replacedId the message in whose place the first reply comes
 */
export function waysToAnswer(
  context: TurnContext,
  replacedId: string | undefined,
  { replies, log }: { replies: Pick<Replies, 'say' | 'sayOnce' | 'replace'>; log: Logger },
): Ways {
  const isAtOnce = context.activity.deliveryMode === DeliveryModes.ExpectReplies;
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

  /** Puts the first reply in the place of the replaced message. Returns the id if the chat service allows it. */
  async function replaceFirst(message: Message): Promise<string | undefined> {
    const id = replacedId;
    replacedId = undefined;
    return id !== undefined && (await replace(id, message)) ? id : undefined;
  }

  return {
    stopTyping,
    answerId: () => answerId,
    async say(said) {
      await stopTyping();
      const message = asMessage(said);
      answerId = (await replaceFirst(message)) ?? (await replies.say(context, message));
    },
    async sayOnce(message) {
      await stopTyping();
      if (isAtOnce) return undefined;
      answerId = (await replaceFirst(message)) ?? (await replies.sayOnce(context, message));
      return answerId;
    },
    replace: (id, message) => replace(id, asMessage(message)),
  };
}

function asMessage(message: Message | string): Message {
  return typeof message === 'string' ? { text: message } : message;
}
