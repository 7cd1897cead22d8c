import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createChat, messageActivity, type Reply } from '../../src/sandbox/chat.ts';
import { listen } from '../../src/sandbox/listen.ts';
import { type RunningBot, startBot } from '../../src/sandbox/sandbox.ts';
import { type ChannelIdentity, openChannelIdentity } from '../authentication/identity.ts';
import { openAuthority } from '../authentication/identity-authority.ts';
import { answer } from '../serve.ts';

const APP_ID = '11111111-2222-3333-4444-555555555555';
const TENANT = 'tenant-of-the-team';

/** Recognisable secrets, to search for in everything that the bot says. */
const CANARIES = {
  MicrosoftAppPassword: 'canary-app-password',
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
  const chat = createChat();
  const chatAt = await listen(chat.server);
  const identity = await openChannelIdentity({ appId: APP_ID, serviceUrl: chatAt.url });
  const authority = await openAuthority({
    tenant: TENANT,
    clientId: APP_ID,
    clientSecret: CANARIES.MicrosoftAppPassword,
  });
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
      response.setHeader('content-type', 'application/json');
      response.end('{"status":"OK"}');
    }),
  );
  const directory = await mkdtemp(join(tmpdir(), 'hostile-'));
  const said: string[] = [];
  const { promise: opened, resolve: setOpened } = Promise.withResolvers<void>();
  const bot = await startBot(
    {
      ...CANARIES,
      NODE_EXTRA_CA_CERTS: authority.certificateFile,
      MicrosoftAppId: APP_ID,
      MicrosoftAppType: 'SingleTenant',
      MicrosoftAppTenantId: TENANT,
      BotOpenIdMetadata: identity.metadataUrl,
      ToChannelFromBotLoginUrl: authority.loginUrl,
      ALLOWED_TENANTS: TENANT,
      ADMINS: 'nobody',
      SERVICE_HOSTS: '127.0.0.1',
      NAC_URL: nac.url,
      NAC_USERNAME: 'service',
      NAC_TIMEOUT_MS: '3000',
      WEBHOOK_URL: room.url,
      DATA_DIR: directory,
      PORT: '0',
      OPS_PORT: '0',
      HOST: '127.0.0.1',
      LOG_LEVEL: 'trace',
    },
    (line) => {
      said.push(line);
      if (line.includes('"database open"')) setOpened();
    },
  );

  async function request(path: string, init: RequestInit): Promise<{ status: number; body: string }> {
    const response = await fetch(`${bot.url}${path}`, { signal: AbortSignal.timeout(20_000), ...init });
    const body = await response.text();
    said.push(JSON.stringify([...response.headers]), body);
    return { status: response.status, body };
  }

  await opened; // Making the database keeps the bot busy.

  return {
    bot,
    identity,
    replies: chat.replies,
    calls,
    nacAnswers(listener) {
      answerAsNac = listener;
    },
    send(text, changes = {}, token = identity.issue({})) {
      const conversation = { id: 'chat', conversationType: 'personal', tenantId: TENANT };
      const activity = { ...messageActivity(chatAt.url, text), id: randomUUID(), conversation, ...changes };
      return request('/api/messages', {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
        body: JSON.stringify(activity),
      });
    },
    request,
    raw(bytes, waitMs = 1000) {
      return new Promise((resolve) => {
        const socket = connect(Number(new URL(bot.url).port), '127.0.0.1');
        let text = '';
        const end = () => {
          clearTimeout(timer);
          socket.destroy();
          said.push(text);
          resolve(text);
        };
        const timer = setTimeout(end, waitMs);
        socket.on('data', (chunk) => {
          text += chunk;
        });
        socket.on('error', end);
        socket.on('close', end);
        socket.write(bytes);
      });
    },
    socket: () => connect(Number(new URL(bot.url).port), '127.0.0.1'),
    async isAlive() {
      const begun = performance.now();
      const { status } = await request('/healthz', {});
      return status === 200 && performance.now() - begun < 2000 && bot.child.exitCode === null;
    },
    leaks() {
      const everything = [...said, ...chat.replies.map(({ activity }) => JSON.stringify(activity))].join(
        '\n',
      );
      return [...Object.values(CANARIES), ...authority.tokens].filter((secret) =>
        everything.includes(secret),
      );
    },
    async close() {
      await bot.kill();
      await Promise.all([chatAt.close(), identity.close(), authority.close(), nac.close(), room.close()]);
      await rm(directory, { recursive: true, force: true });
    },
  };
}
