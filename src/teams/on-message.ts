import type { Activity, TurnContext } from 'botbuilder';
import type { Logger } from 'pino';
import { createChooser, createSlashTest, type Sent } from '../../dialogs/choose.ts';
import type { Dialog, Limits } from '../../dialogs/dialog.ts';
import { code } from '../../dialogs/format/line.ts';
import type { Formats } from '../../dialogs/format/locale.ts';
import { withoutThread } from '../../dialogs/format/message.ts';
import { tooOften } from '../../dialogs/lookup/question.ts';
import { findMacAddresses } from '../domain/mac-address.ts';
import { firstPart } from '../domain/text.ts';
import { isOverheard, isPersonal, keyOf, personOf, placeOf, submissionOf, userIdOf } from './activity.ts';
import { arrivalOf } from './adapter.ts';
import { createAnswer } from './answer.ts';
import { createEdits } from './edits.ts';
import { showsCards } from './message-activity.ts';
import { readBeside, readText } from './message-text.ts';
import { type Permissions, refusal } from './permissions.ts';
import type { Replies } from './replies.ts';
import { isTargetedPress, target } from './targeted.ts';

export type OnMessageOptions = {
  dialogs: readonly Dialog[];
  replies: Pick<Replies, 'say' | 'sayOnce' | 'replace'>;
  /** Whether a message with a MAC address is answered in this channel without a mention. */
  isAutoreplyOn(conversation: string): Promise<boolean>;
  formatOf: Formats;
  permissions: Permissions;
  limits: Pick<Limits, 'takeMessage'>;
  /** Gives up what is still to be answered of the message with this key, because an edit of it was answered. Never rejects. */
  supersede(key: string): Promise<void>;
  log: Logger;
};

/** A message in, the answer of the dialog that it asks for out. An edit gets one only if it brings another address. */
export function createOnMessage(options: OnMessageOptions): (context: TurnContext) => Promise<void> {
  const { dialogs, replies, formatOf, permissions, limits, supersede, isAutoreplyOn } = options;
  const choose = createChooser(dialogs);
  const isSlashCommand = createSlashTest(dialogs);
  const edits = createEdits();
  return async (context) => {
    const { activity } = context;
    if (!edits.isKnown(activity)) return;
    if (isTargetedPress(activity) || edits.isOfTargeted(activity)) target(activity);
    const own = firstPart(readText(activity));
    const isForMe = !isOverheard(activity) || isSlashCommand(own.text);
    // An unmentioned message is answered if it holds a MAC address and autoreply is on.
    const conversation = withoutThread(activity.conversation.id);
    if (!isForMe && !(findMacAddresses(own.text).length > 0 && (await isAutoreplyOn(conversation)))) return;
    if (!permissions.allow(activity)) return refusePerson(context, options);
    const sent = { ...sentOf(activity, own), isAdmin: permissions.isAdmin(activity), isOverheard: !isForMe };
    const place = placeOf(activity);
    const format = formatOf(place);
    const waitMs = limits.takeMessage(sent.person);
    if (waitMs > 0) return void (await replies.say(context, { text: tooOften(waitMs, format) }));
    const { dialog, ...chosen } = choose(sent);
    const key = keyOf(activity);
    await edits.answer(activity, chosen.addresses, async (earlier) => {
      const { stopTyping, answerId, ...ways } = createAnswer(context, earlier?.messageId, options);
      try {
        const arrivedAt = arrivalOf(context);
        await dialog.answer({ ...sent, ...ways, ...chosen, key, place, arrivedAt, format });
      } finally {
        await stopTyping();
      }
      if (earlier) await supersede(earlier.key);
      return answerId();
    });
  };
}

function sentOf(activity: Activity, own: ReturnType<typeof firstPart>): Omit<Sent, 'isAdmin'> {
  const { quoted, unseen } = readBeside(activity);
  const beside = firstPart(quoted);
  return {
    text: own.text,
    isCut: own.isCut || beside.isCut,
    quoted: beside.text,
    unseen,
    person: personOf(activity),
    name: activity.from?.name || userIdOf(activity),
    isPersonal: isPersonal(activity),
    showsCards: showsCards(activity.channelId),
    submission: submissionOf(activity),
  };
}

async function refusePerson(context: TurnContext, options: OnMessageOptions): Promise<void> {
  const { replies, permissions, log } = options;
  const { activity } = context;
  const id = userIdOf(activity);
  log.warn({ user: id }, 'person not allowed');
  if (!permissions.hears(activity)) return;
  await permissions.tellOnce(personOf(activity), () => replies.say(context, { text: refusal(code(id)) }));
}
