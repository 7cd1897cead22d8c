import { type Activity, CloudAdapter, type InvokeResponse, type TurnContext } from 'botbuilder';
import {
  AuthenticationConstants,
  BotFrameworkAuthentication,
  ClaimsIdentity,
  type ConnectorClient,
  type UserTokenClient,
} from 'botframework-connector';

/**
 * The botbuilder adapter, by its extension points, for requests whose answer holds the replies:
 * - `CloudAdapter` runs the turn and makes the answer. Its `process` is not used: it writes errors to the console and sends
 *   their messages to the caller.
 * - `BotFrameworkAuthentication` is where the SDK would check requests and make connectors. The server has checked the request
 *   already, so this one returns an empty result, and refuses all that did not come through the server.
 *
 * Other messages and their replies use no adapter. The SDK is compiled to generators, and each call makes a generator function
 * whose map V8 keeps, with all that the call sees, until a full garbage collection (docs/performance.md). Its connector builds a
 * client for each turn, and repeats a failed reply blindly. Replies go through `connector.ts` instead.
 */
export class ResponseAdapter extends CloudAdapter {
  constructor() {
    super(new AlreadyAuthenticated());
  }

  /** Runs one turn. Returns the invoke's answer (501 if the turn made none), or the replies. Throws what the turn throws. */
  run(
    activity: Activity,
    turn: (context: TurnContext) => Promise<void>,
  ): Promise<InvokeResponse | undefined> {
    return this.processActivity(NO_AUTH, activity, turn);
  }

  /** No middleware is registered. */
  protected override async runMiddleware(
    context: TurnContext,
    turn: (context: TurnContext) => Promise<void>,
  ): Promise<void> {
    await turn(context);
  }
}

/** One for all requests, with authentication on or off. The identity is empty because nothing here reads claims. */
const NO_AUTH = {
  audience: AuthenticationConstants.ToChannelFromBotOAuthScope,
  claimsIdentity: new ClaimsIdentity([]),
  connectorFactory: { create: async () => ({}) as ConnectorClient },
};

class AlreadyAuthenticated extends BotFrameworkAuthentication {
  override authenticateRequest = () => Promise.reject(new Error('the SDK checks no request here'));
  override authenticateStreamingRequest = this.authenticateRequest;
  override createConnectorFactory = () => NO_AUTH.connectorFactory;
  override createUserTokenClient = async () => ({}) as UserTokenClient; // Nobody signs in by the SDK.
}
