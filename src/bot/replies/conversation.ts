import {
  type Activity,
  type ConversationReference,
  type ResourceResponse,
  TurnContext,
} from 'botbuilder';
import type { Place } from '../../../dialogs/format/message.ts';
import type { Connector } from './connector.ts';

/** Where the bot speaks: to those who asked at a place. */
export type Conversation = {
  place: Place;
  /** Sends a reply to the question. @throws DeliveryError unless it was taken */
  send(activity: Partial<Activity>): Promise<ResourceResponse>;
  /** Puts an activity in the place of the one with its `id`. @throws DeliveryError unless it was taken */
  update(activity: Partial<Activity>): Promise<ResourceResponse>;
};

/**
 * Speaks by the connector, in a turn and after it. botbuilder's adapter and the context that it makes for each turn can do
 * more (middleware, handlers, a state), of which nothing is used here, for 8 % of a lookup's CPU.
 */
export function openConversation(place: Place, connector: Connector): Conversation {
  return {
    place,
    send: (activity) => connector.send(addressed(activity, place)),
    update: (activity) => connector.update(addressed(activity, place)),
  };
}

/** The same where the request that asked expects its replies in its answer: they are gathered. */
export function gatherReplies(
  place: Place,
  connector: Connector,
): Conversation & { gathered: ReadonlyArray<Partial<Activity>> } {
  const gathered: Array<Partial<Activity>> = [];
  return {
    ...openConversation(place, connector),
    gathered,
    async send(activity) {
      gathered.push(addressed(activity, place));
      return { id: '' };
    },
  };
}

function addressed(activity: Partial<Activity>, { reference }: Place): Partial<Activity> {
  return TurnContext.applyConversationReference(
    { ...activity },
    reference as unknown as ConversationReference,
  );
}
