import {
  type Activity,
  ActivityTypes,
  type ChannelAccount,
  type MessagingExtensionActionResponse,
  StatusCodes,
  type TurnContext,
} from 'botbuilder';
import { welcomeMessage } from '../../dialogs/commands/help.ts';
import type { Limits } from '../../dialogs/dialog.ts';
import { withoutThread } from '../../dialogs/format/message.ts';
import { isEdit, isPersonal, personOf } from './activity.ts';
import { send } from './adapter.ts';
import { isOfExtension } from './extension.ts';
import type { Permissions } from './permissions.ts';
import type { Replies } from './replies.ts';

/** What the bot does in a turn. */
export type Tasks = {
  /** Gets edits too. */
  onMessage(context: TurnContext): Promise<void>;
  /** Undefined: the invoke's value has a form that no extension has. */
  onExtension(context: TurnContext): Promise<MessagingExtensionActionResponse | undefined>;
  onInstalled(context: TurnContext): Promise<void>;
  onRemoved(context: TurnContext): Promise<void>;
};

/** Gives each activity to its task. Channels report an installation by two kinds of activities, or by one of the two. */
export function createHandler(tasks: Tasks): (context: TurnContext) => Promise<void> {
  return async (context) => {
    const { activity } = context;
    switch (activity.type) {
      case ActivityTypes.Message:
        return tasks.onMessage(context);
      case ActivityTypes.MessageUpdate:
        return isEdit(activity) ? tasks.onMessage(context) : undefined;
      case ActivityTypes.Invoke:
        return answerInvoke(context, tasks);
      case ActivityTypes.InstallationUpdate: // An upgrade says "add-upgrade" and "remove-upgrade".
        if (activity.action === 'add') return tasks.onInstalled(context);
        return activity.action === 'remove' ? tasks.onRemoved(context) : undefined;
      case ActivityTypes.ConversationUpdate:
        if (hasBot(activity.membersAdded, activity)) return tasks.onInstalled(context);
        return hasBot(activity.membersRemoved, activity) ? tasks.onRemoved(context) : undefined;
    }
  };
}

async function answerInvoke(context: TurnContext, { onExtension }: Tasks): Promise<void> {
  if (!isOfExtension(context.activity.name)) return; // The SDK answers 501.
  const body = await onExtension(context);
  const value = body === undefined ? { status: StatusCodes.BAD_REQUEST } : { status: StatusCodes.OK, body };
  await send(context, { type: ActivityTypes.InvokeResponse, value });
}

function hasBot(members: readonly ChannelAccount[] | undefined, { recipient }: Activity): boolean {
  return members?.some(({ id }) => id === recipient?.id) ?? false;
}

/** Conversations in which the bot has introduced itself, by their ids without a thread's part. */
export type Welcomes = {
  /** Returns true the first time for a conversation, over all processes, until the conversation is forgotten. */
  claim(conversation: string): Promise<boolean>;
  forget(conversation: string): Promise<void>;
};

export type OnInstallationOptions = {
  welcomes: Welcomes;
  permissions: Pick<Permissions, 'allow'>;
  limits: Pick<Limits, 'takeMessage'>;
  replies: Pick<Replies, 'say'>;
};

/** Says hello once for each installation, however often the channel reports it. */
export function createOnInstallation({
  welcomes,
  permissions,
  limits,
  replies,
}: OnInstallationOptions): Pick<Tasks, 'onInstalled' | 'onRemoved'> {
  return {
    async onInstalled(context) {
      const { activity } = context;
      if (limits.takeMessage(personOf(activity)) > 0 || !permissions.allow(activity)) return;
      if (await welcomes.claim(withoutThread(activity.conversation.id)))
        await replies.say(context, welcomeMessage(isPersonal(activity)));
    },
    onRemoved: ({ activity }) => welcomes.forget(withoutThread(activity.conversation.id)),
  };
}
