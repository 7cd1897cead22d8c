import { once } from 'node:events';
import { type IncomingMessage, type OutgoingHttpHeaders, request } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { type Chat, messageActivity, textOf } from '../src/sandbox/chat.ts';
import { buttonOf, pressing } from './replies.ts';

export const ALERTS_TOKEN = 'token-for-alerts';

const JSON_TYPE = { 'content-type': 'application/json' };

type Sender = {
  /** Where the bot is now. */
  url(): string;
  chat: Pick<Chat, 'replies'> & { url: string };
  now(): number;
  /** Makes a token for each message. Default: none. */
  sign?: (() => string) | undefined;
};

/** What is typed into a card's fields, and changes of the activity. */
type Press = { typed?: object; [field: string]: unknown };

/** What people and monitoring systems send to a bot. */
export function createSpeaker({ url, chat, now, sign }: Sender) {
  let lastMessage: Record<string, unknown> = {};
  const activity = (text: string | undefined, changes: object = {}): Record<string, unknown> => {
    return { ...messageActivity(chat.url, ''), text, ...changes };
  };

  async function post(body: unknown, headers: OutgoingHttpHeaders | readonly string[] = JSON_TYPE) {
    const before = chat.replies.length;
    const begun = performance.now();
    const outgoing = request(`${url()}/api/messages`, { method: 'POST', headers, agent: false });
    outgoing.on('error', () => {}); // After the response, too, the bot may end the connection.
    outgoing.end(typeof body === 'string' ? body : JSON.stringify(body));
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
    const text = await readText(response);
    const parsed: unknown = text === '' ? undefined : JSON.parse(text);
    const replies = chat.replies.slice(before);
    const ms = performance.now() - begun;
    return { status: response.statusCode ?? 0, text, body: parsed, ms, replies, texts: replies.map(textOf) };
  }

  function say(text: string | undefined, changes: object = {}, authorization = sign && `Bearer ${sign()}`) {
    const message = activity(text, changes);
    if (text !== undefined) lastMessage = message;
    return post(message, { ...JSON_TYPE, ...(authorization && { authorization }) });
  }

  return {
    activity,
    post,
    /** Sends a message; `changes` are laid over its activity. */
    say,
    /** Sends a message that gets one answer, and returns its text. */
    async ask(text: string, changes: object = {}): Promise<string> {
      const [answer, ...others] = (await say(text, changes)).texts;
      if (answer === undefined || others.length > 0)
        throw new Error(`no single answer: ${[answer, ...others]}`);
      return answer;
    },
    /** Presses a button on the last card that has it, as Teams does. A button that no card has is given by its data. */
    press(button: string | object, { typed = {}, ...changes }: Press = {}) {
      const card = chat.replies.findLast((each) => typeof button !== 'string' || buttonOf(each, button));
      const data = typeof button === 'string' ? card && buttonOf(card, button)?.data : button;
      if (card === undefined || data === undefined) throw new Error(`no card has the button ${button}`);
      return say(undefined, { ...pressing({ ...data, ...typed }, card), ...changes });
    },
    /** Edits the message that was said last. */
    edit(text: string, changes: object = {}) {
      const edit = { type: 'messageUpdate', channelData: { eventType: 'editMessage' } };
      const timestamp = new Date(now()).toISOString();
      return say(text, { ...lastMessage, ...edit, timestamp, text, ...changes });
    },
    /** Sends an alert, as a monitoring system does, to a thread if one is named. A text is sent as `{ text }`. */
    async alert(body: object | string, { thread = '', headers = {} } = {}) {
      const response = await fetch(`${url()}/api/alerts${thread && `/${encodeURIComponent(thread)}`}`, {
        method: 'POST',
        headers: { ...JSON_TYPE, authorization: `Bearer ${ALERTS_TOKEN}`, ...headers },
        body: JSON.stringify(typeof body === 'string' ? { text: body } : body),
      });
      return { status: response.status, body: Object(await response.json()) };
    },
  };
}
