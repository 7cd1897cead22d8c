import { CardFactory } from 'botbuilder';
import { z } from 'zod';
import {
  EXTENSION_TITLE,
  type ExtensionCall,
  type MessageExtension,
} from '../../dialogs/message-extension.ts';
import { readContent, readHtml } from './message-text.ts';

/** What an invoke is answered with, as HTTP status and body. */
export type InvokeAnswer = { status: number; body?: object };

/** A press of a button on the card. */
const pressSchema = z.object({
  data: z.object({ text: z.string(), dialog: z.string().optional().catch(undefined) }),
});

/** A message on whose menu the command was chosen (Teams, "message actions"). */
const choiceSchema = z.object({
  messagePayload: z.object({
    body: z.object({ content: z.string().catch('') }).optional(),
    attachments: z.array(z.unknown()).catch([]),
  }),
});

/** Answers the message extension's invokes; undefined for all others, which the bot answers with 501. */
export async function answerInvoke(
  { name, value }: { name?: string | undefined; value?: unknown },
  call: Omit<ExtensionCall, 'text' | 'isForFields'>,
  extension: MessageExtension,
): Promise<InvokeAnswer | undefined> {
  if (!isOfExtension(name)) return undefined;
  const press = pressSchema.safeParse(value).data;
  const choice = choiceSchema.safeParse(value).data;
  if (!press && !choice) return { status: 400 };
  const text = press?.data.text ?? (choice ? textOf(choice) : '');
  const attachment = CardFactory.adaptiveCard(
    await extension({ ...call, text, isForFields: press?.data.dialog === 'fields' }),
  );
  const isShownInWindow = name === 'composeExtension/fetchTask' || press !== undefined;
  return {
    status: 200,
    body: isShownInWindow
      ? { task: { type: 'continue', value: { ...WINDOW, card: attachment } } }
      : { composeExtension: { type: 'result', attachmentLayout: 'list', attachments: [attachment] } },
  };
}

/** The same for a person who may not ask. */
export function refuseInvoke(name: string | undefined, words: string): InvokeAnswer | undefined {
  return isOfExtension(name) ? { status: 200, body: { task: { type: 'message', value: words } } } : undefined;
}

function isOfExtension(name: string | undefined): boolean {
  return name === 'composeExtension/fetchTask' || name === 'composeExtension/submitAction';
}

const WINDOW = { title: EXTENSION_TITLE, height: 'medium', width: 'medium' };

/** The message's own words, and what its cards say: alerts of monitoring systems often are cards. */
function textOf({ messagePayload: { body, attachments } }: z.infer<typeof choiceSchema>): string {
  const cards = attachments.map((attachment) =>
    readContent(contentSchema.safeParse(attachment).data?.content),
  );
  return [readHtml(body?.content ?? ''), ...cards].join('\n');
}

const contentSchema = z.object({ content: z.unknown().optional() });
