import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { type Listening, listen } from '../../src/sandbox/listen.ts';
import type { Room } from '../../src/sandbox/room.ts';
import { createWebhook } from '../../src/sandbox/webhook.ts';
import { chromiumArgs } from '../chromium.ts';

type Heard = Window & { heard?: Record<string, string[]> };

/**
 * Provides each test of a suite with the sandbox's webhook, its room, and a tab of a real browser.
 * @param executablePath as `chromiumOrSkip` returns it
 */
export function stageRoomPage(executablePath: string | undefined) {
  let browser: Browser;
  let page: Page;
  let room: Room;
  let webhookAt: Listening;
  let complaints: string[];

  beforeAll(async () => {
    browser = await chromium.launch({
      ...(executablePath !== undefined && { executablePath }),
      args: chromiumArgs,
      headless: true,
    });
  });
  afterAll(() => browser?.close());

  beforeEach(async () => {
    await startWebhook(0);
    page = await browser.newPage({
      viewport: { width: 1000, height: 700 },
      locale: 'de-DE',
      timezoneId: 'Asia/Kolkata',
    });
    page.setDefaultTimeout(10_000);
    complaints = [];
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    await page.addInitScript(noteWhatIsHeard);
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

  async function inState(word: string): Promise<void> {
    await page.locator(`#state:text-is("${word}")`).waitFor();
  }

  return {
    get page() {
      return page;
    },
    get room() {
      return room;
    },
    /** The page's console output and errors. */
    get complaints() {
      return complaints;
    },
    /** Opens the page, and waits until it is live. */
    async open(): Promise<void> {
      await page.goto(webhookAt.url);
      await inState('live');
    },
    inState,
    /** Waits until the page shows this many posts. */
    async shown(posts: number): Promise<void> {
      await page
        .locator('#posts > li')
        .nth(posts - 1)
        .waitFor();
    },
    /** Keeps each page that is opened from now on from being loaded, until the returned function is called. */
    async holdLoad(): Promise<() => void> {
      const held = Promise.withResolvers<void>();
      await page.addInitScript(() => {
        addEventListener('DOMContentLoaded', () => {
          document.head.append(Object.assign(document.createElement('script'), { src: '/held.js' }));
        });
      });
      await page.route('**/held.js', async (route) => {
        await held.promise;
        await route.fulfill({ contentType: 'text/javascript', body: '' });
      });
      return held.resolve;
    },
    /** The text of each post, from the top of the page. */
    texts(): Promise<string[]> {
      return page.locator('#posts > li pre').allTextContents();
    },
    /** Every text that was added to this live region since the page opened, even if only briefly. */
    heard(id: 'state' | 'posts'): Promise<string[]> {
      return page.evaluate((region) => (window as Heard).heard?.[region] ?? [], id);
    },
    async stopWebhook(): Promise<void> {
      await webhookAt.close();
    },
    /** Starts a new webhook with an empty room, at the address of the stopped webhook. */
    restartWebhook: () => startWebhook(Number(new URL(webhookAt.url).port)),
  };
}

/** Runs in the page, before its own script. */
function noteWhatIsHeard(): void {
  const heard: Record<string, string[]> = {};
  (window as Heard).heard = heard;
  new MutationObserver((changes) => {
    for (const { target, addedNodes } of changes) {
      if (!(target instanceof Element)) continue;
      if (target.role !== 'status' && target.ariaLive !== 'polite') continue;
      heard[target.id] ??= [];
      for (const node of addedNodes) heard[target.id]?.push(node.textContent ?? '');
    }
  }).observe(document, { childList: true, subtree: true });
}
