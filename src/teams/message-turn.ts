import type { Activity } from 'botbuilder';
import { LRUCache } from 'lru-cache';
import type { Bot } from '../../dialogs/commands/command.ts';
import type { TakenMessage, Turn } from '../../dialogs/dialog.ts';
import { supersede } from '../../dialogs/lookup/lookup-jobs.ts';
import { tooOften } from '../../dialogs/lookup/question.ts';
import { type Message, withoutThread } from '../../dialogs/render/message.ts';
import { code } from '../../dialogs/render/words.ts';
import { askedBy, asksSomethingNew, isSlashCommand, type Route, route } from '../../dialogs/route.ts';
import { readAddresses } from '../domain/device-address.ts';
import { readTyped } from '../domain/text.ts';
import {
  isEdit,
  isPersonal,
  isTargeted,
  isUnaddressed,
  keyOf,
  personOf,
  readMessageContent,
  submissionOf,
} from './activity.ts';
import { logRefusal, type Permissions, refusal } from './admission.ts';
import type { TeamsChat } from './chat.ts';
import { showsCards } from './connector.ts';

/** An activity as it arrived. `chat`: where its replies go, to the chat service or into the answer to its request. */
export type Incoming = Pick<Turn, 'key' | 'number' | 'place' | 'arrivedAt' | 'begunAt'> & {
  activity: Activity;
  chat: TeamsChat;
};

export type TurnParts = {
  bot: Bot;
  permissions: Permissions;
  edits: ReturnType<typeof createEdits>;
};

/** A message in, the answer of its command out. An edit of a message that is known gets one only if it asks something new. */
export async function answerMessage(incoming: Incoming, parts: TurnParts): Promise<void> {
  const { activity, chat, ...arrival } = incoming;
  const { key, place } = arrival;
  const { bot, permissions, edits } = parts;
  // This process does not know the message, which may have been private.
  if (isEdit(activity) && isUnaddressed(activity) && !edits.earlierOf(activity)) return;
  const content = readMessageContent(activity);
  const isAddressed = !isUnaddressed(activity) || isSlashCommand(readTyped(activity.text ?? '').text);
  if (!isAddressed && !(await isAutoreply(activity, content.text, bot))) return;
  const refusedBy = await permissions.refusedBy(activity);
  if (refusedBy !== undefined) return isAddressed ? refusePerson(incoming, refusedBy, parts) : undefined;
  const isAdmin = permissions.isAdmin(activity);
  const message = { ...content, ...senderOf(activity), isAdmin, isAddressed };
  const waitMs = bot.limits.takeMessage(message.person);
  if (waitMs > 0) return void (isAddressed && (await chat.send(place, { text: tooOften(waitMs) })));
  const formatter = bot.formatterFor(place);
  const routed = route(message, bot.recent.knownIn(place), bot.settings);
  // Notes the devices of addressed messages too.
  const firstNamed = message.isPersonal ? routed : permissions.takeFirstNamed(routed, key, place);
  const chosen = isAddressed ? routed : firstNamed;
  if (chosen.kind === 'silence') return;
  await edits.answer(activity, chosen, async (earlier) => {
    const { last, ...replies } = openReplies(incoming, earlier?.messageId);
    bot.recent.noteQuestion(place, chosen);
    if (chosen.kind === 'reply') await replies.say(chosen.message);
    if (chosen.kind === 'run') {
      const turn = { ...message, ...chosen, ...arrival, formatter, ...replies };
      await bot.commands[chosen.command].answer(turn, bot);
    }
    if (earlier) await supersede(earlier.key, bot);
    return last.messageId;
  });
}

async function isAutoreply({ conversation }: Activity, text: string, { autoreplies, onError }: Bot) {
  if (readAddresses(text, 'overheard').addresses.length === 0) return false;
  const row = await autoreplies.find(withoutThread(conversation.id)).catch((error) => onError(error));
  return row !== undefined; // While the database is away, such messages are passed over.
}

function senderOf(activity: Activity) {
  return {
    person: personOf(activity) || `${activity.channelId}:${activity.conversation.id}`,
    name: activity.from?.name || personOf(activity),
    isPersonal: isPersonal(activity),
    showsCards: showsCards(activity.channelId),
    submission: submissionOf(activity),
  };
}

async function refusePerson(incoming: Incoming, setting: string, parts: TurnParts): Promise<void> {
  const { activity, place, chat } = incoming;
  const { bot, permissions } = parts;
  logRefusal(bot.log, activity, setting);
  if (setting === 'ALLOWED_CHANNELS') return;
  const sender = JSON.stringify([withoutThread(activity.conversation.id), personOf(activity)]);
  const text = refusal(code(personOf(activity)));
  await permissions.onceAnHour(sender, () => chat.send(place, { text }));
}

/**
 * The ways in which a turn answers its message.
 * @param earlierId the message of an earlier answer, which the first message replaces
 */
function openReplies({ chat, place }: Incoming, earlierId: string | undefined) {
  const last: { messageId?: string | undefined } = {};
  const earlierIds = [earlierId];
  return {
    /** The message that was sent or edited last; without an id if the chat service gave none. */
    last,
    async say(message: Message | string): Promise<void> {
      last.messageId = await chat.send(place, toMessage(message), earlierIds.pop());
    },
    async sayOnce(message: Message): Promise<TakenMessage | undefined> {
      const taken = await chat.sendOnce(place, message, earlierIds.pop());
      last.messageId = taken?.id;
      return taken;
    },
    async replace(id: string | undefined, message: Message | string): Promise<boolean> {
      if (id === undefined || !(await chat.edit(place, id, toMessage(message)))) return false;
      last.messageId = id;
      return true;
    },
  };
}

const toMessage = (message: Message | string): Message =>
  typeof message === 'string' ? { text: message } : message;

/** A text of a message, by its activity's key, and the bot's message that answered it, if there is one. */
type EditedText = {
  key: string;
  messageId?: string | undefined;
  /** Undefined: its answer failed. */
  asked: string | undefined;
  isTargeted: boolean;
  turn?: Promise<void>;
};

/** Gets the earlier text, if a message is an edit. Returns the id of the message that answers now. */
type Run = (earlier: EditedText | undefined) => Promise<string | undefined>;

/** Some 10 MB if each message asks for as many addresses as one may. */
const REMEMBERED = 10_000;

/** The memory of answered messages. An edit is a new question if it asks something new. */
export function createEdits() {
  const known = new LRUCache<string, EditedText>({ max: REMEMBERED });
  /** The same for a message and its edits. */
  const idOf = ({ conversation, id = '' }: Activity) => keyOf({ conversation, id });
  /** The latest text of the message that this edits; undefined: this is no edit, or this process remembers none. */
  const earlierOf = (activity: Activity) => (isEdit(activity) ? known.get(idOf(activity)) : undefined);
  return {
    earlierOf,
    /** Runs `run`, unless an edit asks for nothing new. An edit waits until the turn of the earlier text has ended. */
    async answer(activity: Activity, route: Route, run: Run): Promise<void> {
      const earlier = earlierOf(activity);
      if (earlier && !asksSomethingNew(earlier.asked, route)) return;
      const isPrivate = isTargeted(activity.recipient);
      const now: EditedText = { key: keyOf(activity), asked: askedBy(route), isTargeted: isPrivate };
      now.turn = (async () => {
        await earlier?.turn?.catch(() => {}); // Its own turn reports its failure.
        now.messageId = await run(earlier);
      })();
      known.set(idOf(activity), now);
      try {
        await now.turn;
      } catch (error) {
        Object.assign(now, earlier, { asked: undefined }); // The chat service delivers it again.
        throw error;
      }
    },
  };
}
