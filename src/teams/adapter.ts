import {
  type Activity,
  CloudAdapter,
  type InvokeResponse,
  type SendActivitiesHandler,
  type TurnContext,
} from 'botbuilder';
import type { Place } from '../../dialogs/format/message.ts';
import { FrameworkAuthentication } from './framework-authentication.ts';
import type { Connector } from './replies/connector.ts';
import { postBy, ready } from './replies/context.ts';
import { continuationOf } from './replies/place.ts';

type Logic = (context: TurnContext) => Promise<void>;

/**
 * Runs turns, and speaks after them. The inherited `process` is not for use: it writes errors to the console and sends
 * their messages to the caller.
 *
 * A message and its replies pass by the SDK's async functions where the SDK lets them. The SDK is compiled to generators, and
 * each call makes a generator function. V8 gives each generator function a map, which keeps all that the call sees until a
 * full garbage collection. Each turn stayed in memory so long, and a lookup took 40 % more CPU.
 */
export class Adapter extends CloudAdapter {
  readonly #authentication: FrameworkAuthentication;
  readonly #post: SendActivitiesHandler;
  readonly #now: () => number;

  constructor(connector: Connector, now: () => number) {
    const authentication = new FrameworkAuthentication(connector);
    super(authentication);
    this.#authentication = authentication;
    this.#post = postBy(connector);
    this.#now = now;
  }

  /**
   * Runs one turn for an activity that the server has let in.
   * @returns what an invoke, or a request that expects its replies in its answer, gets; undefined for all others
   */
  run(activity: Activity, arrivedAt: number, logic: Logic): Promise<InvokeResponse | undefined> {
    return this.processActivity(this.#authentication.verdict, activity, (context) => {
      ready(context, arrivedAt, this.#post);
      return logic(context);
    });
  }

  /** Speaks at a place after its turn. `continueConversationAsync` would put a random id for the question's. */
  async speakAt<T>(place: Place, speak: (context: TurnContext) => Promise<T>): Promise<T> {
    const { claimsIdentity, audience } = this.#authentication.verdict;
    const { promise, resolve } = Promise.withResolvers<T>();
    await this.processProactive(claimsIdentity, continuationOf(place), audience, async (context) => {
      ready(context, this.#now(), this.#post);
      resolve(await speak(context));
    });
    return promise;
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
