import { expect, vi } from 'vitest';
import { type Chat, createChat, messageActivity, type Reply, textOf } from '../../src/sandbox/chat.ts';
import { listen } from '../../src/sandbox/listen.ts';
import { type RunningBot, type Sandbox, startBot, startSandbox } from '../../src/sandbox/sandbox.ts';

/** A running bot, its sandbox, and the chat service that receives its replies. */
export type Stage = {
  bot: RunningBot;
  sandbox: Sandbox;
  replies: Reply[];
  /** When the bot sent typing indicators. */
  typing: readonly number[];
  /** Makes the chat service refuse the next replies. */
  refuse(...statuses: Chat['refusals']): void;
  /** Kills the bot and starts it again with the same settings and database. */
  restart(): Promise<void>;
  /** The lines of the bot's output so far. */
  log: string[];
  /** Sends a message; `changes` override the activity's fields. */
  say(text: string, changes?: Record<string, unknown>): Promise<Answer>;
  /** Waits until the database is open. */
  ready(): Promise<void>;
  close(): Promise<void>;
};

/** The bot's answer to one request, and its replies until that answer. */
export type Answer = {
  status: number;
  /** The answer's JSON; undefined if it has none. */
  body: unknown;
  /** How long the answer took. */
  ms: number;
  texts: string[];
  replies: Reply[];
};

/**
 * @param settings override the sandbox's own
 * @param command how the bot is started, if not as `node src/main.ts`
 */
export async function openStage(
  settings: Record<string, string> = {},
  command?: Parameters<typeof startBot>[2],
): Promise<Stage> {
  const log: string[] = [];
  const sandbox = await startSandbox();
  const chat = createChat();
  const chatAt = await listen(chat.server);
  // Some tests speak on a channel that shows no cards.
  const open = { ...sandbox.environment, PORT: '0', ALLOWED_CHANNELS: '*' };
  const start = () => startBot({ ...open, ...settings }, (line) => log.push(line), command);
  const closeOthers = () => Promise.all([chatAt.close(), sandbox.close()]);
  let bot = await start().catch(async (error: unknown) => {
    await closeOthers();
    throw error;
  });
  return {
    get bot() {
      return bot;
    },
    async restart() {
      await bot.kill();
      bot = await start();
    },
    refuse: (...statuses) => void chat.refusals.push(...statuses),
    sandbox,
    replies: chat.replies,
    typing: chat.typing,
    log,
    async say(text, changes = {}) {
      const activity = { ...messageActivity(chatAt.url, text), ...changes };
      const before = chat.replies.length;
      const begun = Date.now();
      const response = await fetch(bot.messagesUrl, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(activity),
      });
      const ms = Date.now() - begun;
      const body = await response.text();
      const replies = chat.replies.slice(before);
      return {
        status: response.status,
        body: body === '' ? undefined : JSON.parse(body),
        ms,
        texts: replies.map(textOf),
        replies,
      };
    },
    async ready() {
      await untilOpen(bot.url);
    },
    async close() {
      await bot.kill();
      await closeOthers();
    },
  };
}

/** Waits until a bot's database is open. A bot can be ready without it. */
export async function untilOpen(url: string): Promise<void> {
  await vi.waitFor(
    async () =>
      expect(await (await fetch(`${url}/readyz`)).json()).toMatchObject({ parts: { database: 'ok' } }),
    20_000,
  );
}

/** A stage with an open database, so that the first message can become a job. */
export async function openReadyStage(...options: Parameters<typeof openStage>): Promise<Stage> {
  const stage = await openStage(...options);
  await stage.ready();
  return stage;
}
