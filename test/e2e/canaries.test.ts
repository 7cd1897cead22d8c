import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createChat, messageActivity } from '../../src/sandbox/chat.ts';
import { listen } from '../../src/sandbox/listen.ts';
import { openStage } from '../stage.ts';

const DOWN = 'http://127.0.0.1:1';
const SECRET_KEY = Buffer.from('canary-key-'.padEnd(32, 'k')).toString('base64');

/** One recognisable value for each secret. */
const CANARIES = {
  NAC_PASSWORD: 'canary-nac',
  WEBHOOK_TOKEN: 'canary-webhook',
  AUTHORIZE_PASSWORD: 'canary-authorize',
  TICKET_PASSWORD: 'canary-ticket',
  ALERTS_TOKEN: 'canary-alerts-token',
  SECRET_KEY,
  DATABASE_URL: 'postgres://bot:canary-database@127.0.0.1/bot',
};

type Card = { actions?: Array<{ data?: { dialog: unknown } }> };

describe('no secret leaves', { timeout: 60_000 }, () => {
  it.each<[string, Record<string, string>]>([
    ['with all that is refused', CANARIES],
    [
      'with systems that are down',
      {
        ...CANARIES,
        NAC_URL: DOWN,
        WEBHOOK_URL: DOWN,
        AUTHORIZE_URL: DOWN,
      },
    ],
    [
      'with a NAC that works, a person connected and everything kept in the database',
      {
        ...CANARIES,
        NAC_PASSWORD: 'sandbox',
        DATABASE_URL: '',
        AUTHORIZE_URL: DOWN,
        TICKET_URL: DOWN,
        WEBHOOK_TOKEN: 'answers-500',
      },
    ],
  ])('%s: not to logs, replies, posts, answers or the database', async (_, settings) => {
    const stage = await openStage({ ...settings, LOG_LEVEL: 'trace' });
    const chat = createChat();
    const chatAt = await listen(chat.server);
    const texts: string[] = [];
    if (settings.DATABASE_URL === '') await stage.ready();
    const post = async (body: unknown, headers: Record<string, string> = {}) => {
      const response = await fetch(stage.bot.messagesUrl, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      });
      texts.push(`${response.status} ${await response.text()}`);
    };

    for (const text of [
      'lookup AA:BB:CC:DD:EE:FF',
      'lookup 00:1B:54:00:05:00',
      'status',
      'help',
      'connect',
      'disconnect',
      'canary',
    ]) {
      await post(messageActivity(chatAt.url, text));
    }
    const form = chat.replies
      .flatMap(({ activity }) => (activity.attachments as Array<{ content: Card }> | undefined) ?? [])
      .flatMap(({ content }) => content.actions ?? [])
      .find(({ data }) => data?.dialog === 'connect');
    expect(form?.data).toBeDefined();
    const typed = { username: 'alex', password: 'canary-typed' };
    await post({
      ...messageActivity(chatAt.url, ''),
      value: { ...form?.data, ...typed },
      replyToId: 'card',
    });
    await post({
      ...messageActivity(chatAt.url, ''),
      value: { dialog: 'connect', proof: 'canary-forged', ...typed },
      replyToId: 'card',
    });
    await post(messageActivity(chatAt.url, 'lookup AA:BB:CC:DD:EE:FF'));
    await post(messageActivity(chatAt.url, 'status'));
    await post('{"canary-body": ', {});
    await post('canary-body', { 'content-encoding': 'gzip' });
    await post(messageActivity('https://canary-host.example.com', 'help'));
    for (const path of ['healthz', 'readyz', 'nothing'])
      texts.push(await (await fetch(`${stage.bot.url}/${path}`)).text());

    await stage.bot.stop();
    const files = await readAll(stage.sandbox.environment.DATA_DIR ?? '');
    await stage.close();
    await chatAt.close();
    expect(texts.length).toBeGreaterThan(14);
    if (settings.DATABASE_URL === '') expect(files).toContain('Corp_Wired_Access'); // The kept post proves that the search works.
    const replies = JSON.stringify(chat.replies).replaceAll('canary-host', '');
    for (const [where, all] of Object.entries({
      log: stage.log.join('\n'),
      replies,
      texts: texts.join('\n'),
      files,
      posts: JSON.stringify(stage.sandbox.room.posts()),
    })) {
      expect(all, where).not.toMatch(/canary/);
      expect(all, where).not.toContain(SECRET_KEY);
      expect(all, where).not.toContain(Buffer.from('sandbox:canary').toString('base64').slice(0, 16));
      expect(all, where).not.toContain(Buffer.from('alex:canary').toString('base64').slice(0, 12));
    }
  });
});

/** Every file below a folder, as Latin-1, which loses no byte. */
async function readAll(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const contents = await Promise.all(
    files.map((file) => readFile(join(file.parentPath, file.name), 'latin1')),
  );
  return contents.join('\n');
}
