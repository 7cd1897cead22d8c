import { type Activity, ActivityTypes, type ChannelAccount, StatusCodes, type TurnContext } from 'botbuilder';
import { welcomeMessage } from '../../dialogs/commands/help.ts';
import type { Limits } from '../../dialogs/dialog.ts';
import { withoutThread } from '../../dialogs/format/message.ts';
import { isEdit, isPersonal, personOf } from './activity.ts';
import { send } from './adapter.ts';
import { type createOnExtension, isOfExtension } from './extension.ts';
import type { Permissions } from './permissions.ts';
import type { Replies } from './replies.ts';

/** Conversations in which the bot has introduced itself, by their ids without a thread's part. */
export type Welcomes = {
  /** Returns true the first time for a conversation, over all processes, until the conversation is forgotten. */
  claim(conversation: string): Promise<boolean>;
  forget(conversation: string): Promise<void>;
};

export type HandlerOptions = {
  /** Gets edits too. */
  onMessage(context: TurnContext): Promise<void>;
  onExtension: ReturnType<typeof createOnExtension>;
  welcomes: Welcomes;
  permissions: Pick<Permissions, 'allow'>;
  limits: Pick<Limits, 'takeMessage'>;
  replies: Pick<Replies, 'say'>;
};

/** Gives each activity to who answers it. Channels tell an installation by two kinds of activities, or by one of the two. */
export function createHandler(options: HandlerOptions): (context: TurnContext) => Promise<void> {
  const { onMessage, onExtension, welcomes, permissions, limits, replies } = options;

  async function answerInvoke(context: TurnContext): Promise<void> {
    if (!isOfExtension(context.activity.name)) return; // The SDK answers 501.
    const body = await onExtension(context);
    const value = body ? { status: StatusCodes.OK, body } : { status: StatusCodes.BAD_REQUEST };
    await send(context, { type: ActivityTypes.InvokeResponse, value });
  }

  /** Says hello once for each installation, however often the channel tells it. */
  async function welcome(context: TurnContext): Promise<void> {
    const { activity } = context;
    if (limits.takeMessage(personOf(activity)) > 0 || !permissions.allow(activity)) return;
    if (await welcomes.claim(withoutThread(activity.conversation.id)))
      await replies.say(context, welcomeMessage(isPersonal(activity)));
  }

  return async (context) => {
    const { activity } = context;
    const { type, action, membersAdded, membersRemoved } = activity;
    const goes = () => welcomes.forget(withoutThread(activity.conversation.id));
    switch (type) {
      case ActivityTypes.Message:
        return onMessage(context);
      case ActivityTypes.MessageUpdate:
        return isEdit(activity) ? onMessage(context) : undefined;
      case ActivityTypes.Invoke:
        return answerInvoke(context);
      case ActivityTypes.InstallationUpdate: // An upgrade says "add-upgrade" and "remove-upgrade".
        if (action === 'add') return welcome(context);
        return action === 'remove' ? goes() : undefined;
      case ActivityTypes.ConversationUpdate:
        if (hasBot(membersAdded, activity)) return welcome(context);
        return hasBot(membersRemoved, activity) ? goes() : undefined;
    }
  };
}

function hasBot(members: readonly ChannelAccount[] | undefined, { recipient }: Activity): boolean {
  return members?.some(({ id }) => id === recipient?.id) ?? false;
}
