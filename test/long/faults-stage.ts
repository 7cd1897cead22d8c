import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, vi } from 'vitest';
import { createChat, messageActivity, textOf } from '../../src/sandbox/chat.ts';
import { createNac, SERVICE_ACCOUNT } from '../../src/sandbox/nac.ts';
import { type RunningBot, startBot, startSandbox } from '../../src/sandbox/sandbox.ts';
import { sessionXml } from '../../src/sandbox/session-xml.ts';
import { serve } from '../serve.ts';

type Settings = Readonly<Record<string, string>>;

/**
 * Opens a sandbox whose NAC knows `devices` devices and answers after `delayMs`, and a chat service that repeats an
 * unacknowledged message, to any bot that lives. Everything ends with the test.
 */
export async function openFaultStage(devices: number, delayMs: number, settings: Settings = {}) {
  const addresses = Array.from({ length: devices }, (_, index) => {
    const byte = (value: number) => value.toString(16).padStart(2, '0').toUpperCase();
    return `00:1B:54:77:${byte(index >> 8)}:${byte(index & 255)}`;
  });
  const known = addresses.map((address) => {
    return { address, session: sessionXml({ calling_station_id: address }), delayMs };
  });
  const nac = createNac({ accounts: [SERVICE_ACCOUNT], devices: known });
  const [sandbox, chat] = [await startSandbox(), createChat()];
  onTestFinished(sandbox.close);
  const [NAC_URL, chatUrl] = [await serve(nac.server), await serve(chat.server)];
  const bots: RunningBot[] = [];

  async function post(url: string, body: unknown, headers: Record<string, string> = {}): Promise<number> {
    const json = { 'content-type': 'application/json', ...headers };
    const signal = AbortSignal.timeout(15_000); // Teams waits this long.
    return (await fetch(url, { method: 'POST', headers: json, body: JSON.stringify(body), signal })).status;
  }

  /** Sends a message until a bot acknowledges it with 200; returns its id. */
  async function send(text: string): Promise<string> {
    const [id, person] = [randomUUID(), randomInt(1000)]; // So many people that nobody exceeds a minute's limit.
    const message = {
      ...messageActivity(chatUrl, text),
      id,
      timestamp: new Date().toISOString(),
      from: { id: `user-${person}` },
      conversation: { id: `a:chat-${person}`, conversationType: 'personal', tenantId: 'sandbox-tenant' },
    };
    for (let tries = 0; tries < 60; tries++) {
      const bot = bots[randomInt(Math.max(1, bots.length))];
      // A bot that was killed does not answer: the channel retries.
      if (bot && (await post(`${bot.url}/api/messages`, message).catch(() => 0)) === 200) return id;
      await delay(500);
    }
    throw new Error(`message ${id} was never acknowledged`);
  }

  /** How often a message got a final answer (with a verdict on its device). */
  const answersOf = (id: string) =>
    chat.replies.filter((reply) => reply.activity.replyToId === id && /connected\./.test(textOf(reply)))
      .length;

  return {
    addresses,
    calls: nac.calls,
    replies: chat.replies,
    /** The bots that live. */
    bots,
    send,
    lookUp: (address = '') => send(`lookup ${address}`),
    /** Sends an alert, which the first bot must take. */
    async alert(text: string): Promise<void> {
      const authorization = { authorization: 'Bearer token-for-alerts' };
      expect(await post(`${bots[0]?.url}/api/alerts`, { text }, authorization)).toBe(202);
    },
    /** Starts a bot. @param more settings of this bot alone */
    async start(more: Settings = {}): Promise<RunningBot> {
      const own = { PORT: '0', NAC_URL, ALERTS_TOKEN: 'token-for-alerts', ...settings, ...more };
      const bot = await startBot({ ...sandbox.environment, ...own });
      onTestFinished(bot.kill);
      bots.push(bot);
      return bot;
    },
    async end(how: 'kill' | 'stop' = 'kill'): Promise<void> {
      await bots.shift()?.[how]();
    },
    posts: () => sandbox.room.posts().map(({ text }) => text),
    stillAsking: () => chat.replies.filter((reply) => textOf(reply).startsWith('Still asking')).length,
    answered: (ids: readonly string[], timeout: number) =>
      vi.waitFor(() => expect(ids.filter((id) => answersOf(id) === 0)).toEqual([]), timeout),
    answeredTwice: (ids: readonly string[]) => ids.filter((id) => answersOf(id) > 1).length,
  };
}

export function print(scenario: string, figures: Readonly<Record<string, number>>): void {
  const list = Object.entries(figures).map(([name, value]) => `${name} ${Math.round(value)}`);
  process.stdout.write(`faults: ${scenario}: ${list.join(', ')}\n`);
}
