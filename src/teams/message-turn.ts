import type { Activity } from 'botbuilder';
import type { Bot } from '../../dialogs/commands/command.ts';
import type { TakenMessage, Turn } from '../../dialogs/dialog.ts';
import { supersede } from '../../dialogs/lookup/lookup-jobs.ts';
import { tooOften } from '../../dialogs/lookup/question.ts';
import { isTargetedPlace, type Message, withoutThread } from '../../dialogs/render/message.ts';
import { code } from '../../dialogs/render/words.ts';
import { isSlashCommand, route } from '../../dialogs/route.ts';
import { readAddresses } from '../domain/device-address.ts';
import { firstPart } from '../domain/text.ts';
import { settlesWithin } from '../domain/timing.ts';
import {
  isAnsweredInResponse,
  isEdit,
  isPersonal,
  isTargeted,
  isUnaddressed,
  markTargeted,
  personOf,
  submissionOf,
  userIdOf,
} from './activity.ts';
import { logRefusal, type NamedDevices, type Permissions, refusal, takeFirstNamed } from './admission.ts';
import type { TeamsChat } from './chat.ts';
import type { Edits } from './edits.ts';
import { beginsWithMention, type Content, readMessageContent, showsCards } from './message-activity.ts';

/** An activity as it arrived. `chat`: where its replies go, to the chat service or into the answer to its request. */
export type Incoming = Pick<Turn, 'key' | 'number' | 'place' | 'arrivedAt' | 'begunAt'> & {
  activity: Activity;
  chat: TeamsChat;
};

/** The parts of a turn, each by its name. */
export type TurnParts = {
  bot: Bot;
  permissions: Permissions;
  edits: Edits;
  namedDevices: NamedDevices;
};

/** A message in, the answer of its command out. An edit gets one only if it asks something new. */
export async function answerMessage(incoming: Incoming, parts: TurnParts): Promise<void> {
  const { activity, chat, ...arrival } = incoming;
  const { key, place } = arrival;
  const { bot, permissions, edits, namedDevices } = parts;
  const edited = edits.earlierOf(activity);
  const isUnknownEdit = isEdit(activity) && edited === undefined;
  if (isTargeted(activity.value) || edited?.isTargeted) markTargeted(activity, place); // Teams need not mark an edit.
  const content = readMessageContent(activity);
  const own = firstPart(content.own);
  const isAddressed = !isUnaddressed(activity) || (!isUnknownEdit && isPlainSlash(activity, own.text));
  const isAnswered = isAddressed || (!isUnknownEdit && (await isAutoreply(activity, own.text, bot)));
  if (!isAnswered) return edits.pass(activity);
  const refusedBy = await permissions.refusedBy(activity);
  if (refusedBy !== undefined) return isAddressed ? refusePerson(incoming, refusedBy, parts) : undefined;
  const message = {
    ...toMessageData(activity, own, content),
    isAdmin: permissions.isAdmin(activity),
    isAddressed,
  };
  const waitMs = bot.limits.takeMessage(message.person);
  if (waitMs > 0 && !isAddressed) return edits.pass(activity);
  const formatter = bot.formatterFor(place);
  if (waitMs > 0) return void (await chat.send(place, { text: tooOften(waitMs) }));
  const routed = route(message, bot.recent.knownIn(place), bot.settings);
  // Notes the devices of addressed messages too.
  const firstNamed = message.isPersonal ? routed : takeFirstNamed(namedDevices, routed, key, place);
  const chosen = isAddressed ? routed : firstNamed;
  if (chosen.kind === 'silence' || (isUnknownEdit && chosen.kind !== 'run')) return edits.pass(activity);
  await edits.answer(activity, chosen, async (earlier) => {
    const { stopTyping, lastMessageId, ...replies } = openReplies(incoming, earlier?.messageId, parts);
    bot.recent.noteQuestion(place, chosen);
    try {
      if (chosen.kind === 'reply') await replies.say(chosen.message);
      if (chosen.kind === 'run') {
        const turn = { ...message, ...chosen, ...arrival, formatter, ...replies };
        await bot.commands[chosen.command].answer(turn, bot);
      }
    } finally {
      await stopTyping();
    }
    if (earlier) await supersede(earlier.key, bot);
    return lastMessageId();
  });
}

/** Not for an unknown edit, whose message may have been private. */
const isPlainSlash = (activity: Activity, text: string) =>
  isSlashCommand(text) && !beginsWithMention(activity);

async function isAutoreply({ conversation }: Activity, text: string, { autoreplies, onError }: Bot) {
  if (readAddresses(text, 'overheard').addresses.length === 0) return false;
  const row = await autoreplies.find(withoutThread(conversation.id)).catch((error) => onError(error));
  return row !== undefined; // While the database is away, such messages are passed over.
}

function toMessageData(activity: Activity, own: ReturnType<typeof firstPart>, { quoted, unseen }: Content) {
  const quotedPart = firstPart(quoted);
  return {
    text: own.text,
    isCut: own.isCut || quotedPart.isCut,
    quoted: quotedPart.text,
    unseen,
    person: personOf(activity),
    name: activity.from?.name || userIdOf(activity),
    isPersonal: isPersonal(activity),
    showsCards: showsCards(activity.channelId),
    submission: submissionOf(activity),
  };
}

/** A channel that is not allowed gets no reply at all. */
async function refusePerson(incoming: Incoming, setting: string, parts: TurnParts): Promise<void> {
  const { activity, place, chat } = incoming;
  const { bot, permissions } = parts;
  logRefusal(bot.log, activity, setting);
  if (setting === 'ALLOWED_CHANNELS') return;
  const sender = JSON.stringify([withoutThread(activity.conversation.id), personOf(activity)]);
  const text = refusal(code(userIdOf(activity)));
  await permissions.refuseOnce(sender, () => chat.send(place, { text }));
}

/** How long a turn tries to send its last message, if nothing queues it. The channel repeats what is not acknowledged. */
const LAST_MS = 2000;

/** Teams shows for about five seconds that the bot is typing. An answer that comes at once needs no sign of it. */
const AGAIN_AFTER_MS = 4000;
const FIRST_AFTER_MS = 500;
/** How long an answer waits for a sign in flight, which must not come after it. */
const OVERTAKE_MS = 1000;

/**
 * The ways in which a turn answers its message. The bot is typing until it sends something. Replies in the answer to the request
 * come all together, so nothing is shown before; everyone in a conversation sees typing, so a targeted question gets none.
 * @param earlierId the message of an earlier answer, which the first message replaces
 */
function openReplies(incoming: Incoming, earlierId: string | undefined, { bot }: TurnParts) {
  const { activity, chat, place, begunAt } = incoming;
  const isInResponse = isAnsweredInResponse(activity);
  const noteFault = (err: unknown) => bot.log.debug({ err }, 'typing could not be shown');
  const isShown = !isInResponse && !isTargetedPlace(place);
  const stopTyping = isShown ? startTyping(() => chat.showTyping(place), noteFault) : async () => {};
  let lastMessageId: string | undefined;

  async function replace(id: string | undefined, message: Message | string): Promise<boolean> {
    if (id === undefined || !(await chat.edit(place, id, toMessage(message)))) return false;
    lastMessageId = id;
    return true;
  }

  async function replacesEarlier(message: Message | string): Promise<boolean> {
    await stopTyping();
    const id = earlierId;
    earlierId = undefined;
    return replace(id, message);
  }

  return {
    stopTyping,
    /** Of the message that was sent or edited last; undefined if the chat service gave none. */
    lastMessageId: () => lastMessageId,
    async say(message: Message | string): Promise<void> {
      if (await replacesEarlier(message)) return;
      lastMessageId = await chat.send(place, toMessage(message), begunAt + bot.timing.turnMs);
    },
    async sayOnce(message: Message, isLast = false): Promise<TakenMessage | undefined> {
      if (isInResponse && !isLast) return undefined;
      if (await replacesEarlier(message)) return { id: lastMessageId };
      const taken = await chat.sendOnce(place, message, isLast ? LAST_MS : 0);
      lastMessageId = taken?.id;
      return taken;
    },
    replace,
  };
}

const toMessage = (message: Message | string): Message =>
  typeof message === 'string' ? { text: message } : message;

/** Shows typing from half a second on. Returns a function that ends it: once that has settled, no sign comes any more. */
export function startTyping(show: () => Promise<unknown>, onError: (error: unknown) => void) {
  let showing: Promise<unknown> | undefined;
  let timer = setTimeout(showNow, FIRST_AFTER_MS);

  function showNow(): void {
    showing = show().catch(onError);
    timer = setTimeout(showNow, AGAIN_AFTER_MS);
  }

  return async () => {
    clearTimeout(timer);
    if (showing) await settlesWithin(showing, OVERTAKE_MS);
  };
}
