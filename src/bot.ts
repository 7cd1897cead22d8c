import { type Activity, ActivityTypes, DeliveryModes, type InvokeResponse } from 'botbuilder';
import type { Logger } from 'pino';
import { tooOften } from '../dialogs/answers/over-limit.ts';
import { createChooser, type Sent } from '../dialogs/choose.ts';
import type { Dialog, Limits } from '../dialogs/dialog.ts';
import { createFormats } from '../dialogs/format/locale.ts';
import { code } from '../dialogs/format/markdown.ts';
import type { Message } from '../dialogs/format/message.ts';
import { withoutThread } from '../dialogs/format/message.ts';
import type { MessageExtension } from '../dialogs/message-extension.ts';
import { welcomeMessage } from '../dialogs/welcome.ts';
import {
  installationOf,
  isLate,
  isOverheard,
  isPersonal,
  keyOf,
  personOf,
  submissionOf,
  userIdOf,
} from './bot/activity.ts';
import { answerInvoke, refuseInvoke } from './bot/invoke.ts';
import { readQuotes, readText } from './bot/message-text.ts';
import { createOnce } from './bot/once.ts';
import type { Permissions } from './bot/permissions.ts';
import type { Connector } from './bot/replies/connector.ts';
import { createReplies, type Replies, type RepliesOptions } from './bot/replies/replies.ts';
import { startTyping } from './bot/replies/typing.ts';
import { createTurnRunner, type Received } from './bot/run-turn.ts';
import { findMacAddresses } from './mac-address.ts';
import type { Autoreplies } from './store/autoreplies.ts';
import type { Welcomes } from './store/welcomes.ts';

export type Bot = {
  /** Runs one turn for an activity; throws where it may not be acknowledged. */
  run(activity: Activity): Promise<InvokeResponse | undefined>;
  /** What is said after a turn. */
  replies: Pick<Replies, 'sayLater' | 'replaceLater' | 'retry'>;
};

export type BotOptions = {
  dialogs: readonly Dialog[];
  extension: MessageExtension;
  connector: Connector;
  /** Where replies wait that the channel does not take. */
  replyQueue: RepliesOptions['queue'];
  /** Whether a message, by its key, is a job already: its answer comes from there. */
  isJob(key: string): Promise<boolean>;
  /** Channels in which a message with a MAC address is answered without a mention. */
  autoreplies: Pick<Autoreplies, 'isOn'>;
  welcomes: Welcomes;
  permissions: Permissions;
  limits: Pick<Limits, 'takeMessage'>;
  /** Ids of people who may change what concerns the whole team; undefined: all. */
  admins: readonly string[] | undefined;
  log: Logger;
};

/** What a turn may take; the channel repeats a message that is not acknowledged within 10 to 15 s. */
export const TURN_MS = 8000;

/** An activity in, the dialog that answers it, its replies out where the question stood. */
export function createBot({
  dialogs,
  extension,
  connector,
  replyQueue,
  isJob,
  autoreplies,
  welcomes,
  permissions,
  limits,
  admins,
  log,
}: BotOptions): Bot {
  const replies = createReplies({ connector, queue: replyQueue, patienceMs: TURN_MS, log });
  const choose = createChooser(dialogs);
  const formatOf = createFormats(Date.now);
  const once = createOnce(Date.now);
  const runTurn = createTurnRunner({ connector, respond, log });

  /** Gives what an invoke gets. */
  async function respond(received: Received): Promise<InvokeResponse | undefined> {
    switch (received.activity.type) {
      case ActivityTypes.Message:
        await onMessage(received);
        return undefined;
      case ActivityTypes.Invoke:
        return onInvoke(received);
      case ActivityTypes.ConversationUpdate:
      case ActivityTypes.InstallationUpdate:
        await onInstallation(received);
    }
    return undefined;
  }

  async function onMessage(received: Received): Promise<void> {
    const { activity, conversation, arrivedAt } = received;
    if (isOverheard(activity) && !(await isForMe(activity))) return;
    if (!permissions.allow(activity)) return refusePerson(received);
    const sent: Sent = {
      text: readText(activity),
      quoted: readQuotes(activity),
      person: personOf(activity),
      isAdmin: admins === undefined || admins.includes(userIdOf(activity)),
      isPersonal: isPersonal(activity),
      submission: submissionOf(activity),
    };
    const { place } = conversation;
    const format = formatOf(place);
    const waitMs = limits.takeMessage(sent.person);
    if (waitMs > 0) {
      return replies.say(conversation, { text: tooOften(waitMs, format) }, arrivedAt + TURN_MS);
    }
    const { dialog, text, addresses } = choose(sent);
    // What comes in the answer to the request comes all at once, so that signs on the way are of no use.
    const isAtOnce = activity.deliveryMode === DeliveryModes.ExpectReplies;
    const stopTyping = isAtOnce
      ? async () => {}
      : startTyping(
          () => conversation.send({ type: ActivityTypes.Typing }),
          (error) => log.debug({ err: error }, 'typing could not be shown'),
        );
    try {
      await dialog.answer({
        ...sent,
        text,
        addresses,
        key: keyOf(activity),
        place,
        arrivedAt,
        format,
        async say(message) {
          await stopTyping();
          await replies.say(conversation, asMessage(message), arrivedAt + TURN_MS);
        },
        async sayOnce(message) {
          await stopTyping();
          return isAtOnce ? undefined : replies.sayOnce(conversation, message);
        },
        replace: (id, message) => replies.replace(conversation, id, asMessage(message)),
      });
    } finally {
      await stopTyping();
    }
  }

  async function onInvoke({
    activity,
    conversation,
    arrivedAt,
  }: Received): Promise<InvokeResponse | undefined> {
    const call = {
      person: personOf(activity),
      key: keyOf(activity),
      arrivedAt,
      format: formatOf(conversation.place),
    };
    const isAllowed = permissions.allow(activity);
    if (!isAllowed) log.warn({ user: userIdOf(activity) }, 'person not allowed');
    return isAllowed
      ? answerInvoke(activity, call, extension)
      : refuseInvoke(activity.name, WORDS.refused(userIdOf(activity)));
  }

  /** Installing is told by two kinds of activities, of which a chat service may send either or both. */
  async function onInstallation({ activity, conversation, arrivedAt }: Received): Promise<void> {
    const installation = installationOf(activity);
    const id = withoutThread(activity.conversation.id);
    if (installation === 'removed') return void (await tried(welcomes.forget(id), undefined));
    if (installation === undefined || !permissions.allow(activity)) return;
    if (!(await tried(welcomes.claim(id), false))) return;
    const message = welcomeMessage(isPersonal(activity));
    await replies.say(conversation, message, arrivedAt + TURN_MS);
  }

  async function refusePerson({ activity, conversation, arrivedAt }: Received): Promise<void> {
    log.warn({ user: userIdOf(activity) }, 'person not allowed');
    if (!permissions.mayTell(personOf(activity))) return;
    try {
      const message = { text: WORDS.refused(code(userIdOf(activity))) };
      await replies.say(conversation, message, arrivedAt + TURN_MS);
    } catch (error) {
      permissions.notTold(personOf(activity));
      throw error;
    }
  }

  /** Of messages that were not said to the bot, those with a MAC address, where that was asked for. */
  async function isForMe(activity: Activity): Promise<boolean> {
    if (findMacAddresses(readText(activity)).length === 0) return false;
    return tried(autoreplies.isOn(withoutThread(activity.conversation.id)), false);
  }

  /** A question to the database; while it is away the bot goes on as if the answer were `otherwise`. */
  function tried<T>(question: Promise<T>, otherwise: T): Promise<T> {
    return question.catch((error: unknown) => {
      log.error({ err: error }, 'the database was asked in vain');
      return otherwise;
    });
  }

  return {
    run(activity) {
      const arrivedAt = Date.now();
      return once(keyOf(activity), async () => {
        if (isLate(activity, arrivedAt) && (await tried(isJob(keyOf(activity)), false))) return undefined;
        return runTurn(activity, arrivedAt);
      });
    },
    replies,
  };
}

const WORDS = {
  refused: (id: string) =>
    `Sorry, I may not answer you here. My administrator can change that; your id is ${id}.`,
};

function asMessage(message: Message | string): Message {
  return typeof message === 'string' ? { text: message } : message;
}
