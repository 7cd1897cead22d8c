import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { startPlayground } from '../../src/sandbox/sandbox.ts';
import { chromiumArgs, chromiumOrSkip } from '../chromium.ts';
import { startBot } from '../start-bot.ts';

const executablePath = chromiumOrSkip('connecting in the chat page');

type Message = {
  actionConversationId: string;
  message: { from: { id: string }; attachments: unknown[] };
};

const bot = await startBot();
let playground: Awaited<ReturnType<typeof startPlayground>>;
let directory: string;
let ids: { bot: { id: string }; teams: [{ channels: [{ id: string }] }] };
let stream: WebSocket;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'playground-'));
  playground = await startPlayground({ botUrl: bot.url, port: 0, directory });
  const config = await fetch(`${playground.url}/_internal/v1/config`);
  ids = ((await config.json()) as { config: typeof ids }).config;
  stream = new WebSocket(`${playground.url.replace('http', 'ws')}/_ws_conversation/v1/conversations/stream`);
  await once(stream, 'open');
});

afterAll(async () => {
  stream.close();
  await playground.stop();
  await rm(directory, { recursive: true });
});

it('the chat page listens on one loopback address alone', async () => {
  expect((await fetch(playground.url)).ok).toBe(true);
  await expect(fetch(playground.url.replace('127.0.0.1', '127.0.0.2'))).rejects.toThrow('fetch failed');
});

it('the Playground shows the answer to a mention in its thread', async () => {
  const reply = nextMessage();
  const [{ channels }] = ids.teams;
  const mentions = [{ text: 'Test Bot', mentioned: { id: ids.bot.id } }];
  const asked = await say(channels[0].id, '<at>Test Bot</at> is 00-1b-54-00-00-03 in?', { mentions });
  const { actionConversationId, message } = await reply;
  expect(message.from.id).toBe(ids.bot.id);
  expect(asked.postConversationId).toMatch(/;messageid=/);
  expect(actionConversationId).toBe(asked.postConversationId);
  expect(JSON.stringify(message.attachments)).toMatch(/"text":"Rejected".*"text":"00:1B:54:00:00:03"/);
});

it.runIf(executablePath)('the Playground connects a person, and leaves no typed text', async () => {
  const browser = await chromium.launch({ executablePath: executablePath ?? '', args: chromiumArgs });
  onTestFinished(() => browser.close());
  const page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
  await page.goto(playground.url);
  // When a message arrives, the page redraws every card and drops typed text. So wait for the welcome first.
  await page.getByText('Type help for all I can do.').first().waitFor();
  await page.getByRole('textbox').first().fill('connect');
  await page.getByRole('button', { name: 'Send Message' }).click();
  await page.getByRole('textbox', { name: 'User name' }).fill('alex');
  const password = page.getByRole('textbox', { name: 'Password' });
  expect(await password.getAttribute('type')).toBe('password');
  await password.fill('alex');
  await page.getByRole('button', { name: 'Connect', exact: true }).click();
  await page.getByText('Your lookups now run under your own account').first().waitFor();
  expect(await page.getByText('I removed the card').first().isVisible()).toBe(true);
  expect(await password.count()).toBe(0);
  expect(await page.locator('input[value="alex"]').count()).toBe(0);
});

/** The next message that the page receives; skips typing indicators. */
function nextMessage(): Promise<Message> {
  return new Promise((resolve) => {
    stream.addEventListener('message', function take({ data }) {
      const told = JSON.parse(String(data));
      if (told.action !== 'createMessage') return;
      stream.removeEventListener('message', take);
      resolve(told);
    });
  });
}

async function say(conversation: string, text: string, more: object = {}) {
  const response = await fetch(`${playground.url}/_conversation/v1/conversations/${conversation}/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ from: { id: 'user-id-0' }, text, textFormat: 'plain', ...more }),
  });
  expect(response.status).toBe(200);
  return (await response.json()) as { postConversationId?: string };
}
