import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type RunningBot,
  type Sandbox,
  startBot,
  startPlayground,
  startSandbox,
} from '../../src/sandbox/sandbox.ts';
import { chromiumArgs, chromiumOrSkip } from '../chromium.ts';

const executablePath = chromiumOrSkip('connecting in the chat page');

describe.runIf(executablePath)('connecting in the chat page', () => {
  let sandbox: Sandbox;
  let bot: RunningBot;
  let playground: Awaited<ReturnType<typeof startPlayground>>;
  let directory: string;

  beforeAll(async () => {
    sandbox = await startSandbox();
    bot = await startBot({ ...sandbox.environment, PORT: '0' });
    directory = await mkdtemp(join(tmpdir(), 'playground-'));
    playground = await startPlayground({ messagesUrl: bot.messagesUrl, port: 0, directory });
  });
  afterAll(async () => {
    await playground.stop();
    await bot.stop();
    await sandbox.close();
    await rm(directory, { recursive: true });
  });

  it('works, and leaves no typed text on the screen', async () => {
    const browser = await chromium.launch({ executablePath: executablePath ?? '', args: chromiumArgs });
    const page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
    await page.goto(playground.url);
    // When a message arrives, the page redraws every card and drops typed text. So wait for the welcome first.
    await page.getByText('Type help for all I can do.').waitFor();
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
    await browser.close();
  });
});
