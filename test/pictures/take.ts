import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium, type Page } from 'playwright-core';
import { startBot, startPlayground, startSandbox } from '../../src/sandbox/sandbox.ts';
import { chromiumArgs, chromiumPath } from '../chromium.ts';
import { showCards, WIDTHS } from '../dialogs/render/card-page.ts';
import { everyCard } from '../dialogs/render/every-card.ts';

/**
 * Takes the README's pictures in a real browser, from conversations with the running bot and of a card of every kind. Cards
 * on the narrowest phone and in the dark theme go to `more/`, which is not committed.
 */
const executablePath = chromiumPath();
if (executablePath === undefined)
  throw new Error('no Chromium found: install one, or set CHROMIUM to its path');

const directory = await mkdtemp(join(tmpdir(), 'pictures-'));
const sandbox = await startSandbox();
const bot = await startBot({ ...sandbox.environment, PORT: '0' });
const playground = await startPlayground({ botUrl: bot.url, port: 0, directory });
const browser = await chromium.launch({ executablePath, args: chromiumArgs });

await takeChat(await browser.newPage({ viewport: { width: 1280, height: 960 } }));
for (const colorScheme of ['light', 'dark'] as const) {
  const room = await browser.newPage({ viewport: { width: 1000, height: 760 }, colorScheme });
  await room.goto(sandbox.roomUrl);
  await room.getByText('Blacklist_Access-Reject').first().waitFor();
  await take(room, `room-${colorScheme}`, { fullPage: false });
}
const cards = everyCard().map(([, card]) => card);
for (const [name, width] of Object.entries(WIDTHS)) {
  for (const theme of ['light', 'dark'] as const) {
    const viewport = { width: 4 * (width + 16) + 24, height: 400 }; // Four cards stand in a row.
    const page = await browser.newPage({ viewport });
    await showCards(page, cards, { width, theme });
    const isCommitted = theme === 'light' && name !== 'narrow';
    await take(page, isCommitted ? `cards-${name}` : `more/cards-${name}-${theme}`);
  }
}

await browser.close();
await playground.stop();
await bot.stop();
await sandbox.close();
await rm(directory, { recursive: true });

async function takeChat(page: Page): Promise<void> {
  await page.goto(playground.url);
  await page.getByText('Connected.').waitFor();
  const logPanel = page.getByText('Log Panel');
  await logPanel.locator('xpath=following::button[2]').click();
  await logPanel.waitFor({ state: 'hidden' });
  await ask(page, 'lookup 00:1B:54:00:00:01', 'The tokens were posted to the room.');
  await take(page, 'chat-personal');
  await ask(page, 'is 00-1b-54-00-00-99 in?', 'No session');
  await ask(page, 'lookup AA:BB:CC:DD:EE:FO', 'Did you mean');
  await take(page, 'chat-hints');
  await ask(page, '001b.5400.0003 001b.5400.0008 00-1b-54-00-00-99', '3 devices');
  await take(page, 'chat-several');
  await page.getByText('General', { exact: true }).click();
  await mention(page, ' lookup 001b.5400.0003', 'Rejected');
  await take(page, 'chat-channel');
}

async function ask(page: Page, text: string, answer: string): Promise<void> {
  await page.getByRole('textbox').first().fill(text);
  await page.getByRole('button', { name: 'Send Message' }).click();
  await page.getByText(answer).first().waitFor();
}

async function mention(page: Page, text: string, answer: string): Promise<void> {
  await page.getByRole('textbox').first().click();
  await page.keyboard.type('@Te');
  await page.getByRole('menuitem', { name: 'Test Bot' }).click();
  await page.keyboard.type(text);
  await page.getByRole('button', { name: 'Post' }).click();
  await page.getByText(answer).first().waitFor();
}

async function take(page: Page, name: string, { fullPage } = { fullPage: true }): Promise<void> {
  await page.screenshot({ path: fileURLToPath(new URL(`${name}.png`, import.meta.url)), fullPage });
}
