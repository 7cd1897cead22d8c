import {
  ActivityTypes,
  CardFactory,
  type MessagingExtensionActionResponse,
  StatusCodes,
  type TurnContext,
} from 'botbuilder';
import { z } from 'zod';
import { tooOften } from '../../dialogs/lookup/question.ts';
import { EXTENSION_TITLE, type MessageExtension } from '../../dialogs/message-extension.ts';
import { firstPart, readHtml, readLinks } from '../domain/text.ts';
import { keyOf, personOf, placeOf, userIdOf } from './activity.ts';
import { arrivalOf, send } from './adapter.ts';
import { logRefusal, type Permissions, refusal } from './admission.ts';
import { partOf, readAttachment, readContent } from './message-activity.ts';
import type { OnMessageOptions } from './on-message.ts';

type OnExtensionOptions = Pick<OnMessageOptions, 'readerOf' | 'limits' | 'log'> & {
  extension: MessageExtension;
  permissions: Pick<Permissions, 'allow'>;
};

const FETCH = 'composeExtension/fetchTask';
const SUBMIT = 'composeExtension/submitAction';

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
export function createOnExtension(options: OnExtensionOptions): (context: TurnContext) => Promise<void> {
  const { extension, readerOf, permissions, limits, log } = options;

  async function answer(context: TurnContext): Promise<MessagingExtensionActionResponse | undefined> {
    const { activity } = context;
    if (!(await permissions.allow(activity))) {
      logRefusal(log, activity);
      return wordsOf(refusal(userIdOf(activity)));
    }
    const [person, place] = [personOf(activity), placeOf(activity)];
    const reader = readerOf(place);
    const waitMs = limits.takeMessage(person);
    if (waitMs > 0) return wordsOf(tooOften(waitMs, reader));
    const press = pressSchema.safeParse(activity.value).data;
    const choice = choiceSchema.safeParse(activity.value).data;
    const asked = press ? { ...firstPart(press.data.text), unseen: [] } : choice && readChoice(choice);
    if (!asked) return undefined;
    const isForFields = press?.data.dialog === 'fields';
    const [key, arrivedAt] = [keyOf(activity), arrivalOf(context)];
    const shown = await extension({ ...asked, isForFields, person, place, key, arrivedAt, reader });
    const card = CardFactory.adaptiveCard(shown);
    const value = { title: EXTENSION_TITLE, height: 'medium', width: 'medium', card } as const;
    return activity.name === FETCH || press
      ? { task: { type: 'continue', value } }
      : { composeExtension: { type: 'result', attachmentLayout: 'list', attachments: [card] } };
  }

  return async (context) => {
    if (![FETCH, SUBMIT].includes(context.activity.name ?? '')) return;
    const body = await answer(context);
    const value = body ? { status: StatusCodes.OK, body } : { status: StatusCodes.BAD_REQUEST };
    await send(context, { type: ActivityTypes.InvokeResponse, value });
  };
}

function wordsOf(value: string): MessagingExtensionActionResponse {
  return { task: { type: 'message', value } };
}

/** All that a message says: its subject, its own words, its links, and its cards. Alerts of monitoring systems often are cards. */
function readChoice({ messagePayload: { subject, body, attachments } }: z.infer<typeof choiceSchema>) {
  const html = body?.content ?? '';
  const parts = attachments.map((each) => readAttachment(each) ?? partOf(readContent(each.content)));
  const texts = [readHtml(subject), readHtml(html), ...readLinks(html), ...parts.map(({ text }) => text)];
  return { ...firstPart(texts.filter(Boolean).join('\n')), unseen: parts.flatMap(({ unseen }) => unseen) };
}
