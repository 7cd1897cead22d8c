import {
  type Activity,
  ActivityTypes,
  DeliveryModes,
  type ResourceResponse,
  type SendActivitiesHandler,
  type TurnContext,
} from 'botbuilder';
import type { Connector } from './connector.ts';
import { targetEdited, targetSent } from './targeted.ts';

const ARRIVED_AT = Symbol('arrivedAt');

/** Readies a context to speak: by `post`, unless the SDK gathers what is sent for the answer to the request. */
export function ready(context: TurnContext, arrivedAt: number, post: SendActivitiesHandler): void {
  context.turnState.set(ARRIVED_AT, arrivedAt);
  context.onSendActivities(targetSent);
  context.onUpdateActivity(targetEdited);
  const { type, deliveryMode } = context.activity;
  const isGathered = type === ActivityTypes.Invoke || deliveryMode === DeliveryModes.ExpectReplies;
  if (!isGathered) context.onSendActivities(post);
}

/** When a turn's activity arrived, or when speaking began after the turn (milliseconds since 1970). */
export function arrivalOf({ turnState }: TurnContext): number {
  return turnState.get<number>(ARRIVED_AT);
}

/** Sends an activity where the turn's own stands. The SDK's `sendActivity` would keep the turn (see `Adapter`). */
export async function send(
  context: TurnContext,
  activity: Partial<Activity>,
): Promise<ResourceResponse | undefined> {
  const [response] = await context.sendActivities([activity]);
  return response;
}

/** Gives activities to the connector in place of the SDK's own way, which would keep the turn (see `Adapter`). */
export function postBy({ conversations }: Connector): SendActivitiesHandler {
  return async (_context, activities) => {
    const responses: ResourceResponse[] = [];
    for (const activity of activities) {
      const { conversation, replyToId } = activity;
      const id = conversation?.id ?? '';
      responses.push(
        replyToId
          ? await conversations.replyToActivity(id, replyToId, activity)
          : await conversations.sendToConversation(id, activity),
      );
    }
    return responses;
  };
}
