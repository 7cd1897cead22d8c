import { randomInt } from 'node:crypto';
import {
  type Activity,
  ActivityTypes,
  CardFactory,
  type InvokeResponse,
  TextFormatTypes,
  TurnContext,
} from 'botbuilder';
import type { ConnectorFactory } from 'botframework-connector';
import type { Logger } from 'pino';
import { chooseDialog, type Message } from '../dialogs/choose.ts';
import type { Dialog, Submission, Turn } from '../dialogs/dialog.ts';
import { formatTime } from '../dialogs/time.ts';
import { NoAuthentication, TurnAdapter } from './adapter.ts';
import { DeliveryError } from './connector.ts';
import { splitText } from './split-text.ts';

/** Runs one turn for an activity; throws where it may not be acknowledged. */
export type Bot = { run(activity: Activity): Promise<InvokeResponse | undefined> };

export type BotOptions = { dialogs: readonly Dialog[]; connectors: ConnectorFactory; log: Logger };

/** Teams takes messages of about 100 KB; a UTF-16 unit is at most three bytes. */
const MAX_REPLY_CHARACTERS = 28_000;

/** An activity in, the dialog that answers it, its replies out where the question stood. */
export function createBot({ dialogs, connectors, log }: BotOptions): Bot {
  const authentication = new NoAuthentication(connectors);
  const adapter = new TurnAdapter(authentication);
  adapter.onTurnError = async (context, error) => {
    if (error instanceof DeliveryError) throw error;
    const reference = randomInt(100_000, 1_000_000);
    log.error({ err: error, reference }, 'turn failed');
    await context.sendActivity(
      `Something went wrong here. Please try again; if it stays, report number ${reference}.`,
    );
  };

  async function onTurn(context: TurnContext): Promise<void> {
    const { activity } = context;
    if (activity.type !== ActivityTypes.Message) return;
    const message: Message = {
      text: readText(activity),
      person: personOf(activity),
      isPersonal: isPersonal(activity),
      submission: submissionOf(activity),
    };
    const { dialog, text } = chooseDialog(dialogs, message);
    await dialog.answer({ ...message, text, ...waysToAnswer(context, log) });
  }

  return {
    async run(activity) {
      return adapter.run(activity, await authentication.authenticateRequest(), onTurn);
    },
  };
}

function waysToAnswer(context: TurnContext, log: Logger): Omit<Turn, keyof Message> {
  const { locale, localTimezone } = context.activity;
  return {
    formatTime: (ms) => formatTime(ms, { locale, timeZone: localTimezone }),
    async say(markdown) {
      for (const text of splitText(markdown, MAX_REPLY_CHARACTERS)) {
        await context.sendActivity({
          type: ActivityTypes.Message,
          text,
          textFormat: TextFormatTypes.Markdown,
        });
      }
    },
    async show(card, summary) {
      await context.sendActivity({
        type: ActivityTypes.Message,
        attachments: [CardFactory.adaptiveCard(card)],
        summary,
      });
    },
    async replace(id, text) {
      try {
        await context.updateActivity({
          id,
          type: ActivityTypes.Message,
          text,
          textFormat: TextFormatTypes.Markdown,
          attachments: [],
        });
        return true;
      } catch (error) {
        if (!(error instanceof DeliveryError)) throw error;
        log.warn({ reason: error.reason }, 'a message could not be replaced');
        return false;
      }
    },
  };
}

/** The directory's id where the chat service knows it, for that one is the same in all conversations. */
function personOf({ from, channelId, conversation }: Activity): string {
  return from?.aadObjectId || `${channelId}:${from?.id ?? conversation.id}`;
}

function isPersonal({ conversation }: Activity): boolean {
  const type: string | undefined = conversation.conversationType;
  return type === undefined ? conversation.isGroup !== true : type === 'personal';
}

/** What a card's button sent: a message with a value and without a text. */
function submissionOf({ value, text, replyToId }: Activity): Submission | undefined {
  const isData = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isData && !text?.trim() ? { data: { ...value }, cardId: replyToId } : undefined;
}

/** What the person typed: without mentions, and without the entities that Teams puts into plain text. */
function readText(activity: Partial<Activity>): string {
  const text = (activity.text ?? '').replace(/<at\b[^>]*>[^<]*<\/at>/gi, ' ');
  const rest = activity.recipient ? TurnContext.removeRecipientMention({ ...activity, text }) : text;
  return rest
    .replace(/&(nbsp|lt|gt|amp);/g, (_, name: string) => ({ nbsp: ' ', lt: '<', gt: '>' })[name] ?? '&')
    .trim();
}
