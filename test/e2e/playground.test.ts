import { on, once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import { startPlayground } from '../../src/sandbox/sandbox.ts';
import { chromiumArgs, chromiumOrSkip } from '../chromium.ts';
import { startBot } from '../start-bot.ts';

const executablePath = chromiumOrSkip('connecting in the chat page');

type Message = { actionConversationId: string; message: { from: { id: string }; attachments: unknown[] } };
type Config = { config: { bot: { id: string }; teams: [{ channels: [{ id: string }] }] } };

const bot = await startBot();
const directory = await mkdtemp(join(tmpdir(), 'playground-'));
const playground = await startPlayground({ botUrl: bot.url, port: 0, directory });
afterAll(async () => {
  await playground.stop();
  await rm(directory, { recursive: true });
});

it('the chat page listens on one loopback address alone', async () => {
  expect((await fetch(playground.url)).ok).toBe(true);
  await expect(fetch(playground.url.replace('127.0.0.1', '127.0.0.2'))).rejects.toThrow('fetch failed');
});

it('the Playground shows the answer to a mention in its thread', async () => {
  const { config } = (await (await fetch(`${playground.url}/_internal/v1/config`)).json()) as Config;
  const address = playground.url.replace('http', 'ws');
  const stream = new WebSocket(`${address}/_ws_conversation/v1/conversations/stream`);
  onTestFinished(() => stream.close());
  await once(stream, 'open');
  const [{ channels }] = config.teams;
  const asking = fetch(`${playground.url}/_conversation/v1/conversations/${channels[0].id}/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      from: { id: 'user-id-0' },
      text: '<at>Test Bot</at> is 00-1b-54-00-00-03 in?',
      textFormat: 'plain',
      mentions: [{ text: 'Test Bot', mentioned: { id: config.bot.id } }],
    }),
  });
  const { actionConversationId, message } = await nextMessage(stream);
  const { postConversationId } = (await (await asking).json()) as { postConversationId?: string };
  expect(message.from.id).toBe(config.bot.id);
  expect(postConversationId).toMatch(/;messageid=/);
  expect(actionConversationId).toBe(postConversationId);
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

async function nextMessage(stream: WebSocket): Promise<Message> {
  for await (const [{ data }] of on(stream, 'message')) {
    const received = JSON.parse(String(data));
    if (received.action === 'createMessage') return received;
  }
  throw new Error('the stream ended');
}
