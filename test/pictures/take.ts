import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium, type Page } from 'playwright-core';
import { startPlayground } from '../../src/sandbox/playground.ts';
import { startBot, startSandbox } from '../../src/sandbox/sandbox.ts';
import { chromiumArgs, chromiumPath } from '../chromium.ts';

/** Takes the README's pictures anew, from a conversation in a real browser. */
const executablePath = chromiumPath();
if (executablePath === undefined)
  throw new Error('no Chromium was found; install one, or set CHROMIUM to its path');

const directory = await mkdtemp(join(tmpdir(), 'pictures-'));
const sandbox = await startSandbox();
const bot = await startBot({ ...sandbox.environment, PORT: '0' });
const playground = await startPlayground({ messagesUrl: bot.messagesUrl, port: 56150, directory });
const browser = await chromium.launch({ executablePath, args: chromiumArgs });

const chat = await browser.newPage({ viewport: { width: 1280, height: 860 } });
await chat.goto(playground.url);
await chat.getByText('Connected.').waitFor();
await hideLogPanel(chat);
await ask(chat, 'lookup AA:BB:CC:DD:EE:FF', 'The tokens were posted to the room.');
await ask(chat, 'is 00-1b-54-00-00-99 in?', 'no session');
await take(chat, 'chat-personal');

await chat.getByText('General', { exact: true }).click();
await mention(chat, ' lookup 001b.5400.0003', 'Blacklist_Access-Reject');
await take(chat, 'chat-channel');

const room = await browser.newPage({ viewport: { width: 1000, height: 460 } });
await room.goto(sandbox.roomUrl);
await room.getByText('Blacklist_Access-Reject').waitFor();
await take(room, 'room');

await browser.close();
await playground.stop();
await bot.stop();
await sandbox.close();
await rm(directory, { recursive: true });

async function hideLogPanel(page: Page): Promise<void> {
  const panel = page.getByText('Log Panel');
  await panel.locator('xpath=following::button[2]').click();
  await panel.waitFor({ state: 'hidden' });
}

async function ask(page: Page, text: string, answer: string): Promise<void> {
  await page.getByRole('textbox').first().fill(text);
  await page.getByRole('button', { name: 'Send Message' }).click();
  await page.getByText(answer).first().waitFor();
}

/** Posts to the channel that is open, with the bot mentioned in front. */
async function mention(page: Page, text: string, answer: string): Promise<void> {
  await page.getByRole('textbox').first().click();
  await page.keyboard.type('@Te');
  await page.getByText('Test Bot').click();
  await page.keyboard.type(text);
  await page.getByRole('button', { name: 'Post' }).click();
  await page.getByText(answer).first().waitFor();
}

async function take(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: fileURLToPath(new URL(`${name}.png`, import.meta.url)) });
}
