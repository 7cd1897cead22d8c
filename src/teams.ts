import { type Activity, ActivityTypes, type InvokeResponse, StatusCodes } from 'botbuilder';
import type { Bot } from '../dialogs/commands/command.ts';
import { welcomeMessage } from '../dialogs/commands/help.ts';
import type { BaseParts } from '../dialogs/dialog.ts';
import { supersede } from '../dialogs/lookup/jobs.ts';
import { tooOften } from '../dialogs/lookup/replies.ts';
import { reportNumber } from '../dialogs/lookup/report.ts';
import { conversationOf, type Message, type Place } from '../dialogs/render/message.ts';
import { code } from '../dialogs/render/words.ts';
import { isSlashCommand, route } from '../dialogs/route.ts';
import { readAddresses } from './domain/device-address.ts';
import { readTyped } from './domain/text.ts';
import * as activities from './teams/activity.ts';
import { type Incoming, isEdit, isPersonal, isUnaddressed } from './teams/activity.ts';
import type { createEdits, Permissions } from './teams/admission.ts';
import { createDedupe, logRefusal, personOf, refusal } from './teams/admission.ts';
import { DeliveryError, type TeamsChat } from './teams/chat.ts';
import { answerInvoke, RESPONSES } from './teams/response.ts';

type ActivityParts = {
  bot: Bot;
  permissions: Permissions;
  edits: ReturnType<typeof createEdits>;
  chat: TeamsChat;
  welcomes: BaseParts['autoreplies'];
  isAway(error: unknown): boolean;
};

/** `chat`: where the replies go, to the chat service or into the answer to the activity's request. */
type ChatTurn = Incoming & { chat: TeamsChat };

const OK: InvokeResponse = { status: StatusCodes.OK };

/** How many activities are remembered, so that a repeat is known: some 20 MB of keys, and some 20 MB of answers. */
const MAX_REMEMBERED = 100_000;
const MAX_ANSWERS = 500;
const REMEMBERED_MS = 10 * 60_000;

const AWAY = 'I cannot reach my database right now, which this needs. Please try again in a moment.';

/**
 * Handles an activity, and replies in its conversation. Returns the answer to its request: 200, an invoke's answer, or 502
 * if the channel did not take the reply. Throws the errors of an invoke, and others that could not be reported to the person.
 */
export function createActivityHandler(parts: ActivityParts): (activity: Activity) => Promise<InvokeResponse> {
  const { clock, log, numbers } = parts.bot;
  const dedupe = createDedupe(clock.steady, MAX_REMEMBERED, REMEMBERED_MS);
  const dedupeResponses = createDedupe(clock.steady, MAX_ANSWERS, REMEMBERED_MS);

  return async (activity) => {
    const key = activities.keyOf(activity);
    const number = reportNumber(key);
    const remember = activities.isAnsweredInResponse(activity) ? dedupeResponses : dedupe;
    try {
      return await numbers.run(number, remember, key, () => handle(activity, key, parts));
    } catch (error) {
      if (!(error instanceof DeliveryError)) throw error;
      const { reason } = error.outcome;
      log.warn({ number, reason }, 'a reply was not taken, so its message is not acknowledged');
      return { status: StatusCodes.BAD_GATEWAY };
    }
  };
}

async function handle(activity: Activity, key: string, parts: ActivityParts): Promise<InvokeResponse> {
  const { clock, jobs, onError } = parts.bot;
  const [arrivedAt, begunAt] = [clock.now(), clock.steady()];
  // Teams need not mark the press of a button, or an edit.
  if (activities.isTargeted(activity.value) || parts.edits.earlierOf(activity)?.isTargeted)
    Object.assign(activity, { recipient: { ...activity.recipient, isTargeted: true } });
  const incoming = { activity, key, place: activities.placeOf(activity), arrivedAt, begunAt };
  // Likely a repeat, perhaps of one whose process has died.
  const isLate = arrivedAt - activities.writtenAtOf(activity) > 8000;
  if (isLate && (await jobs.lookup.find(key).catch(onError))) return OK; // The job answers it.
  if (!activities.isAnsweredInResponse(activity)) {
    await runTurn({ ...incoming, chat: parts.chat }, parts);
    return OK;
  }
  const answered = await RESPONSES.run(activity, (reply) =>
    activity.type === ActivityTypes.Invoke
      ? answerInvoke(incoming, reply, parts)
      : runTurn({ ...incoming, chat: parts.chat.collecting(reply) }, parts),
  );
  return answered ?? OK;
}

/** Runs an activity's turn. Reports a fault of the bot itself to the person. Throws a {@link DeliveryError}. */
async function runTurn(turn: ChatTurn, parts: ActivityParts): Promise<void> {
  const { activity, key, place, chat } = turn;
  try {
    const { type, action, membersAdded = [], recipient } = activity;
    if (type === ActivityTypes.Message || isEdit(activity)) return await answerMessage(turn, parts);
    const isInstallation = type === ActivityTypes.InstallationUpdate && action === 'add'; // An upgrade has "add-upgrade".
    const isChange = type === ActivityTypes.ConversationUpdate;
    const isAdded = isChange && membersAdded.some(({ id }) => id === recipient?.id);
    if (isInstallation || isAdded) await welcome(turn, parts);
  } catch (error) {
    if (error instanceof DeliveryError) throw error;
    const isAway = parts.isAway(error);
    if (!isAway) parts.bot.log.error({ err: error }, 'turn failed');
    const fault = `Something went wrong here. Please try again; if it stays, report number ${reportNumber(key)}.`;
    await chat.send(place, { text: isAway ? AWAY : fault });
  }
}

/** A message in, the answer of its command out. An edit of a message that is known gets one only if it asks something new. */
async function answerMessage(turn: ChatTurn, parts: ActivityParts): Promise<void> {
  const { activity, chat, ...arrival } = turn;
  const { key, place } = arrival;
  const { bot, permissions, edits } = parts;
  // This process does not know the message, which may have been private.
  if (isEdit(activity) && isUnaddressed(activity) && !edits.earlierOf(activity)) return;
  const content = activities.readMessageContent(activity);
  const isAddressed = !isUnaddressed(activity) || isSlashCommand(readTyped(activity.text ?? '').text);
  if (!isAddressed && !(await isAutoreply(place, content.text, bot))) return;
  const refusedBy = await permissions.refusedBy(place);
  if (refusedBy !== undefined) return isAddressed ? refusePerson(turn, refusedBy, parts) : undefined;
  const message = {
    ...content,
    person: personOf(place) || `${activity.channelId}:${activity.conversation.id}`,
    isPersonal: isPersonal(activity),
    submission: activities.submissionOf(activity),
    isAdmin: permissions.isAdmin(place),
    isAddressed,
  };
  const waitMs = bot.limits.takeMessage(message.person);
  if (waitMs > 0) return void (isAddressed && (await chat.send(place, { text: tooOften(waitMs) })));
  const formatter = bot.formatterFor(place);
  const routed = route(message, bot.recent.knownIn(place), bot.settings);
  // Notes the devices of addressed messages too.
  const firstNamed = message.isPersonal ? routed : await permissions.takeFirstNamed(routed, key, place);
  const chosen = isAddressed ? routed : firstNamed;
  if (chosen.kind === 'silence') return;
  await edits.answer(activity, chosen, async (earlier) => {
    const { last, ...replies } = openReplies(turn, earlier?.messageId);
    bot.recent.noteQuestion(place, chosen);
    if (chosen.kind === 'reply') await replies.say(chosen.message);
    if (chosen.kind === 'run') {
      const request = { ...message, ...chosen, ...arrival, formatter, ...replies };
      await bot.commands[chosen.command].answer(request, bot);
    }
    if (earlier) await supersede(earlier.key, bot);
    return last.messageId;
  });
}

async function isAutoreply(place: Place, text: string, { autoreplies, onError }: Bot) {
  if (readAddresses(text, 'overheard').addresses.length === 0) return false;
  // While the database is away, such messages are passed over.
  return (await autoreplies.find(conversationOf(place)).catch(onError)) !== undefined;
}

async function refusePerson({ place, chat }: ChatTurn, setting: string, parts: ActivityParts) {
  const { bot, permissions } = parts;
  logRefusal(bot.log, place, setting);
  if (setting === 'ALLOWED_CHANNELS') return;
  const sender = JSON.stringify([conversationOf(place), personOf(place)]);
  const text = refusal(code(personOf(place)));
  await permissions.onceAnHour(sender, () => chat.send(place, { text }));
}

/**
 * The ways in which a turn answers its message.
 * @param earlierId the message of an earlier answer, which the first message replaces
 */
function openReplies({ chat, place }: ChatTurn, earlierId: string | undefined) {
  const last: { messageId?: string | undefined } = {};
  const earlierIds = [earlierId];
  return {
    /** The message that was sent or edited last; without an id if the chat service gave none. */
    last,
    async say(words: Message | string, replacedId = earlierIds.pop()): Promise<void> {
      const message = typeof words === 'string' ? { text: words } : words;
      last.messageId = await chat.send(place, message, replacedId);
    },
    async sayOnce(message: Message, replacedId = earlierIds.pop()): Promise<string | undefined> {
      last.messageId = await chat.sendOnce(place, message, replacedId);
      return last.messageId;
    },
  };
}

/** Greets once an hour: channels report an installation by two kinds of activities, perhaps to two processes. */
async function welcome({ activity, place, chat }: ChatTurn, parts: ActivityParts): Promise<void> {
  const { bot, permissions, welcomes } = parts;
  if (bot.limits.takeMessage(personOf(place)) > 0 || (await permissions.refusedBy(place))) return;
  const conversation = conversationOf(place);
  if (!(await welcomes.add(conversation, null, 3_600_000).catch(bot.onError))) return;
  try {
    await chat.send(place, welcomeMessage(isPersonal(activity)));
  } catch (error) {
    await welcomes.remove(conversation).catch(bot.onError); // The chat service reports the installation again.
    throw error;
  }
}
