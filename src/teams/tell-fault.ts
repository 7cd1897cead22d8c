import { ActivityEventNames, ActivityTypes, type TurnContext } from 'botbuilder';
import type { Logger } from 'pino';
import { reportNumber } from '../../dialogs/lookup/report-number.ts';
import { isAway } from '../store/away.ts';
import { keyOf } from './activity.ts';
import { DeliveryError } from './replies/connector.ts';
import { send } from './replies/context.ts';
import { activityOf } from './replies/message-activity.ts';

/** Tells the person when the bot itself fails. Throws a DeliveryError, an invoke's error, and one from after the turn. */
export function createFaultTeller(log: Logger): (context: TurnContext, error: Error) => Promise<void> {
  return async (context, error) => {
    const { type, name } = context.activity;
    const isOfTurn = name !== ActivityEventNames.ContinueConversation && type !== ActivityTypes.Invoke;
    if (!isOfTurn || error instanceof DeliveryError) throw error;
    if (isAway(error)) return void (await send(context, activityOf({ text: WORDS.noDatabase })));
    const reference = reportNumber(keyOf(context.activity));
    log.error({ err: error, reference }, 'turn failed');
    await send(context, activityOf({ text: WORDS.fault(reference) }));
  };
}

const WORDS = {
  noDatabase: 'I cannot reach my database right now, which this needs. Please try again in a moment.',
  fault: (reference: number) =>
    `Something went wrong here. Please try again; if it stays, report number ${reference}.`,
};
