import {
  type Activity,
  ActivityTypes,
  CloudAdapter,
  DeliveryModes,
  type InvokeResponse,
  type ResourceResponse,
  type TurnContext,
} from 'botbuilder';
import {
  AuthenticationConstants,
  BotFrameworkAuthentication,
  ClaimsIdentity,
  type ConnectorClient,
  type UserTokenClient,
} from 'botframework-connector';
import type { Place } from '../../dialogs/format/message.ts';
import { continuationOf, targetAnswer } from './activity.ts';
import type { Connector } from './connector.ts';

/**
 * How this bot uses botbuilder, by its extension points:
 * - `CloudAdapter` makes each turn's `TurnContext`, and gives an invoke or an `expectReplies` request its answer. Its `process`
 *   is not for use: it writes errors to the console and sends their messages to the caller.
 * - `BotFrameworkAuthentication` is for the SDK to judge requests and make connectors. The server has judged the request
 *   already, so this one hands out an empty verdict, and refuses whatever comes in past the server.
 * - The SDK's connector is passed by. It builds a client for each turn, and repeats a failed reply blindly. `sendActivities` and
 *   `updateActivity` use a {@link Connector} instead.
 * - `ActivityHandler` and middleware are passed by; `createHandler` is one switch.
 *
 * A message and its replies pass by the SDK's async functions where the SDK lets them. The SDK is compiled to generators, and
 * each call makes a generator function. V8 gives each generator function a map, which keeps all that the call sees until a
 * full garbage collection. Each turn stayed in memory so long, and a lookup took 40 % more CPU.
 */
export class Adapter extends CloudAdapter {
  readonly #connector: Connector;
  readonly #now: () => number;

  constructor(connector: Connector, now: () => number) {
    super(new JudgedBefore());
    this.#connector = connector;
    this.#now = now;
  }

  /**
   * Runs one turn for an activity that the server has let in.
   * @returns what an invoke, or a request that expects its replies in its answer, gets; undefined for all others
   */
  run(activity: Activity, arrivedAt: number, logic: Logic): Promise<InvokeResponse | undefined> {
    return this.processActivity(VERDICT, activity, (context) => {
      context.turnState.set(ARRIVED_AT, arrivedAt);
      return logic(context);
    });
  }

  /** Speaks at a place after its turn. `continueConversationAsync` would put a random id for the question's. */
  async speakAt<T>(place: Place, speak: (context: TurnContext) => Promise<T>): Promise<T> {
    const { promise, resolve } = Promise.withResolvers<T>();
    const { claimsIdentity, audience } = VERDICT;
    await this.processProactive(claimsIdentity, continuationOf(place), audience, async (context) => {
      context.turnState.set(ARRIVED_AT, this.#now());
      resolve(await speak(context));
    });
    return promise;
  }

  override async sendActivities(context: TurnContext, activities: Partial<Activity>[]) {
    if (context.activity.type === ActivityTypes.Invoke) return super.sendActivities(context, activities);
    const responses: ResourceResponse[] = [];
    for (const activity of activities) {
      targetAnswer(activity, context.activity);
      responses.push(await this.#connector.send(activity));
    }
    return responses;
  }

  override updateActivity(context: TurnContext, activity: Partial<Activity>) {
    targetAnswer(activity, context.activity);
    return this.#connector.update(activity);
  }

  /** No middleware is registered. No revocable proxy stands before the context, because a sign of typing may outlast its turn. */
  protected override async runMiddleware(context: TurnContext, logic: Logic): Promise<void> {
    try {
      await logic(context);
    } catch (error) {
      if (!this.onTurnError || !(error instanceof Error)) throw error;
      await this.onTurnError(context, error);
    }
  }
}

type Logic = (context: TurnContext) => Promise<void>;

const ARRIVED_AT = Symbol('arrivedAt');

/** When a turn's activity arrived, or when speaking began after the turn (milliseconds since 1970). */
export function arrivalOf({ turnState }: TurnContext): number {
  return turnState.get<number>(ARRIVED_AT);
}

/** Sends an activity where the turn's own stands. The SDK's `sendActivity` would keep the turn. */
export async function send(context: TurnContext, activity: Partial<Activity>) {
  const [response] = await context.sendActivities([activity]);
  return response;
}

/** Whether what a turn says is the answer to its request. */
export function isAnsweredAtOnce({ type, deliveryMode }: Activity): boolean {
  return type === ActivityTypes.Invoke || deliveryMode === DeliveryModes.ExpectReplies;
}

/** One for all requests, with authentication on or off. The identity is empty because nothing here reads claims. */
const VERDICT = {
  audience: AuthenticationConstants.ToChannelFromBotOAuthScope,
  claimsIdentity: new ClaimsIdentity([]),
  connectorFactory: { create: async () => ({}) as ConnectorClient },
};

class JudgedBefore extends BotFrameworkAuthentication {
  override authenticateRequest = () => Promise.reject(new Error('the SDK judges no request here'));
  override authenticateStreamingRequest = this.authenticateRequest;
  override createConnectorFactory = () => VERDICT.connectorFactory;
  override createUserTokenClient = async () => ({}) as UserTokenClient; // Nobody signs in by the SDK.
}
