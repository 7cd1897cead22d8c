import { createServer } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { messageActivity } from '../../src/sandbox/chat.ts';
import { listen } from '../../src/sandbox/listen.ts';
import { readJson } from '../../src/sandbox/read-json.ts';
import { count } from './upstreams.ts';

/** A chat service as strict as Teams: what the bot does not acknowledge within 15 s is sent again, until it does. */
export type Channel = {
  /** Sends a lookup of the device with this number, each by another person. Ends when it is acknowledged. */
  send(device: number): Promise<void>;
  /** Activities that were acknowledged, and when each of them was, in ms since it was first sent. */
  acknowledged: Map<string, number>;
  /** Answers, by the activity that they reply to; what only says that an answer will come is none. */
  answers: Map<string, number>;
  /** How often an activity had to be sent again. */
  repeats: number;
  /** Ends all sending. */
  close(): Promise<void>;
};

const ACKNOWLEDGED_WITHIN_MS = 15_000;
const REPEAT_AFTER_MS = 1000;
const GIVE_UP_AFTER = 100;

/** @param bot where the bot, or one of its replicas, is now; asked anew each time */
export async function startChannel(bot: () => string): Promise<Channel> {
  const closing = new AbortController();
  const at = await listen(
    createServer(async (request, response) => {
      const [, replyTo] = /\/activities\/([^/]+)$/.exec(request.url ?? '') ?? [];
      const { text } = await readJson(request);
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end('{"id":"1"}');
      if (replyTo && / (?:connected|session found)\b/.test(String(text))) count(channel.answers, replyTo);
    }),
  );

  async function isAcknowledged(body: string): Promise<boolean> {
    try {
      const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(ACKNOWLEDGED_WITHIN_MS)]);
      const headers = { 'content-type': 'application/json' };
      const response = await fetch(`${bot()}/api/messages`, { method: 'POST', headers, body, signal });
      await response.arrayBuffer();
      return response.status === 200;
    } catch {
      return false; // The bot is away, was killed meanwhile, or was too late.
    }
  }

  const channel: Channel = {
    acknowledged: new Map(),
    answers: new Map(),
    repeats: 0,
    async send(device) {
      const sentAt = Date.now();
      const id = activityId(device);
      const body = JSON.stringify({
        ...messageActivity(at.url, `lookup ${macAddress(device)}`),
        id,
        timestamp: new Date(sentAt).toISOString(),
        from: { id: `user-${device}`, name: 'Alex' },
        conversation: { id: `chat-${device}`, conversationType: 'personal', tenantId: 'tenant' },
      });
      for (let attempt = 0; attempt < GIVE_UP_AFTER && !closing.signal.aborted; attempt++) {
        if (attempt > 0) channel.repeats += 1;
        if (await isAcknowledged(body)) {
          channel.acknowledged.set(id, Date.now() - sentAt);
          return;
        }
        await delay(REPEAT_AFTER_MS);
      }
    },
    async close() {
      closing.abort();
      await at.close();
    },
  };
  return channel;
}

export const activityId = (device: number) => `activity-${device}`;

/** A device's own address; no two are alike. */
export function macAddress(device: number): string {
  const digits = device.toString(16).toUpperCase().padStart(8, '0');
  return ['00', '1B', ...(digits.match(/../g) ?? [])].join(':');
}
