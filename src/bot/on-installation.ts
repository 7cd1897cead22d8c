import type { TurnContext } from 'botbuilder';
import { withoutThread } from '../../dialogs/format/message.ts';
import { welcomeMessage } from '../../dialogs/welcome.ts';
import type { Welcomes } from '../store/welcomes.ts';
import { isPersonal } from './activity.ts';
import type { Tasks } from './handler.ts';
import type { Permissions } from './permissions.ts';
import type { Replies } from './replies/replies.ts';

export type OnInstallationOptions = {
  welcomes: Welcomes;
  permissions: Pick<Permissions, 'allow'>;
  replies: Pick<Replies, 'say'>;
};

/** Says hello once for each installation, however often the channel reports it. */
export function createOnInstallation({
  welcomes,
  permissions,
  replies,
}: OnInstallationOptions): Pick<Tasks, 'onInstalled' | 'onRemoved'> {
  return {
    async onInstalled(context) {
      const { activity } = context;
      if (permissions.allow(activity) && (await welcomes.claim(conversationOf(context))))
        await replies.say(context, welcomeMessage(isPersonal(activity)));
    },
    onRemoved: (context) => welcomes.forget(conversationOf(context)),
  };
}

function conversationOf({ activity }: TurnContext): string {
  return withoutThread(activity.conversation.id);
}
