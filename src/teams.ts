import { type Activity, ActivityTypes, type InvokeResponse, StatusCodes, type TurnContext } from 'botbuilder';
import { welcomeMessage } from '../dialogs/commands/help.ts';
import type { Conversations, Limits, WithNumber } from '../dialogs/dialog.ts';
import { withoutThread } from '../dialogs/format/message.ts';
import { reportNumber } from '../dialogs/lookup/report.ts';
import type { MessageExtension } from '../dialogs/message-extension.ts';
import type { Clock } from './domain/timing.ts';
import { isEdit, isLate, isPersonal, keyOf, personOf } from './teams/activity.ts';
import { Adapter, type Connector, DeliveryError, isAnsweredAtOnce, send } from './teams/adapter.ts';
import { createOnce, type Permissions } from './teams/admission.ts';
import { createOnExtension } from './teams/extension.ts';
import { activityOf } from './teams/message-activity.ts';
import { createOnMessage, type OnMessageOptions } from './teams/on-message.ts';
import { createReplies, type Replies, type RepliesOptions } from './teams/replies.ts';

type ChatOptions = Omit<RepliesOptions, 'speakAt'> & {
  connector: Pick<Connector, 'send' | 'update'>;
  isAway(error: unknown): boolean;
};

export type Chat = ReturnType<typeof createChat>;

export function createChat(options: ChatOptions) {
  const { connector, now } = options;
  const adapter = new Adapter(connector, now);
  adapter.onTurnError = (context, error) => tellFault(context, error, options);
  return { adapter, replies: createReplies({ ...options, speakAt: adapter.speakAt.bind(adapter) }) };
}

/** Tells the person when the bot itself fails. Throws a DeliveryError, and an invoke's error. */
async function tellFault(context: TurnContext, error: Error, { isAway, log }: ChatOptions): Promise<void> {
  if (context.activity.type === ActivityTypes.Invoke || error instanceof DeliveryError) throw error;
  if (!isAway(error)) log.error({ err: error }, 'turn failed');
  const text = isAway(error)
    ? 'I cannot reach my database right now, which this needs. Please try again in a moment.'
    : `Something went wrong here. Please try again; if it stays, report number ${reportNumber(keyOf(context.activity))}.`;
  await send(context, activityOf({ text }));
}

type BotOptions = Omit<OnMessageOptions, 'replies' | 'isAutoreplyOn'> &
  Pick<HandlerOptions & ChatOptions, 'welcomes' | 'logFault'> & {
    chat: Chat;
    extension: MessageExtension;
    /** Whether a message, by its key, is a job already: its answer comes from there. */
    isJob(key: string): Promise<boolean>;
    autoreplies: Pick<Conversations, 'find'>;
    withNumber: WithNumber;
    clock: Clock;
  };

const OK: InvokeResponse = { status: StatusCodes.OK };

/** How many activities are remembered, so that a repeat is known: some 100 MB of keys, and some 20 MB of answers. */
const MOST_REMEMBERED = 500_000;
const MOST_ANSWERS = 500;
const REMEMBERED_MS = 10 * 60_000;

/**
 * An activity in, its replies out where the question stood. Returns what its request is answered: 200, what an invoke gets, or
 * 502 if the channel did not take the reply. Throws the errors of an invoke, and others that could not be told.
 */
export function createBot(options: BotOptions): (activity: Activity) => Promise<InvokeResponse> {
  const { chat, isJob, autoreplies, welcomes, clock, log } = options;
  const { adapter, replies } = chat;
  const once = createOnce(clock.steady, MOST_REMEMBERED, REMEMBERED_MS);
  const onceAtOnce = createOnce(clock.steady, MOST_ANSWERS, REMEMBERED_MS);

  /** A question to the database; while it is away the bot goes on as if the answer were `otherwise`. */
  function tried<T>(question: Promise<T>, otherwise: T): Promise<T> {
    return question.catch((error: unknown) => {
      options.logFault(error, 'the database was asked in vain');
      return otherwise;
    });
  }

  const isAutoreplyOn = async (conversation: string) =>
    (await tried(autoreplies.find(conversation), undefined)) !== undefined;
  const handle = createHandler({
    ...options,
    onMessage: createOnMessage({ ...options, replies, isAutoreplyOn }),
    onExtension: createOnExtension(options),
    welcomes: {
      add: (conversation) => tried(welcomes.add(conversation), false),
      remove: (conversation) => tried(welcomes.remove(conversation), false),
    },
    replies,
  });

  async function answer(activity: Activity, key: string): Promise<InvokeResponse> {
    const arrivedAt = clock.now();
    const runOnce = isAnsweredAtOnce(activity) ? onceAtOnce : once;
    try {
      return await runOnce(key, async () => {
        const isDone = isLate(activity, arrivedAt) && (await tried(isJob(key), false));
        return (!isDone && (await adapter.run(activity, arrivedAt, handle))) || OK;
      });
    } catch (error) {
      if (!(error instanceof DeliveryError)) throw error;
      log.error({ err: error }, 'turn not acknowledged');
      return { status: StatusCodes.BAD_GATEWAY };
    }
  }

  return (activity) => {
    const key = keyOf(activity);
    return options.withNumber(reportNumber(key), () => answer(activity, key));
  };
}

export type HandlerOptions = {
  /** Gets edits too. */
  onMessage(context: TurnContext): Promise<void>;
  /** Gets every invoke. */
  onExtension(context: TurnContext): Promise<void>;
  /** Conversations in which the bot has introduced itself. `add` is true the first time, over all processes, until `remove`. */
  welcomes: Pick<Conversations, 'add'> & { remove(conversation: string): Promise<unknown> };
  permissions: Pick<Permissions, 'allow'>;
  limits: Pick<Limits, 'takeMessage'>;
  replies: Pick<Replies, 'say'>;
};

/** Gives each activity to who answers it. Channels tell an installation by two kinds of activities, or by one of the two. */
export function createHandler(options: HandlerOptions): (context: TurnContext) => Promise<void> {
  const { onMessage, onExtension, welcomes, permissions, limits, replies } = options;

  /** Says hello once for each installation, however often the channel tells it. */
  async function welcome(context: TurnContext): Promise<void> {
    const { activity } = context;
    if (limits.takeMessage(personOf(activity)) > 0 || !(await permissions.allow(activity))) return;
    const conversation = withoutThread(activity.conversation.id);
    if (!(await welcomes.add(conversation))) return;
    await replies.say(context, welcomeMessage(isPersonal(activity))).catch(async (error: unknown) => {
      await welcomes.remove(conversation); // The chat service tells the installation again.
      throw error;
    });
  }

  return async (context) => {
    const { activity } = context;
    const { type, action, membersAdded, membersRemoved } = activity;
    const goes = async () => void (await welcomes.remove(withoutThread(activity.conversation.id)));
    const isBot = ({ id }: { id: string }) => id === activity.recipient?.id;
    switch (type) {
      case ActivityTypes.Message:
        return onMessage(context);
      case ActivityTypes.MessageUpdate:
        return isEdit(activity) ? onMessage(context) : undefined;
      case ActivityTypes.Invoke:
        return onExtension(context);
      case ActivityTypes.InstallationUpdate: // An upgrade says "add-upgrade" and "remove-upgrade".
        if (action === 'add') return welcome(context);
        return action === 'remove' ? goes() : undefined;
      case ActivityTypes.ConversationUpdate:
        if (membersAdded?.some(isBot)) return welcome(context);
        return membersRemoved?.some(isBot) ? goes() : undefined;
    }
  };
}
