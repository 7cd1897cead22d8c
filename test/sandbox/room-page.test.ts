import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Listening, listen } from '../../src/sandbox/listen.ts';
import { createWebhook, type Room } from '../../src/sandbox/webhook.ts';
import { axeFindings, chromiumArgs, chromiumOrSkip } from '../chromium.ts';

const executablePath = chromiumOrSkip('the room page');

describe.skipIf(executablePath === undefined)('the room page', { timeout: 20_000 }, () => {
  let browser: Browser;
  let page: Page;
  let room: Room;
  let webhookAt: Listening;
  let complaints: string[];

  beforeAll(async () => {
    browser = await chromium.launch({ ...(executablePath && { executablePath }), args: chromiumArgs });
  });
  afterAll(() => browser?.close());
  beforeEach(async () => {
    await startWebhook(0);
    const locale = { locale: 'de-DE', timezoneId: 'Asia/Kolkata' };
    page = await browser.newPage({ viewport: { width: 1000, height: 700 }, ...locale });
    page.setDefaultTimeout(10_000);
    complaints = [];
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
  });
  afterEach(async () => {
    await page?.close();
    await webhookAt?.close();
  });

  async function startWebhook(port: number): Promise<void> {
    const webhook = createWebhook();
    room = webhook.room;
    webhookAt = await listen(webhook.server, port);
  }

  const inState = (word: string) => page.locator(`#state:text-is("${word}")`).waitFor();
  const shown = (posts: number) => page.locator(`#posts > li:nth-child(${posts})`).waitFor();
  const texts = () => page.locator('#posts > li pre').allTextContents();
  async function open(): Promise<void> {
    await page.goto(webhookAt.url);
    await inState('live');
  }

  it.each([['light', 320] as const, ['dark', 1000] as const])(
    'in the %s theme, %d px wide, passes axe and fits: empty, with long posts, and while it reconnects',
    async (colorScheme, width) => {
      const judge = async () => {
        expect(await axeFindings(page)).toEqual([]);
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
      };
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 600 });
      await open();
      await judge();
      room.add('v2', `AA:BB:CC:DD:EE:FF\n${'Long_Token_'.repeat(90)}\nShort`);
      await shown(1);
      await judge();
      await webhookAt.close();
      await inState('reconnecting');
      await judge();
    },
  );

  it('says what to type, then shows posts as they came, newest first, and announces them', async () => {
    await open();
    expect(await page.locator('#empty').innerText()).toMatch(/nothing has been posted yet/i);
    expect(await page.locator('#empty code').innerText()).toBe('lookup AA:BB:CC:DD:EE:FF');
    expect(await page.locator('#posts').getAttribute('aria-live')).toBe('polite');
    const hostile = '<img src=x onerror="document.title=1"><b>bold</b></pre></li>&amp; ![:Team](1)';
    const text = 'AA:BB\n  Corp_Access\n\n_Basic\tAccess_\u2028e\ndata: x\nid: 1\n\nÜnï"\\';
    room.add('v2', hostile);
    room.add('legacy', text);
    await shown(2);
    expect(await texts()).toEqual([text, hostile]);
    expect(await page.locator('li pre').first().innerText()).toBe(text);
    expect(await page.locator('#posts :is(img, b)').count()).toBe(0);
    expect(await page.title()).toBe("The team's room");
    expect(await page.locator('li span').allInnerTexts()).toEqual(['legacy webhook', 'v2 webhook']);
    expect(await page.locator('#empty').isVisible()).toBe(false);
    expect(complaints).toEqual([]);
  });

  it("shows each post's time in the reader's locale and zone, and the full date as a tooltip", async () => {
    const { at } = room.add('v2', 'first');
    await open();
    const local = (options: Intl.DateTimeFormatOptions) =>
      new Intl.DateTimeFormat('de-DE', { timeZone: 'Asia/Kolkata', ...options }).format(new Date(at));
    const time = page.locator('li time');
    expect(await time.getAttribute('datetime')).toBe(at);
    expect(await time.innerText()).toBe(local({ timeStyle: 'medium' }));
    expect(await time.getAttribute('title')).toContain(local({ dateStyle: 'full' }));
  });

  it('keeps the last 200 posts, and the position of a reader who has scrolled down', async () => {
    for (let post = 1; post <= 202; post += 1) room.add('v2', `post ${post}`);
    await open();
    await page.getByText('post 202', { exact: true }).waitFor();
    expect((await texts()).reverse()).toEqual(room.posts().map(({ text }) => text));
    await page.evaluate(() => scrollTo(0, 1000));
    const topOf = () =>
      page.getByText('post 190', { exact: true }).evaluate((node) => node.getBoundingClientRect().top);
    const before = await topOf();
    room.add('v2', 'post 203');
    await page.getByText('post 203', { exact: true }).waitFor();
    expect(Math.abs((await topOf()) - before)).toBeLessThan(2);
  });

  it('continues after a response that is no event stream, and with a restarted sandbox; no post is doubled', async () => {
    room.add('v2', 'before');
    await open();
    await page.route('**/events', (route) => route.fulfill({ status: 502 }), { times: 1 });
    room.close();
    await inState('reconnecting');
    await inState('live');
    expect(await texts()).toEqual(['before']);
    await webhookAt.close();
    await inState('reconnecting');
    await startWebhook(Number(new URL(webhookAt.url).port));
    await inState('live');
    room.add('v2', 'after');
    await shown(2);
    expect(await texts()).toEqual(['after', 'before']);
  });
});
