import { randomInt } from 'node:crypto';
import { type Activity, ActivityTypes, type InvokeResponse, TextFormatTypes, TurnContext } from 'botbuilder';
import type { ConnectorFactory } from 'botframework-connector';
import type { Logger } from 'pino';
import { chooseDialog } from '../dialogs/choose.ts';
import type { Dialog } from '../dialogs/dialog.ts';
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
    const { dialog, text } = chooseDialog(dialogs, readText(activity));
    await dialog.answer({
      text,
      person: activity.from?.aadObjectId ?? activity.from?.id ?? activity.conversation.id,
      async say(reply) {
        for (const piece of splitText(reply, MAX_REPLY_CHARACTERS)) {
          await context.sendActivity({
            type: ActivityTypes.Message,
            text: piece,
            textFormat: TextFormatTypes.Markdown,
          });
        }
      },
    });
  }

  return {
    async run(activity) {
      return adapter.run(activity, await authentication.authenticateRequest(), onTurn);
    },
  };
}

/** What the person typed: without mentions, and without the entities that Teams puts into plain text. */
function readText(activity: Partial<Activity>): string {
  const text = (activity.text ?? '').replace(/<at\b[^>]*>[^<]*<\/at>/gi, ' ');
  const rest = activity.recipient ? TurnContext.removeRecipientMention({ ...activity, text }) : text;
  return rest
    .replace(/&(nbsp|lt|gt|amp);/g, (_, name: string) => ({ nbsp: ' ', lt: '<', gt: '>' })[name] ?? '&')
    .trim();
}
