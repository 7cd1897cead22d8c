import { type Activity, ActivityTypes, type InvokeResponse, StatusCodes } from 'botbuilder';
import { welcomeMessage } from '../dialogs/commands/help.ts';
import type { BaseParts } from '../dialogs/dialog.ts';
import { reportNumber } from '../dialogs/lookup/report.ts';
import { withoutThread } from '../dialogs/render/message.ts';
import {
  isAnsweredInResponse,
  isEdit,
  isPersonal,
  isTargeted,
  keyOf,
  markTargeted,
  personOf,
  placeOf,
  writtenAtOf,
} from './teams/activity.ts';
import { ResponseAdapter } from './teams/adapter.ts';
import { createDedupe } from './teams/admission.ts';
import { DeliveryError, type TeamsChat } from './teams/chat.ts';
import { answerInvoke } from './teams/extension.ts';
import { answerMessage, type Incoming, type TurnParts } from './teams/message-turn.ts';

type ActivityParts = TurnParts & {
  chat: TeamsChat;
  welcomes: BaseParts['autoreplies'];
  isAway(error: unknown): boolean;
};

const OK: InvokeResponse = { status: StatusCodes.OK };

/** How many activities are remembered, so that a repeat is known: some 20 MB of keys, and some 20 MB of answers. */
const MAX_REMEMBERED = 100_000;
const MAX_ANSWERS = 500;
const REMEMBERED_MS = 10 * 60_000;

/** A message that was written so long before it arrived is likely a repeat, perhaps of one whose process has died. */
const LATE_MS = 8000;

const WELCOME_AGAIN_MS = 3_600_000;

const WORDS = {
  away: 'I cannot reach my database right now, which this needs. Please try again in a moment.',
  fault: (number: number) =>
    `Something went wrong here. Please try again; if it stays, report number ${number}.`,
};

/**
 * Handles an activity, and replies in its conversation. Returns the answer to its request: 200, an invoke's answer, or 502
 * if the channel did not take the reply. Throws the errors of an invoke, and others that could not be reported to the person.
 */
export function createActivityHandler(parts: ActivityParts): (activity: Activity) => Promise<InvokeResponse> {
  const { clock, log, numbers } = parts.bot;
  const adapter = new ResponseAdapter();
  const dedupe = createDedupe(clock.steady, MAX_REMEMBERED, REMEMBERED_MS);
  const dedupeResponses = createDedupe(clock.steady, MAX_ANSWERS, REMEMBERED_MS);

  return async (activity) => {
    const key = keyOf(activity);
    const number = reportNumber(key);
    const remember = isAnsweredInResponse(activity) ? dedupeResponses : dedupe;
    try {
      const turn = () => remember(key, () => handle({ activity, key, number }, adapter, parts));
      return await numbers.run(number, turn);
    } catch (error) {
      if (!(error instanceof DeliveryError)) throw error;
      const { reason } = error.outcome;
      log.warn({ number, reason }, 'a reply was not taken, so its message is not acknowledged');
      return { status: StatusCodes.BAD_GATEWAY };
    }
  };
}

async function handle(
  received: Pick<Incoming, 'activity' | 'key' | 'number'>,
  adapter: ResponseAdapter,
  parts: ActivityParts,
) {
  const { activity, key } = received;
  const { clock, jobs, onError } = parts.bot;
  const [arrivedAt, begunAt] = [clock.now(), clock.steady()];
  // Teams need not mark the press of a button, or an edit.
  if (isTargeted(activity.value) || parts.edits.earlierOf(activity)?.isTargeted) markTargeted(activity);
  const incoming = { ...received, place: placeOf(activity), arrivedAt, begunAt, chat: parts.chat };
  const isLate = arrivedAt - writtenAtOf(activity) > LATE_MS;
  if (isLate && (await jobs.lookup.find(key).catch(onError))) return OK; // The job answers it.
  if (!isAnsweredInResponse(activity)) {
    await runTurn(incoming, parts);
    return OK;
  }
  const answered = await adapter.run(activity, async (context) => {
    if (activity.type === ActivityTypes.Invoke) return answerInvoke(context, incoming, parts);
    const chat = parts.chat.collecting((reply) => context.sendActivities([reply]));
    await runTurn({ ...incoming, chat }, parts);
  });
  return answered ?? OK;
}

/** Runs an activity's turn. Reports a fault of the bot itself to the person. Throws a {@link DeliveryError}. */
async function runTurn(incoming: Incoming, parts: ActivityParts): Promise<void> {
  const { activity, place, chat, number } = incoming;
  try {
    const { type, action, membersAdded = [], recipient } = activity;
    if (type === ActivityTypes.Message || isEdit(activity)) return await answerMessage(incoming, parts);
    const isInstallation = type === ActivityTypes.InstallationUpdate && action === 'add'; // An upgrade has "add-upgrade".
    const isChange = type === ActivityTypes.ConversationUpdate;
    const isAdded = isChange && membersAdded.some(({ id }) => id === recipient?.id);
    if (isInstallation || isAdded) await welcome(incoming, parts);
  } catch (error) {
    if (error instanceof DeliveryError) throw error;
    const isAway = parts.isAway(error);
    if (!isAway) parts.bot.log.error({ err: error }, 'turn failed');
    await chat.send(place, { text: isAway ? WORDS.away : WORDS.fault(number) });
  }
}

/** Greets once an hour: channels report an installation by two kinds of activities, perhaps to two processes. */
async function welcome({ activity, place, chat }: Incoming, parts: ActivityParts): Promise<void> {
  const { bot, permissions, welcomes } = parts;
  if (bot.limits.takeMessage(personOf(activity)) > 0 || (await permissions.refusedBy(activity))) return;
  const conversation = withoutThread(activity.conversation.id);
  if (!(await welcomes.add(conversation, null, WELCOME_AGAIN_MS).catch(bot.onError))) return;
  try {
    await chat.send(place, welcomeMessage(isPersonal(activity)));
  } catch (error) {
    await welcomes.remove(conversation).catch(bot.onError); // The chat service reports the installation again.
    throw error;
  }
}
