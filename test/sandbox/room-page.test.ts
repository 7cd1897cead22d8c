import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Listening, listen } from '../../src/sandbox/listen.ts';
import { createWebhook } from '../../src/sandbox/webhook.ts';
import { axeFindings, chromiumArgs, chromiumOrSkip } from '../chromium.ts';

const executablePath = chromiumOrSkip('the room page');

describe.skipIf(executablePath === undefined)('the room page', { timeout: 20_000 }, () => {
  let browser: Browser;
  let page: Page;
  let webhookAt: Listening;

  beforeAll(async () => {
    browser = await chromium.launch({ ...(executablePath && { executablePath }), args: chromiumArgs });
  });
  afterAll(() => browser?.close());
  beforeEach(async () => {
    webhookAt = await listen(createWebhook().server);
    const locale = { locale: 'de-DE', timezoneId: 'Asia/Kolkata' };
    page = await browser.newPage({ viewport: { width: 1000, height: 700 }, ...locale });
    page.setDefaultTimeout(10_000);
  });
  afterEach(async () => {
    await page?.close();
    await webhookAt?.close();
  });

  const post = (text: string, form = 'v2/') =>
    fetch(`${webhookAt.url}/webhook/${form}sandbox-room`, { method: 'POST', body: JSON.stringify({ text }) });
  const inState = (word: string) => page.locator(`#state:text-is("${word}")`).waitFor();
  const shown = (posts: number) => page.locator(`#posts > li:nth-child(${posts})`).waitFor();
  const texts = () => page.locator('#posts > li pre').allTextContents();
  async function open(): Promise<void> {
    await page.goto(webhookAt.url);
    await inState('live');
  }

  const THEMES = [['light', 320] as const, ['dark', 1000] as const];
  it.each(THEMES)('in the %s theme, %d px wide, passes axe and fits', async (colorScheme, width) => {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 600 });
    await open();
    await post(`AA:BB:CC:DD:EE:FF\n${'Long_Token_'.repeat(90)}\nShort`);
    await shown(1);
    expect(await axeFindings(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
  });

  it('says what to type, then shows and announces posts, newest first', async () => {
    const complaints: string[] = [];
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    await open();
    expect(await page.locator('#empty').innerText()).toMatch(/Nothing has been posted yet.* lookup AA:BB/);
    expect(await page.locator('#posts').getAttribute('aria-live')).toBe('polite');
    const hostile = '<img src=x onerror="document.title=1"><b>bold</b></pre></li>&amp; ![:Team](1)';
    const text = 'AA:BB\n  Corp_Access\n\n_Basic\tAccess_\u2028e\nÜnï"\\';
    await post(hostile);
    await post(text, '');
    await shown(2);
    expect(await texts()).toEqual([text, hostile]);
    expect(await page.locator('li pre').first().innerText()).toBe(text);
    expect(await page.locator('#posts :is(img, b)').count()).toBe(0);
    expect(await page.title()).toBe("The team's room");
    expect(await page.locator('li span').allInnerTexts()).toEqual(['legacy webhook', 'v2 webhook']);
    expect(await page.locator('#empty').isVisible()).toBe(false);
    const at = new Date((await page.locator('li time').first().getAttribute('datetime')) ?? '');
    const local = at.toLocaleTimeString('de-DE', { timeZone: 'Asia/Kolkata', timeStyle: 'medium' });
    expect(await page.locator('li time').first().innerText()).toBe(local);
    expect(complaints).toEqual([]);
  });
});
