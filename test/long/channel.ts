import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { createChat, messageActivity, type Reply, textOf } from '../../src/sandbox/chat.ts';
import { listen } from '../../src/sandbox/listen.ts';
import type { RunningBot } from '../../src/sandbox/sandbox.ts';

/** A chat service that repeats an unacknowledged message, to any bot that lives. */
export type Channel = {
  replies: Reply[];
  /** Sends a message until a bot acknowledges it with 200; returns its id. */
  send(text: string, bots: () => readonly RunningBot[]): Promise<string>;
  /** How often each message got a final answer (with a verdict on its device). */
  answersOf(id: string): number;
  close(): Promise<void>;
};

const MOST_TRIES = 60;

/** Enough people that nobody exceeds the limit for one person in a minute. */
const PEOPLE = 1000;

export async function openChannel(): Promise<Channel> {
  const chat = createChat();
  const { url, close } = await listen(chat.server);

  async function isAcknowledged(bot: RunningBot | undefined, body: string): Promise<boolean> {
    if (bot === undefined) return false;
    try {
      const response = await fetch(bot.messagesUrl, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
        signal: AbortSignal.timeout(15_000), // Teams waits this long.
      });
      return response.status === 200;
    } catch {
      return false; // The bot was killed or is not there: the channel retries.
    }
  }

  return {
    replies: chat.replies,
    async send(text, bots) {
      const id = randomUUID();
      const person = randomInt(PEOPLE);
      const body = JSON.stringify({
        ...messageActivity(url, text),
        id,
        timestamp: new Date().toISOString(),
        from: { id: `user-${person}` },
        conversation: { id: `a:chat-${person}`, conversationType: 'personal', tenantId: 'sandbox-tenant' },
      });
      for (let tries = 0; tries < MOST_TRIES; tries++) {
        const living = bots();
        if (await isAcknowledged(living[randomInt(Math.max(1, living.length))], body)) return id;
        await delay(500);
      }
      throw new Error(`message ${id} was never acknowledged`);
    },
    answersOf: (id) =>
      chat.replies.filter((reply) => reply.activity.replyToId === id && /connected\./.test(textOf(reply)))
        .length,
    close,
  };
}

/** Prints the measurements on one line. */
export function print(scenario: string, figures: Readonly<Record<string, number | string>>): void {
  const list = Object.entries(figures).map(([name, value]) => `${name} ${value}`);
  process.stdout.write(`faults: ${scenario}: ${list.join(', ')}\n`);
}
