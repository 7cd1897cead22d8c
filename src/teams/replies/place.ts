import {
  type Activity,
  ActivityEventNames,
  ActivityTypes,
  type ConversationReference,
  TurnContext,
} from 'botbuilder';
import type { Place } from '../../../dialogs/format/message.ts';

/** Where a later answer goes. */
export function placeOf(activity: Activity): Place {
  const reference = TurnContext.getConversationReference(activity);
  const { locale, localTimezone } = activity;
  return {
    reference: { ...reference, serviceUrl: activity.serviceUrl, conversation: { ...activity.conversation } },
    ...(locale && { locale }),
    ...(localTimezone && { timeZone: localTimezone }),
  };
}

/** Stands for the question's activity when the bot speaks after the turn. {@link placeOf} gives the same place back. */
export function continuationOf({ reference, timeZone }: Place): Partial<Activity> {
  return TurnContext.applyConversationReference(
    {
      type: ActivityTypes.Event,
      name: ActivityEventNames.ContinueConversation,
      ...(timeZone && { localTimezone: timeZone }),
    },
    reference as unknown as ConversationReference,
    true,
  );
}

/** Whether nobody but the sender of an activity reads its conversation. */
export function isPersonal({
  conversation,
  channelId,
}: Pick<Activity, 'conversation' | 'channelId'>): boolean {
  const type: string | undefined = conversation.conversationType;
  return type === undefined ? conversation.isGroup !== true && channelId !== 'msteams' : type === 'personal';
}
