import {
  type Activity,
  ActivityTypes,
  BotAdapter,
  type ConversationReference,
  DeliveryModes,
  INVOKE_RESPONSE_KEY,
  type InvokeResponse,
  type ResourceResponse,
  TurnContext,
} from 'botbuilder-core';
import type { Connector } from './connector.ts';

/** What is done in one turn. */
export type TurnLogic = (context: TurnContext) => Promise<void>;

/**
 * botbuilder's door between turns and the channel. Its own CloudAdapter judges requests and builds a connector, clients and a
 * guarded context for each turn; here requests have been judged before (`authentication/channel-token.ts`) and one connector
 * serves all.
 */
export class ConnectorAdapter extends BotAdapter {
  readonly #connector: Connector;

  constructor(connector: Connector) {
    super();
    this.#connector = connector;
  }

  /**
   * Runs one turn to its end, replies included. What it throws goes to `onTurnError`, where that is set.
   * @returns what an invoke, or a request that expects its replies in the answer, gets; undefined for all others
   */
  async run(activity: Activity, logic: TurnLogic): Promise<InvokeResponse | undefined> {
    const context = new TurnContext(this, activity);
    try {
      await logic(context);
    } catch (error) {
      if (!this.onTurnError || !(error instanceof Error)) throw error;
      await this.onTurnError(context, error);
    }
    if (activity.deliveryMode === DeliveryModes.ExpectReplies)
      return { status: 200, body: { activities: context.bufferedReplyActivities } };
    if (activity.type !== ActivityTypes.Invoke) return undefined;
    const answer: { value: InvokeResponse } | undefined = context.turnState.get(INVOKE_RESPONSE_KEY);
    return answer?.value ?? { status: 501 };
  }

  /** Goes on after a turn, where it was. Throws what the logic throws. */
  override async continueConversation(
    reference: Partial<ConversationReference>,
    logic: TurnLogic,
  ): Promise<void> {
    const activity = { type: ActivityTypes.Event, name: 'ContinueConversation' };
    await logic(new TurnContext(this, TurnContext.applyConversationReference(activity, reference, true)));
  }

  /** @throws DeliveryError */
  override async sendActivities(
    context: TurnContext,
    activities: Partial<Activity>[],
  ): Promise<ResourceResponse[]> {
    const sent: ResourceResponse[] = [];
    for (const activity of activities) {
      if (activity.type === ActivityTypes.InvokeResponse) {
        context.turnState.set(INVOKE_RESPONSE_KEY, activity);
        sent.push({ id: '' });
      } else sent.push(await this.#connector.send(activity));
    }
    return sent;
  }

  /** @throws DeliveryError */
  override updateActivity(_context: TurnContext, activity: Partial<Activity>): Promise<ResourceResponse> {
    return this.#connector.update(activity);
  }

  override deleteActivity(): Promise<void> {
    return Promise.reject(new Error('nothing that was said is taken back'));
  }
}
