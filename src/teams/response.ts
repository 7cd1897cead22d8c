import { type Activity, ActivityTypes, CardFactory, CloudAdapter, StatusCodes } from 'botbuilder';
import type { ConnectorClient, UserTokenClient } from 'botframework-connector';
import { AuthenticationConstants, BotFrameworkAuthentication, ClaimsIdentity } from 'botframework-connector';
import { z } from 'zod';
import type { Bot } from '../../dialogs/commands/command.ts';
import { tooOften } from '../../dialogs/lookup/replies.ts';
import { answerExtension, EXTENSION_TITLE } from '../../dialogs/message-extension.ts';
import { firstPart, readHtml } from '../domain/text.ts';
import { type AttachmentText, type Incoming, readAttachment, readContent } from './activity.ts';
import { logRefusal, type Permissions, personOf, refusal } from './admission.ts';

/** Puts an activity into the answer to a request. */
type Reply = (activity: Partial<Activity>) => Promise<unknown>;

/**
 * The botbuilder adapter, by its extension points, for requests whose answer holds the replies. Its `process` is not used: it
 * writes errors to the console and sends their messages to the caller. Other messages are answered without it (`chat.ts`):
 * the SDK builds a client for each turn, repeats a failed reply blindly, and keeps memory (docs/performance.md).
 */
class ResponseAdapter extends CloudAdapter {
  /** Runs one turn. Returns the invoke's answer (501 if the turn made none), or the replies. Throws what the turn throws. */
  run(activity: Activity, turn: (reply: Reply) => Promise<void>) {
    return this.processActivity(NO_AUTH, activity, (context) =>
      turn((reply) => context.sendActivities([reply])),
    );
  }
}

/** One for all requests, with authentication on or off. The identity is empty because nothing here reads claims. */
const NO_AUTH = {
  audience: AuthenticationConstants.ToChannelFromBotOAuthScope,
  claimsIdentity: new ClaimsIdentity([]),
  connectorFactory: { create: async () => ({}) as ConnectorClient },
};

/** The server has checked the request already, so the SDK refuses all that did not come through the server. */
class AlreadyAuthenticated extends BotFrameworkAuthentication {
  override authenticateRequest = () => Promise.reject(new Error('the SDK checks no request here'));
  override authenticateStreamingRequest = this.authenticateRequest;
  override createConnectorFactory = () => NO_AUTH.connectorFactory;
  override createUserTokenClient = async () => ({}) as UserTokenClient; // Nobody signs in by the SDK.
}

export const RESPONSES = new ResponseAdapter(new AlreadyAuthenticated());

type InvokeParts = { bot: Bot; permissions: Permissions };

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
export async function answerInvoke(incoming: Incoming, reply: Reply, parts: InvokeParts): Promise<void> {
  if (!/^composeExtension\/(?:fetchTask|submitAction)$/.test(incoming.activity.name ?? '')) return;
  const task = await answer(incoming, parts);
  const value = task ? { status: StatusCodes.OK, body: { task } } : { status: StatusCodes.BAD_REQUEST };
  await reply({ type: ActivityTypes.InvokeResponse, value });
}

/** The card's window, or a sentence in one. */
async function answer({ activity, ...arrival }: Incoming, { bot, permissions }: InvokeParts) {
  const refusedBy = await permissions.refusedBy(arrival.place);
  const person = personOf(arrival.place);
  if (refusedBy !== undefined) {
    logRefusal(bot.log, arrival.place, refusedBy);
    return { type: 'message', value: refusal(person) };
  }
  const waitMs = bot.limits.takeMessage(person);
  if (waitMs > 0) return { type: 'message', value: tooOften(waitMs) };
  const press = pressSchema.safeParse(activity.value).data;
  const choice = choiceSchema.safeParse(activity.value).data;
  const asked = press ? { ...firstPart(press.data.text), hasUnseen: false } : choice && readChoice(choice);
  if (!asked) return undefined;
  const by = press?.data.dialog === 'fields' ? 'fields' : 'menu';
  const call = { ...asked, ...arrival, by, person } as const;
  const card = CardFactory.adaptiveCard(await answerExtension(call, bot));
  return { type: 'continue', value: { title: EXTENSION_TITLE, height: 'medium', width: 'medium', card } };
}

function readChoice({ messagePayload: { subject, body, attachments } }: z.infer<typeof choiceSchema>) {
  const { text: own, links } = readHtml(body?.content ?? '');
  const parts: AttachmentText[] = attachments.map(
    (each) => readAttachment(each) ?? { text: readContent(each.content) },
  );
  const texts = [readHtml(subject).text, own, ...links, ...parts.map(({ text }) => text)];
  const hasUnseen = parts.some(({ isUnseen }) => isUnseen);
  return { ...firstPart(texts.filter(Boolean).join('\n')), hasUnseen };
}
