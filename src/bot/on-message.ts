import { type Activity, ActivityTypes, DeliveryModes, type TurnContext } from 'botbuilder';
import type { Logger } from 'pino';
import { tooOften } from '../../dialogs/answers/over-limit.ts';
import { createChooser, createSlashTest, type Sent } from '../../dialogs/choose.ts';
import type { Dialog, Limits, Turn } from '../../dialogs/dialog.ts';
import type { Formats } from '../../dialogs/format/locale.ts';
import { code } from '../../dialogs/format/markdown.ts';
import { type Message, withoutThread } from '../../dialogs/format/message.ts';
import { findMacAddresses } from '../mac-address.ts';
import { isOverheard, keyOf, personOf, submissionOf, userIdOf } from './activity.ts';
import { readBeside } from './beside.ts';
import { createEdits } from './edits.ts';
import { readText } from './message-text.ts';
import { type Permissions, refusal } from './permissions.ts';
import { arrivalOf, send } from './replies/context.ts';
import { showsCards } from './replies/message-activity.ts';
import { isPersonal, placeOf } from './replies/place.ts';
import type { Replies } from './replies/replies.ts';
import { startTyping } from './replies/typing.ts';

export type OnMessageOptions = {
  dialogs: readonly Dialog[];
  replies: Pick<Replies, 'say' | 'sayOnce' | 'replace'>;
  /** Whether a message with a MAC address is answered in this channel without a mention. */
  isAutoreplyOn(conversation: string): Promise<boolean>;
  formatOf: Formats;
  permissions: Permissions;
  limits: Pick<Limits, 'takeMessage'>;
  log: Logger;
};

/** A message in, the answer of the dialog that it asks for out. An edit gets one only if it brings another address. */
export function createOnMessage(options: OnMessageOptions): (context: TurnContext) => Promise<void> {
  const { dialogs, replies, formatOf, permissions, limits } = options;
  const choose = createChooser(dialogs);
  const isSlashCommand = createSlashTest(dialogs);
  const edits = createEdits();
  return async (context) => {
    const { activity } = context;
    if (!edits.isKnown(activity)) return;
    const isForMe = !isOverheard(activity) || isSlashCommand(readText(activity));
    if (!isForMe && !(await isSwitchedOn(activity, options))) return;
    if (!permissions.allow(activity)) return refusePerson(context, options);
    const sent = { ...sentOf(activity, permissions.isAdmin(activity)), isOverheard: !isForMe };
    const place = placeOf(activity);
    const format = formatOf(place);
    const waitMs = limits.takeMessage(sent.person);
    if (waitMs > 0) return replies.say(context, { text: tooOften(waitMs, format) });
    const { dialog, ...chosen } = choose(sent);
    const forget = edits.take(activity, chosen.addresses);
    if (!forget) return;
    const key = keyOf(activity);
    const { stopTyping, ...ways } = waysToAnswer(context, options);
    try {
      const arrivedAt = arrivalOf(context);
      await dialog.answer({ ...sent, ...ways, ...chosen, key, place, arrivedAt, format });
    } catch (error) {
      forget(); // The chat service delivers it again.
      throw error;
    } finally {
      await stopTyping();
    }
  };
}

function sentOf(activity: Activity, isAdmin: boolean): Sent {
  return {
    text: readText(activity),
    ...readBeside(activity),
    person: personOf(activity),
    name: activity.from?.name || userIdOf(activity),
    isAdmin,
    isPersonal: isPersonal(activity),
    showsCards: showsCards(activity.channelId),
    submission: submissionOf(activity),
  };
}

type Ways = Pick<Turn, 'say' | 'sayOnce' | 'replace'> & { stopTyping(): Promise<void> };

/** The bot is typing until it says something. Replies in the answer to the request come all at once, so nothing is shown before. */
function waysToAnswer(context: TurnContext, { replies, log }: OnMessageOptions): Ways {
  const isAtOnce = context.activity.deliveryMode === DeliveryModes.ExpectReplies;
  const stopTyping = isAtOnce
    ? async () => {}
    : startTyping(
        () => send(context, { type: ActivityTypes.Typing }),
        (error) => log.debug({ err: error }, 'typing could not be shown'),
      );
  return {
    stopTyping,
    async say(message) {
      await stopTyping();
      await replies.say(context, asMessage(message));
    },
    async sayOnce(message) {
      await stopTyping();
      return isAtOnce ? undefined : replies.sayOnce(context, message);
    },
    replace: (id, message) => replies.replace(context, id, asMessage(message)),
  };
}

/** Whether to answer an unmentioned message: it holds a MAC address and autoreply is on. */
async function isSwitchedOn(activity: Activity, { isAutoreplyOn }: OnMessageOptions): Promise<boolean> {
  return (
    findMacAddresses(readText(activity)).length > 0 && isAutoreplyOn(withoutThread(activity.conversation.id))
  );
}

async function refusePerson(
  context: TurnContext,
  { replies, permissions, log }: OnMessageOptions,
): Promise<void> {
  const { activity } = context;
  log.warn({ user: userIdOf(activity) }, 'person not allowed');
  const person = personOf(activity);
  if (!permissions.hears(activity) || !permissions.mayTell(person)) return;
  try {
    await replies.say(context, { text: refusal(code(userIdOf(activity))) });
  } catch (error) {
    permissions.notTold(person);
    throw error;
  }
}

function asMessage(message: Message | string): Message {
  return typeof message === 'string' ? { text: message } : message;
}
