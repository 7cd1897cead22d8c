import { chromium } from 'playwright-core';
import { expect, it, onTestFinished } from 'vitest';
import { createWebhook } from '../../src/sandbox/sandbox.ts';
import { axeFindings, chromiumArgs, chromiumOrSkip } from '../chromium.ts';
import { serve } from '../serve.ts';

const executablePath = chromiumOrSkip('the room page') ?? '';
const TEXT = 'AA:BB\n  Corp_Access\n\n_Basic\tAccess_\u2028e\nÜnï"\\';
const HOSTILE = '<img src=x onerror="document.title=1"><b>bold</b></pre></li>&amp; ![:Team](1)';
const LONG = `AA:BB:CC:DD:EE:FF\n${'Long_Token_'.repeat(90)}\nShort`;

it.skipIf(executablePath === '')('the room page shows posts, newest first', { timeout: 20_000 }, async () => {
  const browser = await chromium.launch({ executablePath, args: chromiumArgs });
  onTestFinished(() => browser.close());
  const page = await browser.newPage({ locale: 'de-DE', timezoneId: 'Asia/Kolkata' });
  page.setDefaultTimeout(10_000);
  const complaints: string[] = [];
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  const url = await serve(createWebhook().server);
  const post = (text: string, form = 'v2/') =>
    fetch(`${url}/webhook/${form}sandbox-room`, { method: 'POST', body: JSON.stringify({ text }) });
  await page.goto(url);
  await page.locator('#state:text-is("live")').waitFor();
  expect(await page.locator('#empty').innerText()).toMatch(/Nothing has been posted yet.* lookup AA:BB/);
  expect(await page.locator('#posts').getAttribute('aria-live')).toBe('polite');
  await post(HOSTILE);
  await post(TEXT, '');
  await page.locator('#posts > li:nth-child(2)').waitFor();
  expect(await page.locator('#posts > li pre').allTextContents()).toEqual([TEXT, HOSTILE]);
  expect(await page.locator('li pre').first().innerText()).toBe(TEXT);
  expect(await page.locator('#posts :is(img, b)').count()).toBe(0);
  expect(await page.title()).toBe("The team's room");
  expect(await page.locator('li span').allInnerTexts()).toEqual(['legacy webhook', 'v2 webhook']);
  expect(await page.locator('#empty').isVisible()).toBe(false);
  const at = new Date((await page.locator('li time').first().getAttribute('datetime')) ?? '');
  const local = at.toLocaleTimeString('de-DE', { timeZone: 'Asia/Kolkata', timeStyle: 'medium' });
  expect(await page.locator('li time').first().innerText()).toBe(local);
  expect(complaints).toEqual([]);
  await post(LONG);
  await page.locator('#posts > li:nth-child(3)').waitFor();
  for (const [colorScheme, width] of [['light', 320] as const, ['dark', 1000] as const]) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 600 });
    expect(await axeFindings(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
  }
});
