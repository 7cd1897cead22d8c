import {
  type Activity,
  CloudAdapter,
  ConfigurationBotFrameworkAuthentication,
  type InvokeResponse,
  type TurnContext,
} from 'botbuilder';
import {
  type AuthenticateRequestResult,
  BotFrameworkAuthentication,
  ClaimsIdentity,
  type ConnectorFactory,
  type UserTokenClient,
} from 'botframework-connector';

/** botbuilder's adapter with its turn opened for a request that has been read and judged before it. */
export class TurnAdapter extends CloudAdapter {
  /**
   * Runs one turn to its end, replies included.
   * @returns what an invoke, or a request that expects its replies in the answer, gets; undefined for all others
   */
  run(
    activity: Activity,
    identity: AuthenticateRequestResult,
    logic: (context: TurnContext) => Promise<void>,
  ): Promise<InvokeResponse | undefined> {
    return this.processActivity(identity, activity, logic);
  }
}

/**
 * Leaves authentication to what stands before and behind the adapter: requests have been judged when they come here
 * (`authentication/channel-token.ts`), and the connectors put the bot's own tokens on replies.
 */
export class AuthenticatedElsewhere extends BotFrameworkAuthentication {
  readonly #connectors: ConnectorFactory;
  readonly #identity = new ClaimsIdentity([], 'anonymous');
  /** The adapter asks for one in each turn; nothing here uses it, so one serves all. */
  readonly #tokenClient: Promise<UserTokenClient>;

  constructor(connectors: ConnectorFactory) {
    super();
    this.#connectors = connectors;
    this.#tokenClient = new ConfigurationBotFrameworkAuthentication().createUserTokenClient(this.#identity);
  }

  override async authenticateRequest(): Promise<AuthenticateRequestResult> {
    return { audience: '', claimsIdentity: this.#identity, connectorFactory: this.#connectors };
  }

  override authenticateStreamingRequest(): Promise<AuthenticateRequestResult> {
    return Promise.reject(new Error('streaming connections are not offered'));
  }

  override createConnectorFactory(): ConnectorFactory {
    return this.#connectors;
  }

  override createUserTokenClient(): Promise<UserTokenClient> {
    return this.#tokenClient;
  }
}
