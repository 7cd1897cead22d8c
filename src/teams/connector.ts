import { type Activity, ActivityTypes, CloudAdapter, DeliveryModes, TurnContext } from 'botbuilder';
import {
  AuthenticationConstants,
  BotFrameworkAuthentication,
  ClaimsIdentity,
  type ConnectorClient,
  type UserTokenClient,
} from 'botframework-connector';
import type { Logger } from 'pino';
import { type Place, withoutThread } from '../../dialogs/format/message.ts';
import { parseJson } from '../domain/text.ts';
import { type HttpRequest, readRetryAfter, type ServiceGate, targetUnder, type Upstream } from '../http.ts';
import { continuationOf, isTargeted, targetAnswer, targetedBody } from './activity.ts';
import type { AppTokens } from './authentication/app-tokens.ts';

/**
 * How this bot uses botbuilder, by its extension points:
 * - `CloudAdapter` runs an invoke or an `expectReplies` request, and gives it its answer. Its `process` is not for use: it
 *   writes errors to the console and sends their messages to the caller.
 * - `BotFrameworkAuthentication` is for the SDK to judge requests and make connectors. The server has judged the request
 *   already, so this one hands out an empty verdict, and refuses whatever comes in past the server.
 * - The SDK's connector is passed by. It builds a client for each turn, and repeats a failed reply blindly. `onSendActivities`
 *   and `updateActivity` use a {@link Connector} instead.
 * - `ActivityHandler` and middleware are passed by; `createHandler` is one switch.
 *
 * A message and its replies pass by the SDK's async functions. The SDK is compiled to generators, and each call makes a
 * generator function. V8 gives each generator function a map, which keeps all that the call sees until a full garbage
 * collection. Each turn would stay in memory so long (docs/performance.md).
 */
export class Adapter extends CloudAdapter {
  readonly #connector: Pick<Connector, 'send' | 'update'>;
  readonly #now: () => number;

  constructor(connector: Pick<Connector, 'send' | 'update'>, now: () => number) {
    super(new JudgedBefore());
    this.#connector = connector;
    this.#now = now;
  }

  /** Runs one turn. Returns what an invoke, or a request that expects its replies, gets; else undefined. */
  async run(activity: Activity, arrivedAt: number, logic: Logic) {
    if (isAnsweredAtOnce(activity))
      return this.processActivity(VERDICT, activity, (context) => logic(arrived(context, arrivedAt)));
    await this.runMiddleware(this.#contextOf(activity, arrivedAt), logic);
    return undefined;
  }

  /** Speaks at a place after its turn. `continueConversationAsync` would put a random id for the question's. */
  async speakAt<T>(place: Place, speak: (context: TurnContext) => Promise<T>): Promise<T> {
    return speak(this.#contextOf(continuationOf(place), this.#now()));
  }

  /** A context whose answers go to the connector as they are said. */
  #contextOf(activity: Partial<Activity>, arrivedAt: number): TurnContext {
    const context = arrived(new TurnContext(this, activity), arrivedAt);
    return context.onSendActivities(async (_, answers) => {
      const responses = [];
      for (const answer of answers) {
        targetAnswer(answer, context.activity);
        responses.push(await this.#connector.send(answer));
      }
      return responses;
    });
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

function arrived(context: TurnContext, at: number): TurnContext {
  context.turnState.set(ARRIVED_AT, at);
  return context;
}

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

/** The channel did not take a reply. The turn that hoped to answer is then not acknowledged. */
export class DeliveryError extends Error {
  override readonly name = 'DeliveryError';
  /** The channel's HTTP status, or what kept an answer from coming. */
  readonly reason: string | number;
  /** How long the channel asked to wait; 0 where it did not say. */
  readonly retryAfterMs: number;

  constructor(reason: string | number, retryAfterMs = 0) {
    super(`the channel did not take the reply: ${reason}`);
    this.reason = reason;
    this.retryAfterMs = retryAfterMs;
  }

  /** Whether it is refused for ever: the conversation is gone, or the bot was thrown out of it. */
  get isGone(): boolean {
    return this.reason === 403 || this.reason === 404;
  }
}

export type Connector = ReturnType<typeof createConnector>;

type ConnectorOptions = {
  channel: Upstream;
  /** Where replies may go: what was allowed when a question came may no longer be when its answer is ready. */
  serviceGate: ServiceGate;
  /** Undefined: authentication is off, and replies carry no token. */
  tokens: AppTokens | undefined;
  /** Called with what became of each activity, as a metric's label says it. */
  onOutcome(outcome: string, isTyping: boolean): void;
  log: Logger;
};

/** The Bot Connector API, version 3. Throws a {@link DeliveryError} unless the channel took the activity. */
export function createConnector({ channel, serviceGate, tokens, onOutcome, log }: ConnectorOptions) {
  /** @param path below the conversation: what, and perhaps the id of one */
  async function request(
    method: HttpRequest['method'],
    { serviceUrl = '', conversation }: Partial<Activity>,
    path: readonly string[],
    { body, query = '' }: { body?: object; query?: string } = {},
  ): Promise<Record<string, unknown>> {
    const ids = [conversation?.id ?? '', ...path];
    if (ids.some((id) => id === '.' || id === '..')) throw new DeliveryError(404);
    const service = serviceGate(serviceUrl);
    if (service === undefined) throw new DeliveryError(403);
    const token = await tokens?.get().catch((error: unknown) => {
      log.debug({ err: error }, 'the authority issued no token for a reply');
      throw new DeliveryError('no token');
    });
    const url = targetUnder(service, ['/v3/conversations', ...ids.map(encodeURIComponent)].join('/'));
    url.search = query;
    const outcome = await channel.call({
      method,
      url,
      headers: { ...(token && { authorization: `Bearer ${token}` }), 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (outcome.kind !== 'answered') throw new DeliveryError(outcome.fault.kind);
    const { status, headers, text } = outcome;
    if (status === 401 && token !== undefined) tokens?.forget(token);
    if (status < 200 || status >= 300) throw new DeliveryError(status, readRetryAfter(headers));
    return Object(parseJson(text)); // Some channels answer nothing at all.
  }

  /** @param activityId of the message that is answered, or edited */
  async function call(method: 'POST' | 'PUT', activity: Partial<Activity>, activityId?: string) {
    const [isPrivate, isTyping] = [isTargeted(activity), activity.type === ActivityTypes.Typing];
    try {
      const { id } = await request(method, activity, ['activities', ...(activityId ? [activityId] : [])], {
        body: isPrivate ? targetedBody(activity, method === 'PUT') : activity,
        ...(isPrivate && { query: 'isTargetedActivity=true' }),
      });
      onOutcome('sent', isTyping);
      return { id: typeof id === 'string' ? id : '' };
    } catch (error) {
      if (error instanceof DeliveryError) onOutcome(labelOf(error), isTyping);
      throw error;
    }
  }

  return {
    send: (activity: Partial<Activity>) => call('POST', activity, activity.replyToId),
    update: (activity: Partial<Activity>) => call('PUT', activity, activity.id),
    /** The sender's tenant, as the chat service's record of the conversation's member says it; undefined if it does not. */
    async senderTenant({ serviceUrl, conversation, from }: Activity): Promise<string | undefined> {
      if (!from?.id) return undefined;
      const channel = { ...conversation, id: withoutThread(conversation.id) };
      const asked = request('GET', { serviceUrl, conversation: channel }, ['members', from.id]);
      const { tenantId } = await asked.catch((error: unknown): Record<string, unknown> => {
        if (!(error instanceof DeliveryError)) throw error;
        log.warn({ reason: error.reason }, "the chat service did not tell a member's tenant");
        return {};
      });
      return typeof tenantId === 'string' ? tenantId : undefined;
    },
  };
}

const LABELS: Record<number, string> = { 401: 'unauthorized', 403: 'gone', 404: 'gone', 429: 'throttled' };

/** What became of a reply, for a metric: some reasons are labels, others a fault of the channel, or of the way to it. */
function labelOf({ reason }: DeliveryError): string {
  if (typeof reason === 'number') return LABELS[reason] ?? (reason >= 500 ? 'failed' : 'refused');
  if (['no token', 'timed out', 'untrusted'].includes(reason)) return reason;
  return ['cut off', 'too large'].includes(reason) ? 'failed' : 'unreachable';
}
