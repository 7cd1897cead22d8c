import { randomInt } from 'node:crypto';
import { type Activity, ActivityTypes, DeliveryModes, type InvokeResponse } from 'botbuilder';
import type { Logger } from 'pino';
import { StoreClosedError } from '../store/store.ts';
import { placeOf } from './activity.ts';
import { type Connector, DeliveryError } from './replies/connector.ts';
import { type Conversation, gatherReplies, openConversation } from './replies/conversation.ts';
import { activityOf } from './replies/message-activity.ts';

/** An activity, and where it is answered. */
export type Received = { activity: Activity; conversation: Conversation; arrivedAt: number };

export type TurnOptions = {
  connector: Connector;
  /** Does what the activity asks for; gives what an invoke gets. */
  respond(received: Received): Promise<InvokeResponse | undefined>;
  log: Logger;
};

/**
 * Runs one turn to its end, replies included; throws where it may not be acknowledged. Gives what an invoke, or a request that
 * expects its replies in its answer, gets; undefined for all others.
 */
export type RunTurn = (activity: Activity, arrivedAt: number) => Promise<InvokeResponse | undefined>;

export function createTurnRunner({ connector, respond, log }: TurnOptions): RunTurn {
  /** Of a fault of the bot's own the person is told. */
  async function respondOrTell(received: Received): Promise<InvokeResponse | undefined> {
    try {
      return await respond(received);
    } catch (error) {
      if (error instanceof DeliveryError || received.activity.type === ActivityTypes.Invoke) throw error;
      const reference = randomInt(100_000, 1_000_000);
      log.error({ err: error, reference }, 'turn failed');
      const text = error instanceof StoreClosedError ? WORDS.noDatabase : WORDS.fault(reference);
      await received.conversation.send(activityOf({ text }));
      return undefined;
    }
  }

  return async (activity, arrivedAt) => {
    const place = placeOf(activity);
    if (activity.deliveryMode === DeliveryModes.ExpectReplies) {
      const conversation = gatherReplies(place, connector);
      const value = await respondOrTell({ activity, arrivedAt, conversation });
      if (value) await conversation.send({ type: ActivityTypes.InvokeResponse, value });
      return { status: 200, body: { activities: conversation.gathered } };
    }
    const conversation = openConversation(place, connector);
    const answer = await respondOrTell({ activity, arrivedAt, conversation });
    return activity.type === ActivityTypes.Invoke ? (answer ?? { status: 501 }) : undefined;
  };
}

const WORDS = {
  noDatabase: 'I cannot reach my database right now, which this needs. Please try again in a moment.',
  fault: (reference: number) =>
    `Something went wrong here. Please try again; if it stays, report number ${reference}.`,
};
