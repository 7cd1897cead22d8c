import type { Activity, InvokeResponse } from 'botbuilder';
import type { Logger } from 'pino';
import { createFormats } from '../dialogs/format/locale.ts';
import type { Place } from '../dialogs/format/message.ts';
import type { MessageExtension } from '../dialogs/message-extension.ts';
import type { Clock } from './domain/timing.ts';
import { TIMING, type Timing } from './domain/timing.ts';
import { logFault } from './store/away.ts';
import type { Autoreplies, StoredChats, Welcomes } from './store/tables.ts';
import { isLate, keyOf } from './teams/activity.ts';
import { Adapter } from './teams/adapter.ts';
import { Handler } from './teams/handler.ts';
import { createOnExtension } from './teams/invoke.ts';
import { createOnInstallation } from './teams/on-installation.ts';
import { createOnMessage, type OnMessageOptions } from './teams/on-message.ts';
import { createOnce } from './teams/once.ts';
import { createPersonalChats, type PersonalChats } from './teams/personal-chats.ts';
import type { Connector } from './teams/replies/connector.ts';
import { createReplies, type Replies, type RepliesOptions } from './teams/replies/replies.ts';
import { createFaultTeller } from './teams/tell-fault.ts';

/** The way to people: the SDK's adapter, what is said through it, and where a person can be reached alone. */
export type Chat = { adapter: Adapter; replies: Replies; chats: PersonalChats };

export type ChatOptions = {
  connector: Connector;
  /** Where replies wait that the channel does not take. */
  replyQueue: RepliesOptions['queue'];
  personalChats: StoredChats<Place>;
  now: Clock['now'];
  timing?: Pick<Timing, 'turnMs' | 'replies'>;
  log: Logger;
};

export function createChat({
  connector,
  replyQueue,
  personalChats,
  now,
  timing = TIMING,
  log,
}: ChatOptions): Chat {
  const adapter = new Adapter(connector, now);
  adapter.onTurnError = createFaultTeller(log);
  const chats = createPersonalChats(personalChats);
  const replies = createReplies({
    speakAt: (place, speak) => adapter.speakAt(place, speak),
    queue: replyQueue,
    personalChatOf: chats.ofAsker,
    patienceMs: timing.turnMs,
    backoff: timing.replies,
    now,
    log,
  });
  return { adapter, replies, chats };
}

export type BotOptions = Pick<OnMessageOptions, 'dialogs' | 'permissions' | 'limits' | 'supersede'> & {
  chat: Chat;
  extension: MessageExtension;
  /** Whether a message, by its key, is a job already: its answer comes from there. */
  isJob(key: string): Promise<boolean>;
  /** Channels in which a message with a MAC address is answered without a mention. */
  autoreplies: Pick<Autoreplies, 'isOn'>;
  welcomes: Welcomes;
  clock: Clock;
  log: Logger;
};

/** Runs one turn for an activity; throws where it may not be acknowledged. */
export type Bot = (activity: Activity) => Promise<InvokeResponse | undefined>;

/** An activity in, the dialog that answers it, its replies out where the question stood. */
export function createBot(options: BotOptions): Bot {
  const { chat, permissions, isJob, autoreplies, welcomes, clock, log } = options;
  const { adapter, replies, chats } = chat;
  const formatOf = createFormats(clock.now);
  const once = createOnce(clock.steady);

  /** A question to the database; while it is away the bot goes on as if the answer were `otherwise`. */
  function tried<T>(question: Promise<T>, otherwise: T): Promise<T> {
    return question.catch((error: unknown) => {
      logFault(log, error, 'the database was asked in vain');
      return otherwise;
    });
  }

  const handler = new Handler({
    onMessage: createOnMessage({
      ...options,
      replies,
      formatOf,
      noteChat: chats.note,
      isAutoreplyOn: (conversation) => tried(autoreplies.isOn(conversation), false),
    }),
    onExtension: createOnExtension({
      extension: options.extension,
      formatOf,
      permissions,
      limits: options.limits,
      log,
    }),
    ...createOnInstallation({
      welcomes: {
        claim: (conversation) => tried(welcomes.claim(conversation), false),
        forget: (conversation) => tried(welcomes.forget(conversation), undefined),
      },
      chats: {
        keep: (activity) => tried(chats.keep(activity), undefined),
        drop: (activity) => tried(chats.drop(activity), undefined),
      },
      permissions,
      limits: options.limits,
      replies,
    }),
  });

  return (activity) => {
    const arrivedAt = clock.now();
    return once(keyOf(activity), async () => {
      if (isLate(activity, arrivedAt) && (await tried(isJob(keyOf(activity)), false))) return undefined;
      return adapter.run(activity, arrivedAt, (context) => handler.run(context));
    });
  };
}
