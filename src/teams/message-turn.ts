import { type Activity, ActivityTypes, type TurnContext } from 'botbuilder';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { createChooser, createSlashTest, type Sent } from '../../dialogs/choose.ts';
import { type Dialog, type Limits, MAX_ADDRESSES, type TakenMessage } from '../../dialogs/dialog.ts';
import { type Message, withoutThread } from '../../dialogs/format/message.ts';
import { code, type Readers } from '../../dialogs/format/words.ts';
import { tooOften } from '../../dialogs/lookup/question.ts';
import { findMacAddresses } from '../domain/mac-address.ts';
import { firstPart } from '../domain/text.ts';
import { endsWithin } from '../domain/timing.ts';
import {
  isEdit,
  isOverheard,
  isPersonal,
  isTargeted,
  isTargetedPress,
  keyOf,
  personOf,
  placeOf,
  submissionOf,
  target,
  userIdOf,
  writtenAtOf,
} from './activity.ts';
import { arrivalOf, isAnsweredAtOnce, send } from './adapter.ts';
import { logRefusal, type Permissions, refusal } from './admission.ts';
import { beginsWithMention, readBeside, readText, showsCards } from './message-activity.ts';
import type { Replies } from './replies.ts';

export type OnMessageOptions = {
  dialogs: readonly Dialog[];
  replies: Pick<Replies, 'say' | 'sayOnce' | 'replace'>;
  /** Whether a message with a MAC address is answered in this channel without a mention. */
  isAutoreplyOn(conversation: string): Promise<boolean>;
  readerOf: Readers;
  permissions: Permissions;
  limits: Pick<Limits, 'takeMessage'>;
  /** Gives up what is still to be answered of the message with this key, because an edit of it was answered. Never rejects. */
  supersede(key: string): Promise<void>;
  /** What is to be told to an administrator beside the answer; undefined: nothing. */
  noticeFor(person: string): string | undefined;
  log: Logger;
};

/** A message in, the answer of the dialog that it asks for out. An edit gets one only if it brings another address. */
export function createOnMessage(options: OnMessageOptions): (context: TurnContext) => Promise<void> {
  const { dialogs, replies, readerOf, permissions, limits, supersede, isAutoreplyOn } = options;
  const choose = createChooser(dialogs);
  const isSlashCommand = createSlashTest(dialogs);
  const edits = createEdits();
  return async (context) => {
    const { activity } = context;
    const edited = edits.earlierOf(activity);
    if (isEdit(activity) && edited === undefined) return;
    if (isTargetedPress(activity) || edited?.isTargeted) target(activity); // Teams need not mark an edit.
    const own = firstPart(readText(activity));
    const isForMe = !isOverheard(activity) || (isSlashCommand(own.text) && !beginsWithMention(activity));
    const conversation = withoutThread(activity.conversation.id);
    if (!isForMe && !(findMacAddresses(own.text).length > 0 && (await isAutoreplyOn(conversation)))) return;
    if (!(await permissions.allow(activity))) return isForMe ? refusePerson(context, options) : undefined;
    const sent = { ...sentOf(activity, own), isAdmin: permissions.isAdmin(activity), isOverheard: !isForMe };
    const place = placeOf(activity);
    const reader = readerOf(place);
    const waitMs = limits.takeMessage(sent.person);
    if (waitMs > 0) return void (await replies.say(context, { text: tooOften(waitMs, reader) }));
    const { dialog, ...chosen } = choose(sent);
    const key = keyOf(activity);
    // A follow-up ("and :08?") brings its address in its words.
    const isFollowUp = dialog.name === 'lookup' && chosen.addresses.length === 0 && dialog.claims?.(sent);
    await edits.answer(activity, isFollowUp ? [sent.text] : chosen.addresses, async (earlier) => {
      const { stopTyping, answerId, ...ways } = createAnswer(context, earlier?.messageId, options);
      try {
        const arrivedAt = arrivalOf(context);
        await dialog.answer({ ...sent, ...ways, ...chosen, key, place, arrivedAt, reader });
      } finally {
        await stopTyping();
      }
      const notice = permissions.isNamedAdmin(activity) && options.noticeFor(sent.person);
      if (notice) await replies.say(context, { text: notice });
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
  logRefusal(log, activity);
  if (!permissions.hears(activity)) return;
  const sender = JSON.stringify([withoutThread(activity.conversation.id), personOf(activity)]);
  await permissions.tellOnce(sender, () => replies.say(context, { text: refusal(code(id)) }));
}

/** A text of a message, by its activity's key, and the message of ours that answered it, if one did. */
type Asked = {
  key: string;
  messageId?: string | undefined;
  addresses: readonly string[];
  writtenAt: number;
  isTargeted: boolean;
  turn?: Promise<void>;
};

/** Some 10 MB if each message asks for as many addresses as one may. */
const REMEMBERED = 10_000;

/** Tells which edits are new questions: they bring another address, and are not older than the latest text. */
export function createEdits() {
  const known = new LRUCache<string, Asked>({ max: REMEMBERED });
  /** The same for a message and its edits. */
  const idOf = ({ conversation, id = '' }: Activity) => keyOf({ conversation, id });
  /** The latest text of the message that this edits; undefined: this is no edit, or this process remembers none. */
  const earlierOf = (activity: Activity) => (isEdit(activity) ? known.get(idOf(activity)) : undefined);
  return {
    earlierOf,
    /**
     * Runs `run`, unless an edit asks for nothing new. An edit waits until the turn of the earlier text has ended.
     * @param run gets what answered the earlier text, if this is an edit; returns the id of the message that answers now
     */
    async answer(
      activity: Activity,
      allAddresses: readonly string[],
      run: (earlier: Asked | undefined) => Promise<string | undefined>,
    ): Promise<void> {
      const [id, earlier, writtenAt] = [idOf(activity), earlierOf(activity), writtenAtOf(activity)];
      const before = known.get(id);
      const addresses = allAddresses.slice(0, MAX_ADDRESSES);
      if (earlier && writtenAt < earlier.writtenAt) return;
      if (earlier && addresses.every((each) => earlier.addresses.includes(each))) {
        earlier.writtenAt = writtenAt;
        return;
      }
      const asked: Asked = { key: keyOf(activity), addresses, writtenAt, isTargeted: isTargeted(activity) };
      asked.turn = (async () => {
        await earlier?.turn?.catch(() => {}); // Its own turn tells its failure.
        asked.messageId = await run(earlier);
      })();
      known.set(id, asked);
      try {
        await asked.turn;
      } catch (error) {
        // The chat service delivers it again.
        if (known.get(id) === asked) known.set(id, before ?? { ...asked, addresses: [] });
        throw error;
      }
    },
  };
}

/**
 * How a turn answers its message. The bot is typing until it says something. Replies in the answer to the request come all at
 * once, so nothing is shown before. Everyone in a conversation sees typing, so nobody sees it for a targeted question.
 */
function createAnswer(context: TurnContext, replacedId: string | undefined, options: OnMessageOptions) {
  const { replies, log } = options;
  const isAtOnce = isAnsweredAtOnce(context.activity);
  const show = () => send(context, { type: ActivityTypes.Typing });
  const onError = (err: unknown) => log.debug({ err }, 'typing could not be shown');
  const stopTyping = isAtOnce || isTargeted(context.activity) ? async () => {} : startTyping(show, onError);
  let answerId: string | undefined;

  async function replace(id: string, message: Message | string): Promise<boolean> {
    const isReplaced = await replies.replace(context, id, asMessage(message));
    if (isReplaced) answerId = id;
    return isReplaced;
  }

  /** Puts the first message in the place of the earlier answer, if there is one. */
  async function isInPlace(message: Message): Promise<boolean> {
    const id = replacedId;
    replacedId = undefined;
    return id !== undefined && replace(id, message);
  }

  return {
    stopTyping,
    /** The message that was said or edited last; undefined if the chat service gave none an id. */
    answerId: () => answerId,
    async say(message: Message | string): Promise<void> {
      await stopTyping();
      if (!(await isInPlace(asMessage(message)))) answerId = await replies.say(context, asMessage(message));
    },
    async sayOnce(message: Message, isLast = false): Promise<TakenMessage | undefined> {
      await stopTyping();
      if (isAtOnce && !isLast) return undefined;
      if (await isInPlace(message)) return { id: answerId };
      const said = await replies.sayOnce(context, message, isLast ? LAST_MS : 0);
      answerId = said?.id;
      return said;
    },
    replace,
  };
}

function asMessage(message: Message | string): Message {
  return typeof message === 'string' ? { text: message } : message;
}

/** How long a turn tries to say its last message, if the message is not kept. The channel repeats what is not acknowledged. */
const LAST_MS = 2000;

/** Teams shows for about five seconds that the bot is typing. An answer that comes at once needs no sign of it. */
const AGAIN_AFTER_MS = 4000;
const FIRST_AFTER_MS = 500;
/** How long an answer waits for a sign under way, which must not come after it. */
const OVERTAKE_MS = 1000;

/** Shows typing from half a second on. Returns what ends it: once that is done, no sign comes any more. */
export function startTyping(show: () => Promise<unknown>, onError: (error: unknown) => void) {
  let showing: Promise<unknown> | undefined;
  let timer = setTimeout(showNow, FIRST_AFTER_MS);

  function showNow(): void {
    showing = show().catch(onError);
    timer = setTimeout(showNow, AGAIN_AFTER_MS);
  }

  return async () => {
    clearTimeout(timer);
    if (showing) await endsWithin(showing, OVERTAKE_MS);
  };
}
