import { type Activity, CloudAdapter, type TurnContext } from 'botbuilder';
import {
  AuthenticationConstants,
  BotFrameworkAuthentication,
  ClaimsIdentity,
  type ConnectorClient,
  type UserTokenClient,
} from 'botframework-connector';

/**
 * The botbuilder adapter, by its extension points, for requests whose answer holds the replies. Its `process` is not used: it
 * writes errors to the console and sends their messages to the caller. Other messages are answered without it (`connector.ts`):
 * the SDK builds a client for each turn, repeats a failed reply blindly, and keeps memory (docs/performance.md).
 */
export class ResponseAdapter extends CloudAdapter {
  constructor() {
    super(new AlreadyAuthenticated());
  }

  /** Runs one turn. Returns the invoke's answer (501 if the turn made none), or the replies. Throws what the turn throws. */
  run(activity: Activity, turn: (context: TurnContext) => Promise<void>) {
    return this.processActivity(NO_AUTH, activity, turn);
  }
}

/** One for all requests, with authentication on or off. The identity is empty because nothing here reads claims. */
const NO_AUTH = {
  audience: AuthenticationConstants.ToChannelFromBotOAuthScope,
  claimsIdentity: new ClaimsIdentity([]),
  connectorFactory: { create: async () => ({}) as ConnectorClient },
};

/** The server has checked the request already, so the SDK refuses all that did not come through the server. */
class AlreadyAuthenticated extends BotFrameworkAuthentication {
  override authenticateRequest = () => Promise.reject(new Error('the SDK checks no request here'));
  override authenticateStreamingRequest = this.authenticateRequest;
  override createConnectorFactory = () => NO_AUTH.connectorFactory;
  override createUserTokenClient = async () => ({}) as UserTokenClient; // Nobody signs in by the SDK.
}
