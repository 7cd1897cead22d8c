import { cp } from 'node:fs/promises';
import { inject } from 'vitest';
import { createChat, messageActivity, type Reply } from '../../src/sandbox/chat.ts';
import { listen } from '../../src/sandbox/listen.ts';
import { type RunningBot, type Sandbox, startBot, startSandbox } from '../../src/sandbox/sandbox.ts';

/** A running bot, the sandbox that it uses and the chat service that it answers to. */
export type Stage = {
  bot: RunningBot;
  sandbox: Sandbox;
  replies: Reply[];
  /** The bot's output so far, a line an entry. */
  log: string[];
  /** Sends a message; `changes` are laid over the activity. Gives the bot's HTTP status and the texts of its replies. */
  say(
    text: string,
    changes?: Record<string, unknown>,
  ): Promise<{ status: number; texts: string[]; replies: Reply[] }>;
  close(): Promise<void>;
};

/** @param settings laid over the sandbox's own */
export async function openStage(settings: Record<string, string> = {}): Promise<Stage> {
  const log: string[] = [];
  const sandbox = await startSandbox();
  const chat = createChat();
  const chatAt = await listen(chat.server);
  if (sandbox.environment.DATA_DIR)
    await cp(inject('databaseTemplate'), sandbox.environment.DATA_DIR, { recursive: true });
  const bot = await startBot({ ...sandbox.environment, PORT: '0', ...settings }, (line) => log.push(line));
  return {
    bot,
    sandbox,
    replies: chat.replies,
    log,
    async say(text, changes = {}) {
      const activity = { ...messageActivity(chatAt.url, text), ...changes };
      const before = chat.replies.length;
      const response = await fetch(bot.messagesUrl, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(activity),
      });
      const replies = chat.replies.slice(before);
      return { status: response.status, texts: replies.map((reply) => String(reply.activity.text)), replies };
    },
    async close() {
      await bot.kill();
      await Promise.all([chatAt.close(), sandbox.close()]);
    },
  };
}
