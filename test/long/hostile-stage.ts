import { randomUUID } from 'node:crypto';
import { createServer, type RequestListener } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Reply } from '../../src/sandbox/chat.ts';
import { listen } from '../../src/sandbox/listen.ts';
import type { RunningBot } from '../../src/sandbox/sandbox.ts';
import { answer } from '../serve.ts';
import { APP_PASSWORD, openSignedProcessStage } from '../stage.ts';
import type { ChannelIdentity } from '../teams/authentication/identity.ts';

const TENANT = 'tenant-of-the-team';

/** Recognisable secrets, to search for in everything that the bot says. */
const CANARIES = {
  NAC_PASSWORD: 'canary-nac-password',
  WEBHOOK_TOKEN: 'canary-webhook-token',
  ALERTS_TOKEN: 'canary-alerts-token',
};

/** A bot as exposed to the internet: authentication on, one allowed tenant, one administrator. */
export type HostileStage = {
  bot: RunningBot;
  identity: ChannelIdentity;
  /** The bot's messages to the chat service. */
  replies: readonly Reply[];
  /** Counts of calls to the NAC and posts to the room. */
  calls: { nac: number; room: number };
  /** Sets how the NAC answers. */
  nacAnswers(listener: RequestListener): void;
  /** Sends an activity with a valid token; `changes` override its fields. */
  send(
    text: string,
    changes?: Record<string, unknown>,
    token?: string,
  ): Promise<{ status: number; body: string }>;
  /** Any request. */
  request(path: string, init: RequestInit): Promise<{ status: number; body: string }>;
  /** Sends raw bytes; returns the answer received until the connection ended or `waitMs` passed. */
  raw(bytes: string | Buffer, waitMs?: number): Promise<string>;
  /** A connection that the caller uses and ends. */
  socket(): Socket;
  /** Whether the bot still runs and answers within 2 s. */
  isAlive(): Promise<boolean>;
  /** The secrets found in the bot's answers, messages or log. */
  leaks(): string[];
  close(): Promise<void>;
};

export async function openHostileStage(): Promise<HostileStage> {
  const calls = { nac: 0, room: 0 };
  let answerAsNac: RequestListener = (_, response) => answer(response, 404, {}, '');
  const nac = await listen(
    createServer((request, response) => {
      calls.nac++;
      answerAsNac(request, response);
    }),
  );
  const room = await listen(
    createServer((_, response) => {
      calls.room++;
      answer(response, 200, { 'content-type': 'application/json' }, '{"status":"OK"}');
    }),
  );
  const stage = await openSignedProcessStage({
    ...CANARIES,
    ALLOWED_TENANTS: TENANT,
    ADMINS: 'nobody',
    NAC_URL: nac.url,
    NAC_TIMEOUT_MS: '3000',
    NAC_HISTORY: '0',
    WEBHOOK_URL: room.url,
    PERSONAL_SIGN_IN: '',
    LOG_LEVEL: 'trace',
  });
  await stage.ready();
  const { bot, channel: identity, authority, replies } = stage;
  const { hostname, port } = new URL(bot.url);
  const said: string[] = [];
  const socket = () => connect(Number(port), hostname);

  async function request(path: string, init: RequestInit): Promise<{ status: number; body: string }> {
    const response = await fetch(`${bot.url}${path}`, { signal: AbortSignal.timeout(20_000), ...init });
    const body = await response.text();
    said.push(JSON.stringify([...response.headers]), body);
    return { status: response.status, body };
  }

  return {
    bot,
    identity,
    replies,
    calls,
    nacAnswers(listener) {
      answerAsNac = listener;
    },
    send(text, changes = {}, token = identity.issue({})) {
      const conversation = { id: 'chat', conversationType: 'personal', tenantId: TENANT };
      return request('/api/messages', {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
        body: JSON.stringify(stage.activity(text, { id: randomUUID(), conversation, ...changes })),
      });
    },
    request,
    raw(bytes, waitMs = 1000) {
      return new Promise((resolve) => {
        const connection = socket();
        let text = '';
        const end = () => {
          clearTimeout(timer);
          connection.destroy();
          said.push(text);
          resolve(text);
        };
        const timer = setTimeout(end, waitMs);
        connection.on('data', (chunk) => {
          text += chunk;
        });
        connection.on('error', end);
        connection.on('close', end);
        connection.write(bytes);
      });
    },
    socket,
    async isAlive() {
      const begun = performance.now();
      const { status } = await request('/healthz', {});
      return status === 200 && performance.now() - begun < 2000 && bot.child.exitCode === null;
    },
    leaks() {
      const told = replies.map(({ activity }) => JSON.stringify(activity));
      const everything = [...said, ...stage.log, ...told].join('\n');
      return [APP_PASSWORD, ...Object.values(CANARIES), ...authority.tokens].filter((secret) =>
        everything.includes(secret),
      );
    },
    async close() {
      await stage.close();
      await Promise.all([nac.close(), room.close()]);
    },
  };
}
