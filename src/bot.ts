import { randomInt, randomUUID } from 'node:crypto';
import {
  type Activity,
  ActivityTypes,
  CardFactory,
  type ConversationReference,
  type InvokeResponse,
  TextFormatTypes,
  type TurnContext,
} from 'botbuilder';
import type { ConnectorFactory } from 'botframework-connector';
import type { Logger } from 'pino';
import { z } from 'zod';
import { chooseDialog, type Message } from '../dialogs/choose.ts';
import { type Dialog, type Place, placeSchema, type Turn } from '../dialogs/dialog.ts';
import { code } from '../dialogs/markdown.ts';
import { formatTime } from '../dialogs/time.ts';
import { NoAuthentication, TurnAdapter } from './adapter.ts';
import { DeliveryError } from './connector.ts';
import { withoutThread } from './conversation-id.ts';
import {
  isLate,
  isOverheard,
  isPersonal,
  keyOf,
  personOf,
  placeOf,
  readText,
  submissionOf,
  userIdOf,
} from './incoming.ts';
import { findMacAddresses } from './mac-address.ts';
import type { Permissions } from './permissions.ts';
import { createOnce } from './repeats.ts';
import { sendPatiently } from './replies.ts';
import { splitText } from './split-text.ts';
import type { Autoreplies } from './store/autoreplies.ts';
import { backoffMs } from './store/backoff.ts';
import type { JobOutcome, Queue } from './store/queues.ts';

export type Bot = {
  /** Runs one turn for an activity; throws where it may not be acknowledged. */
  run(activity: Activity): Promise<InvokeResponse | undefined>;
  /** Says a markdown text where a question stood, after its turn; what the channel does not take is kept as a job. */
  sayLater(place: Place, markdown: string): Promise<void>;
  /** One try of a reply that was kept. */
  retryReply(job: ReplyJob): Promise<JobOutcome<ReplyJob>>;
};

/** A reply that waits in the database. Times are milliseconds since 1970. */
export const replyJobSchema = z.object({
  place: placeSchema,
  text: z.string(),
  firstAt: z.number(),
  attempt: z.number(),
});
export type ReplyJob = z.infer<typeof replyJobSchema>;

export type BotOptions = {
  dialogs: readonly Dialog[];
  connectors: ConnectorFactory;
  /** Where replies wait that the channel does not take. */
  replies: Pick<Queue<ReplyJob>, 'put'>;
  /** Whether a message, by its key, is a job already: its answer comes from there. */
  isJob(key: string): Promise<boolean>;
  /** Channels in which a message with a MAC address is answered without a mention. */
  autoreplies: Pick<Autoreplies, 'isOn'>;
  permissions: Permissions;
  /** Ids of people who may change what concerns the whole team; undefined: all. */
  admins: readonly string[] | undefined;
  log: Logger;
};

/** Teams takes messages of about 100 KB; a UTF-16 unit is at most three bytes. */
const MAX_REPLY_CHARACTERS = 28_000;

/** What a turn may take; the channel repeats a message that is not acknowledged within 10 to 15 s. */
export const TURN_MS = 8000;

const KEEP_REPLIES_MS = 24 * 3_600_000;
const BACKOFF = { firstMs: 1000, mostMs: 5 * 60_000 };

/** An activity in, the dialog that answers it, its replies out where the question stood. */
export function createBot({
  dialogs,
  connectors,
  replies,
  isJob,
  autoreplies,
  permissions,
  admins,
  log,
}: BotOptions): Bot {
  const authentication = new NoAuthentication(connectors);
  const adapter = new TurnAdapter(authentication);
  const once = createOnce(Date.now);
  adapter.onTurnError = async (context, error) => {
    if (error instanceof DeliveryError) throw error;
    const reference = randomInt(100_000, 1_000_000);
    log.error({ err: error, reference }, 'turn failed');
    await context.sendActivity(
      `Something went wrong here. Please try again; if it stays, report number ${reference}.`,
    );
  };

  /** Sends within the time there is, then keeps; throws where neither worked, so that the turn is not acknowledged. */
  async function reply(context: TurnContext, place: Place, text: string, until: number): Promise<void> {
    const outcome = await sendPatiently(async () => void (await context.sendActivity(markdown(text))), until);
    if (outcome.kind === 'sent') return;
    if (outcome.kind === 'gone') return log.warn('a reply has no conversation to go to any more');
    const job = { place, text, firstAt: Date.now(), attempt: 1 };
    const put = await replies
      .put(randomUUID(), job, backoffMs(0, BACKOFF))
      .catch((error: unknown) => log.error({ err: error }, 'a reply could not be kept'));
    if (put !== 'put') throw outcome.error;
  }

  async function onTurn(context: TurnContext, arrivedAt: number): Promise<void> {
    const { activity } = context;
    if (activity.type !== ActivityTypes.Message) return;
    if (isOverheard(activity) && !(await isForMe(activity))) return;
    if (!permissions.allow(activity)) return refusePerson(context);
    const message: Message = {
      text: readText(activity),
      person: personOf(activity),
      isAdmin: admins === undefined || admins.includes(userIdOf(activity)),
      isPersonal: isPersonal(activity),
      submission: submissionOf(activity),
    };
    const { dialog, text } = chooseDialog(dialogs, message);
    const place = placeOf(activity);
    await dialog.answer({
      ...message,
      text,
      key: keyOf(activity),
      place,
      arrivedAt,
      formatTime: (ms) => formatTime(ms, place),
      async say(whole) {
        for (const piece of splitText(whole, MAX_REPLY_CHARACTERS)) {
          await reply(context, place, piece, arrivedAt + TURN_MS);
        }
      },
      ...cardsIn(context, log),
    });
  }

  async function refusePerson(context: TurnContext): Promise<void> {
    const { activity } = context;
    log.warn({ user: userIdOf(activity) }, 'person not allowed');
    if (!permissions.mayTell(personOf(activity))) return;
    const id = code(userIdOf(activity));
    const text = `Sorry, I may not answer you here. My administrator can change that; your id is ${id}.`;
    await context.sendActivity(markdown(text));
  }

  /** Of messages that were not said to the bot, those with a MAC address, where that was asked for. */
  async function isForMe(activity: Activity): Promise<boolean> {
    if (findMacAddresses(readText(activity)).length === 0) return false;
    return holds(autoreplies.isOn(withoutThread(activity.conversation.id)));
  }

  /** A question to the database, where the bot goes on as if the answer were no while it is away. */
  function holds(question: Promise<boolean>): Promise<boolean> {
    return question.catch((error: unknown) => {
      log.error({ err: error }, 'the database was asked in vain');
      return false;
    });
  }

  /** The SDK gives a later message a random question; it is set to the one that stood there. */
  async function atPlace({ reference }: Place, send: (context: TurnContext) => Promise<void>): Promise<void> {
    await adapter.continueConversationAsync(
      '',
      { ...reference } as unknown as Partial<ConversationReference>,
      async (context) => {
        if (typeof reference.activityId === 'string') context.activity.id = reference.activityId;
        await send(context);
      },
    );
  }

  return {
    run(activity) {
      const arrivedAt = Date.now();
      return once(keyOf(activity), async () => {
        if (isLate(activity, arrivedAt) && (await holds(isJob(keyOf(activity))))) return undefined;
        return adapter.run(activity, await authentication.authenticateRequest(), (context) =>
          onTurn(context, arrivedAt),
        );
      });
    },

    async sayLater(place, text) {
      for (const piece of splitText(text, MAX_REPLY_CHARACTERS)) {
        await atPlace(place, (context) => reply(context, place, piece, Date.now() + TURN_MS));
      }
    },

    async retryReply(job) {
      const { place, text } = job;
      const send = () =>
        atPlace(place, async (context) => {
          await context.sendActivity(markdown(text));
        });
      const outcome = await sendPatiently(send, Date.now());
      if (outcome.kind !== 'refused') return { kind: 'done' };
      if (Date.now() - job.firstAt >= KEEP_REPLIES_MS)
        return { kind: 'dead', reason: String(outcome.error.reason) };
      const afterMs = Math.max(outcome.error.retryAfterMs, backoffMs(job.attempt, BACKOFF));
      return { kind: 'again', data: { ...job, attempt: job.attempt + 1 }, afterMs };
    },
  };
}

function markdown(text: string) {
  return { type: ActivityTypes.Message, text, textFormat: TextFormatTypes.Markdown };
}

function cardsIn(context: TurnContext, log: Logger): Pick<Turn, 'show' | 'replace'> {
  return {
    async show(card, summary) {
      await context.sendActivity({
        type: ActivityTypes.Message,
        attachments: [CardFactory.adaptiveCard(card)],
        summary,
      });
    },
    async replace(id, text) {
      try {
        await context.updateActivity({ ...markdown(text), id, attachments: [] });
        return true;
      } catch (error) {
        if (!(error instanceof DeliveryError)) throw error;
        log.warn({ reason: error.reason }, 'a message could not be replaced');
        return false;
      }
    },
  };
}
