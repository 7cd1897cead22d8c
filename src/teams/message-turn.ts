import type { Activity } from 'botbuilder';
import type { Choice, Sent } from '../../dialogs/choose.ts';
import type { Bot } from '../../dialogs/commands/command.ts';
import { withoutThread } from '../../dialogs/format/message.ts';
import { code } from '../../dialogs/format/words.ts';
import { supersede } from '../../dialogs/lookup/lookup-jobs.ts';
import { tooOften } from '../../dialogs/lookup/question.ts';
import { findMacAddresses } from '../domain/mac-address.ts';
import { firstPart } from '../domain/text.ts';
import {
  isEdit,
  isPersonal,
  isTargetedPress,
  isUnaddressed,
  personOf,
  submissionOf,
  target,
  userIdOf,
} from './activity.ts';
import { logRefusal, type Permissions, refusal } from './admission.ts';
import type { TeamsChat } from './chat.ts';
import type { Connector } from './connector.ts';
import type { Edits } from './edits.ts';
import { beginsWithMention, readBeside, readText, showsCards } from './message-activity.ts';
import { type Incoming, openReplies } from './turn-replies.ts';

/** The parts of a turn, each by its name. */
export type TurnParts = {
  bot: Bot;
  chat: TeamsChat;
  connector: Pick<Connector, 'send'>;
  permissions: Permissions;
  edits: Edits;
  choose(sent: Sent): Choice;
  isSlashCommand(text: string): boolean;
  /** What an administrator has not been told yet; undefined: nothing. */
  noticeFor(person: string): string | undefined;
};

/** A message in, the answer of its command out. An edit gets one only if it brings another address. */
export async function answerMessage(incoming: Incoming, parts: TurnParts): Promise<void> {
  const { activity, key, place, arrivedAt, begunAt, atOnce } = incoming;
  const { bot, chat, permissions, edits, choose, noticeFor } = parts;
  const edited = edits.earlierOf(activity);
  if (isEdit(activity) && edited === undefined) return;
  if (isTargetedPress(activity) || edited?.isTargeted) target(activity, place); // Teams need not mark an edit.
  const own = firstPart(readText(activity));
  const isForMe =
    !isUnaddressed(activity) || (parts.isSlashCommand(own.text) && !beginsWithMention(activity));
  if (!isForMe && !(await isAutoreply(activity, own.text, bot))) return;
  if (!(await permissions.allow(activity))) return isForMe ? refusePerson(incoming, parts) : undefined;
  const sent = { ...toSent(activity, own), isAdmin: permissions.isAdmin(activity), isOverheard: !isForMe };
  const reader = bot.readerOf(place);
  const waitMs = bot.limits.takeMessage(sent.person);
  if (waitMs > 0) return void (await chat.send(place, { text: tooOften(waitMs, reader) }, undefined, atOnce));
  const { dialog: command, ...chosen } = choose(sent);
  // A follow-up ("and :08?") brings its address in its words.
  const isFollowUp =
    command.name === 'lookup' && chosen.addresses.length === 0 && command.claims?.(sent, bot);
  await edits.answer(activity, isFollowUp ? [sent.text] : chosen.addresses, async (earlier) => {
    const { connector } = parts;
    const { timing, log } = bot;
    const replies = openReplies(incoming, earlier?.messageId, { chat, connector, timing, log });
    const turn = { ...sent, ...chosen, key, place, arrivedAt, begunAt, reader };
    const { say, sayOnce, replace } = replies;
    try {
      await command.answer({ ...turn, say, sayOnce, replace }, bot);
    } finally {
      await replies.stopTyping();
    }
    const notice = permissions.isNamedAdmin(activity) && noticeFor(sent.person);
    if (notice) await chat.send(place, { text: notice }, undefined, atOnce);
    if (earlier) await supersede(earlier.key, bot);
    return replies.answerId();
  });
}

/** Whether a message that nobody addressed to the bot names a device where the bot answers such messages. */
async function isAutoreply({ conversation }: Activity, text: string, { autoreplies, onError }: Bot) {
  if (findMacAddresses(text).length === 0) return false;
  const row = await autoreplies.find(withoutThread(conversation.id)).catch((error) => onError(error));
  return row !== undefined; // While the database is away, such messages are passed over.
}

function toSent(activity: Activity, own: ReturnType<typeof firstPart>): Omit<Sent, 'isAdmin'> {
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

async function refusePerson({ activity, place, atOnce }: Incoming, parts: TurnParts): Promise<void> {
  const { bot, chat, permissions } = parts;
  logRefusal(bot.log, activity);
  if (!permissions.hears(activity)) return;
  const sender = JSON.stringify([withoutThread(activity.conversation.id), personOf(activity)]);
  const text = refusal(code(userIdOf(activity)));
  await permissions.tellOnce(sender, () => chat.send(place, { text }, undefined, atOnce));
}
