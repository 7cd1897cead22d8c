import {
  type AuthenticateRequestResult,
  AuthenticationConstants,
  BotFrameworkAuthentication,
  ClaimsIdentity,
  type ConnectorClient,
  type ConnectorFactory,
  type UserTokenClient,
} from 'botframework-connector';
import type { Connector } from './replies/connector.ts';

/** Hands the SDK's adapter the verdict that the server has reached, and one connector for all turns. */
export class FrameworkAuthentication extends BotFrameworkAuthentication {
  /** One for all requests, with authentication on or off. The identity is empty because nothing here reads claims. */
  readonly verdict: AuthenticateRequestResult;
  readonly #connectorFactory: ConnectorFactory;

  constructor(connector: Connector) {
    super();
    // The SDK's class has every operation of the service; its adapter calls the three of ours.
    const client = Promise.resolve(connector as unknown as ConnectorClient);
    this.#connectorFactory = { create: () => client };
    this.verdict = {
      audience: AuthenticationConstants.ToChannelFromBotOAuthScope,
      claimsIdentity: new ClaimsIdentity([]),
      connectorFactory: this.#connectorFactory,
    };
  }

  override authenticateRequest(): Promise<never> {
    return notHere();
  }

  override authenticateStreamingRequest(): Promise<never> {
    return notHere();
  }

  override createConnectorFactory(): ConnectorFactory {
    return this.#connectorFactory;
  }

  override createUserTokenClient(): Promise<UserTokenClient> {
    return NO_USER_TOKENS;
  }
}

/** A request that comes in past the server's check is refused; nobody signs in by the SDK. */
function notHere(): Promise<never> {
  return Promise.reject(new Error('the SDK judges no request and signs nobody in here'));
}

const NO_USER_TOKENS: Promise<UserTokenClient> = Promise.resolve({
  getUserToken: notHere,
  getSignInResource: notHere,
  signOutUser: notHere,
  getTokenStatus: notHere,
  getAadTokens: notHere,
  exchangeToken: notHere,
});
