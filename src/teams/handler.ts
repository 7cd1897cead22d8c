import {
  type Activity,
  ActivityTypes,
  type ChannelAccount,
  type InvokeResponse,
  type MessagingExtensionActionResponse,
  StatusCodes,
  TeamsActivityHandler,
  type TurnContext,
} from 'botbuilder';
import { isEdit } from './activity.ts';
import { isOfExtension } from './invoke.ts';

/** What the bot does in a turn. */
export type Tasks = {
  /** Gets edits too. */
  onMessage(context: TurnContext): Promise<void>;
  onExtension(context: TurnContext): Promise<MessagingExtensionActionResponse>;
  onInstalled(context: TurnContext): Promise<void>;
  onRemoved(context: TurnContext): Promise<void>;
};

/** Gives each activity to its task. Channels report an installation by two kinds of activities, or by one of the two. */
export class Handler extends TeamsActivityHandler {
  readonly #tasks: Tasks;

  constructor(tasks: Tasks) {
    super();
    this.#tasks = tasks;
    const { onInstalled, onRemoved } = tasks;
    // The SDK calls the same two events for an upgrade ("add-upgrade", "remove-upgrade").
    this.onInstallationUpdateAdd(runIf(({ action }) => action === 'add', onInstalled));
    this.onInstallationUpdateRemove(runIf(({ action }) => action === 'remove', onRemoved));
    this.onMembersAdded(runIf((activity) => hasBot(activity.membersAdded, activity), onInstalled));
    this.onMembersRemoved(runIf((activity) => hasBot(activity.membersRemoved, activity), onRemoved));
  }

  /** A message goes past the SDK's chain of handlers, which would keep its turn (see `Adapter`). */
  override run(context: TurnContext): Promise<void> {
    return context.activity.type === ActivityTypes.Message
      ? this.#tasks.onMessage(context)
      : super.run(context);
  }

  /** The SDK would throw a TypeError if an update has no `channelData`. */
  protected override async onMessageUpdateActivity(context: TurnContext): Promise<void> {
    if (isEdit(context.activity)) await this.#tasks.onMessage(context);
  }
  protected override async onMessageDeleteActivity(): Promise<void> {}

  /** The SDK would throw a TypeError for some other invokes, because it reads their values unchecked. */
  protected override async onInvokeActivity(context: TurnContext): Promise<InvokeResponse> {
    return isOfExtension(context.activity.name)
      ? super.onInvokeActivity(context)
      : { status: StatusCodes.NOT_IMPLEMENTED };
  }

  protected override handleTeamsMessagingExtensionFetchTask(
    context: TurnContext,
  ): Promise<MessagingExtensionActionResponse> {
    return this.#tasks.onExtension(context);
  }

  /** Not `handleTeamsMessagingExtensionSubmitAction`: a TypeError stands before it if the value is null. */
  protected override handleTeamsMessagingExtensionSubmitActionDispatch(
    context: TurnContext,
  ): Promise<MessagingExtensionActionResponse> {
    return this.#tasks.onExtension(context);
  }
}

type Run = (context: TurnContext) => Promise<void>;

function runIf(isMeant: (activity: Activity) => boolean, run: Run): Run {
  return async (context) => {
    if (isMeant(context.activity)) await run(context);
  };
}

function hasBot(members: readonly ChannelAccount[] | undefined, { recipient }: Activity): boolean {
  return members?.some(({ id }) => id === recipient?.id) ?? false;
}
