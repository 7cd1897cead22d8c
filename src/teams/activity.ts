import {
  type Activity,
  ActivityTypes,
  type Attachment,
  type ConversationReference,
  DeliveryModes,
  TurnContext,
} from 'botbuilder';
import type { Submission } from '../../dialogs/dialog.ts';
import { isTargetedPlace, type Place } from '../../dialogs/render/message.ts';

/** When a message or an edit was written, by the chat service (milliseconds since 1970); NaN if it did not say. */
export function writtenAtOf({ timestamp }: Partial<Activity>): number {
  return new Date(timestamp ?? Number.NaN).getTime();
}

/** The key of a message, unique over all conversations; a repeat has the same. An edit has its message's id, at another time. */
export function keyOf(activity: Partial<Activity>): string {
  const { conversation, id, type } = activity;
  const edit = isEdit(activity) ? [type, writtenAtOf(activity)] : [];
  return JSON.stringify([conversation?.id, id, ...edit]);
}

/** Whether a person edited a message. Other updates report a deletion, or one that was undone. */
export function isEdit({ type, channelData }: Partial<Activity>): boolean {
  return type === ActivityTypes.MessageUpdate && channelData?.eventType === 'editMessage';
}

/** Whether the replies to an activity are the answer to its request: an invoke, or a request that expects its replies. */
export function isAnsweredInResponse({ type, deliveryMode }: Activity): boolean {
  return type === ActivityTypes.Invoke || deliveryMode === DeliveryModes.ExpectReplies;
}

/** On other channels a sender can make up every id of a person or a tenant. */
const BELIEVED_CHANNEL = 'msteams';

/** The id by which settings name a person: the directory's, if Teams says it; elsewhere the channel and its id. Empty: nobody. */
export function personOf({ from, channelId }: Activity): string {
  if (channelId === BELIEVED_CHANNEL) return from?.aadObjectId || (from?.id ?? '');
  return from?.id ? `${channelId}:${from.id}` : '';
}

/** The tenants of an activity: the place's, and the sender's if Teams says it. None is believed on other channels. */
export function tenantsOf(activity: Activity): Array<string | undefined> {
  const { from, channelId, conversation, channelData } = activity;
  if (channelId !== BELIEVED_CHANNEL) return [undefined];
  const { tenantId } = { ...(from as { tenantId?: unknown } | undefined) };
  const place = conversation.tenantId ?? channelData?.tenant?.id;
  return typeof tenantId === 'string' ? [place, tenantId] : [place];
}

/** Whether only the sender of an activity reads its conversation. */
export function isPersonal({ conversation }: Pick<Activity, 'conversation'>): boolean {
  const type: string | undefined = conversation.conversationType;
  return type === undefined ? conversation.isGroup !== true : type === 'personal';
}

/** Whether a message in a channel or group was written to others: the bot receives it, but is not mentioned. */
export function isUnaddressed(activity: Activity): boolean {
  const { entities = [], recipient, value } = activity;
  const isMentioned = entities.some(
    (each) => each.type === 'mention' && each.mentioned?.id === recipient?.id,
  );
  const isPress = value !== undefined && value !== null;
  return !isPersonal(activity) && !isMentioned && !isTargeted(recipient) && !isPress;
}

/** Reads a pressed button's data: that of a message with a value and without a text. */
export function submissionOf({ value, text, replyToId }: Activity): Submission | undefined {
  const isData = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isData && !text?.trim() ? { data: { ...value }, cardId: replyToId } : undefined;
}

export function placeOf(activity: Activity): Place {
  const reference = TurnContext.getConversationReference(activity);
  const { localTimezone, channelData, serviceUrl } = activity;
  const tenantId = activity.conversation.tenantId ?? channelData?.tenant?.id;
  const conversation = { ...activity.conversation, ...(tenantId !== undefined && { tenantId }) };
  const names: unknown[] = [channelData?.team?.name, channelData?.channel?.name ?? conversation.name];
  const title = names.filter((name) => typeof name === 'string').join(', ');
  return {
    reference: { ...reference, serviceUrl, conversation },
    ...(localTimezone && { timeZone: localTimezone }),
    ...(title && { title: title.slice(0, 200) }),
    ...(channelData?.channel?.type === 'shared' && { isShared: true }),
  };
}

/** Returns as much of a person's activity as permissions need, from a stored place. */
export function activityAt({ reference, isShared }: Place): Activity {
  const channelData = isShared && { channel: { type: 'shared' } };
  return { ...reference, from: reference.user, channelData } as unknown as Activity;
}

/**
 * Addresses an outgoing activity to a place: its conversation, and the message that it answers. It is targeted if the place is.
 * Teams refuses a targeted edit that names a recipient, and need not mark the press of a button, which carries the flag.
 */
export function addressTo(place: Place, activity: Partial<Activity>): Partial<Activity> {
  const reference = place.reference as unknown as ConversationReference;
  TurnContext.applyConversationReference(activity, reference);
  if (!isTargetedPlace(place)) return activity;
  const { attachments, entities = [], recipient, ...rest } = activity;
  return {
    ...rest,
    from: { ...reference.bot, ...UNFLAGGED },
    ...(rest.id === undefined && recipient && { recipient }),
    entities: [...entities, { type: 'targetedMessageInfo', messageId: reference.activityId }],
    ...(attachments && { attachments: withFlaggedButtons(attachments) }),
  };
}

/**
 * In a channel or group chat, one person alone sees a targeted message. If a question is targeted, so is every answer to it.
 * Any form of "yes" counts, because a private answer must not become public.
 * @param flagged the recipient of a message, or the value of a pressed button
 * https://learn.microsoft.com/microsoftteams/platform/agents-in-teams/targeted-messages
 */
export const isTargeted = (flagged: unknown) => Boolean(Object(flagged).isTargeted);

const FLAG = { isTargeted: true };
const UNFLAGGED = { isTargeted: undefined };

/** Marks a question, and so the place of its answers, as targeted. */
export function markTargeted(question: Activity): void {
  question.recipient = { ...question.recipient, ...FLAG };
}

function withFlaggedButtons(attachments: readonly Attachment[]): Attachment[] {
  return JSON.parse(JSON.stringify(attachments), (_, value) =>
    value?.type === 'Action.Submit' ? { ...value, data: { ...value.data, ...FLAG } } : value,
  );
}
