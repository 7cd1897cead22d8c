import type { TurnContext } from 'botbuilder';
import { welcomeMessage } from '../../dialogs/commands/help.ts';
import type { Limits } from '../../dialogs/dialog.ts';
import { withoutThread } from '../../dialogs/format/message.ts';
import type { Welcomes } from '../store/tables.ts';
import { personOf } from './activity.ts';
import type { Tasks } from './handler.ts';
import type { Permissions } from './permissions.ts';
import type { PersonalChats } from './personal-chats.ts';
import { isPersonal } from './replies/place.ts';
import type { Replies } from './replies/replies.ts';

export type OnInstallationOptions = {
  welcomes: Welcomes;
  permissions: Pick<Permissions, 'allow'>;
  limits: Pick<Limits, 'takeMessage'>;
  /** Remembers, or forgets, where a person can be reached alone. Never rejects. */
  chats: Pick<PersonalChats, 'keep' | 'drop'>;
  replies: Pick<Replies, 'say'>;
};

/** Says hello once for each installation, however often the channel reports it. */
export function createOnInstallation({
  welcomes,
  permissions,
  limits,
  chats,
  replies,
}: OnInstallationOptions): Pick<Tasks, 'onInstalled' | 'onRemoved'> {
  return {
    async onInstalled(context) {
      const { activity } = context;
      if (limits.takeMessage(personOf(activity)) > 0) return;
      if (!permissions.allow(activity)) return;
      await chats.keep(activity);
      if (await welcomes.claim(conversationOf(context)))
        await replies.say(context, welcomeMessage(isPersonal(activity)));
    },
    async onRemoved(context) {
      await chats.drop(context.activity);
      await welcomes.forget(conversationOf(context));
    },
  };
}

function conversationOf({ activity }: TurnContext): string {
  return withoutThread(activity.conversation.id);
}
