import {
  ActivityTypes,
  CardFactory,
  type MessagingExtensionActionResponse,
  StatusCodes,
  type TurnContext,
} from 'botbuilder';
import { z } from 'zod';
import { tooOften } from '../../dialogs/lookup/question.ts';
import { answerExtension, EXTENSION_TITLE } from '../../dialogs/message-extension.ts';
import { firstPart, readHtml } from '../domain/text.ts';
import { type Part, personOf, readAttachment, readContent } from './activity.ts';
import { logRefusal, refusal } from './admission.ts';

import type { Incoming, TurnParts } from './message-turn.ts';

const NAMES = /^composeExtension\/(?:fetchTask|submitAction)$/;

const pressSchema = z.object({ data: z.object({ text: z.string(), dialog: z.unknown().optional() }) });

/** A message on whose menu the command was chosen (Teams, "message actions"). */
const choiceSchema = z.object({
  messagePayload: z.object({
    subject: z.string().catch(''),
    body: z.object({ content: z.string().catch('') }).nullish(),
    attachments: z
      .array(z.looseObject({ contentType: z.string().catch('') }).catch({ contentType: '' }))
      .catch([]),
  }),
});

/** Answers the message extension's invokes; with 400 if a value has another shape. The SDK answers other invokes with 501. */
export async function answerInvoke(
  context: TurnContext,
  incoming: Incoming,
  parts: TurnParts,
): Promise<void> {
  if (!NAMES.test(incoming.activity.name ?? '')) return;
  const task = await answer(incoming, parts);
  const value = task ? { status: StatusCodes.OK, body: { task } } : { status: StatusCodes.BAD_REQUEST };
  await context.sendActivities([{ type: ActivityTypes.InvokeResponse, value }]);
}

/** The card's window, or a sentence in one. */
async function answer(
  { activity, chat: _, ...arrival }: Incoming,
  { bot, permissions }: TurnParts,
): Promise<MessagingExtensionActionResponse['task']> {
  const refusedBy = await permissions.refusedBy(activity);
  const person = personOf(activity);
  if (refusedBy !== undefined) {
    logRefusal(bot.log, activity, refusedBy);
    return { type: 'message', value: refusal(person) };
  }
  const waitMs = bot.limits.takeMessage(person);
  if (waitMs > 0) return { type: 'message', value: tooOften(waitMs) };
  const press = pressSchema.safeParse(activity.value).data;
  const choice = choiceSchema.safeParse(activity.value).data;
  const asked = press ? { ...firstPart(press.data.text), hasUnseen: false } : choice && readChoice(choice);
  if (!asked) return undefined;
  const by = press?.data.dialog === 'fields' ? 'fields' : 'menu';
  const formatter = { ...bot.formatterFor(arrival.place), canWatch: false }; // A press there asks for an answer at once.
  const call = { ...asked, ...arrival, by, person, formatter } as const;
  const card = CardFactory.adaptiveCard(await answerExtension(call, bot));
  return { type: 'continue', value: { title: EXTENSION_TITLE, height: 'medium', width: 'medium', card } };
}

function readChoice({ messagePayload: { subject, body, attachments } }: z.infer<typeof choiceSchema>) {
  const { text: own, links } = readHtml(body?.content ?? '');
  const parts: Part[] = attachments.map(
    (each) => readAttachment(each) ?? { text: readContent(each.content) },
  );
  const texts = [readHtml(subject).text, own, ...links, ...parts.map(({ text }) => text)];
  const hasUnseen = parts.some(({ isUnseen }) => isUnseen);
  return { ...firstPart(texts.filter(Boolean).join('\n')), hasUnseen };
}
