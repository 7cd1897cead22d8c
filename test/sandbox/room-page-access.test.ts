import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { chromiumOrSkip } from '../chromium.ts';
import { launchChromium, RoomPage } from './room-page.ts';

type WithAxe = Window & { axe?: { run(): Promise<AxeResults> } };

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const REFUSING = ['gone', 'answers-500', 'answers-400', 'answers-404', 'answers-429', 'answers-error-object'];

const executablePath = chromiumOrSkip('the room page for everyone');

describe.skipIf(executablePath === undefined)('the room page', { timeout: 20_000 }, () => {
  let browser: Browser;
  let roomPage: RoomPage;

  beforeAll(async () => {
    browser = await launchChromium(executablePath);
  });
  afterAll(() => browser?.close());

  beforeEach(async () => {
    roomPage = await RoomPage.create(browser, { reducedMotion: 'reduce' });
  });
  afterEach(() => roomPage.close());

  describe.each([
    ['light', 1000],
    ['light', 320],
    ['dark', 1000],
    ['dark', 320],
  ] as const)('in the %s theme, %d px wide', (colorScheme, width) => {
    beforeEach(async () => {
      await roomPage.page.emulateMedia({ colorScheme });
      await roomPage.page.setViewportSize({ width, height: 600 });
    });

    it('has nothing for axe to find, and fits, while it is empty', async () => {
      await roomPage.open();
      expect(await findings()).toEqual([]);
      expect(await contentWidth()).toBeLessThanOrEqual(width);
    });

    it('has nothing for axe to find, and fits, with long posts, refusals and something new below', async () => {
      for (const form of ['v2/', ''])
        await roomPage.call(`${form}sandbox-room`, `AA:BB:CC:DD:EE:FF\n${'Long_Token_'.repeat(90)}\nShort`);
      for (const token of REFUSING) await roomPage.call(token);
      await roomPage.open();
      await roomPage.shown(2);
      await roomPage.page.evaluate(() => scrollTo(0, 0));
      await roomPage.call('sandbox-room', '00:1B:54:00:00:03\nBlacklist_Access-Reject');
      await roomPage.page.locator('#newest').waitFor();
      expect(await findings()).toEqual([]);
      expect(await contentWidth()).toBeLessThanOrEqual(width);
    });
  });

  it('is a banner and a main part, with one heading for the room and one for the date', async () => {
    const { page, room } = roomPage;
    room.add('v2', 'first');
    await roomPage.open();
    await roomPage.shown(1);
    expect(await page.getByRole('banner').getByRole('heading', { level: 1 }).innerText()).toBe(
      "The team's room",
    );
    const main = page.getByRole('main');
    expect(await main.getByRole('heading', { level: 2 }).count()).toBe(1);
    expect(await main.getByRole('list').getByRole('listitem').count()).toBe(1);
  });

  it('reads out a post that arrives, and none that was there before', async () => {
    const { page, room } = roomPage;
    room.add('v2', 'there before');
    await roomPage.open();
    await roomPage.shown(1);
    room.add('legacy', 'AA:BB:CC:DD:EE:FF\nCorp_Wired_Access');
    await page.locator('#news:not(:empty)').waitFor();
    const time = await page.locator('.post time').last().innerText();
    expect(await roomPage.heard('news')).toEqual([
      `New post through the legacy webhook, ${time}: AA:BB:CC:DD:EE:FF\nCorp_Wired_Access`,
    ]);
  });

  it('reads out of several posts at once only how many they are', async () => {
    const { page, room } = roomPage;
    await roomPage.open();
    for (const text of ['first', 'second', 'third']) room.add('v2', text);
    await page.locator('#news:not(:empty)').waitFor();
    expect(await roomPage.heard('news')).toEqual(['3 new posts']);
  });

  it('reads out refusals, once each, and not the posts taken', async () => {
    await roomPage.open();
    for (const path of ['gone', 'answers-one', 'answers-one']) await roomPage.call(path);
    await roomPage.counted('2 taken · 1 refused (1 not found)');
    const heard = await roomPage.heard('refused');
    expect(heard.filter((words) => words !== '0 refused')).toEqual(['1 refused (1 not found)']);
  });

  it('is read to its end by the keyboard, with a focus that shows and is not lost', async () => {
    const { page, room } = roomPage;
    for (let post = 1; post <= 30; post += 1) room.add('v2', `post ${post}`);
    await roomPage.open();
    await roomPage.shown(30);
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('BODY');
    await scrollBy('Home');
    await addBelow('post 31');

    await page.keyboard.press('Tab');
    expect(await focused()).toBe('1 new post');
    const newest = page.locator('#newest');
    expect(await newest.evaluate((button) => getComputedStyle(button).outline)).toMatch(/solid 3px/);

    await page.keyboard.press('Enter');
    await newest.waitFor({ state: 'hidden' });
    expect(await focused()).toContain('post 31');
    const last = page.locator('.post').last();
    expect(await last.evaluate((post) => post.getBoundingClientRect().bottom <= innerHeight)).toBe(true);

    await scrollBy('Home');
    await addBelow('post 32');
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('1 new post');
    await scrollBy('End');
    await newest.waitFor({ state: 'hidden' });
    expect(await focused()).toContain('post 32');
  });

  async function findings(): Promise<string[]> {
    // Through the debugger, which the page's Content-Security-Policy does not bind.
    await roomPage.page.evaluate(AXE);
    const results = await roomPage.page.evaluate(() => (window as WithAxe).axe?.run());
    expect(results?.passes.map(({ id }) => id)).toContain('color-contrast');
    return (
      results?.violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`)) ?? ['no run']
    );
  }

  function contentWidth(): Promise<number> {
    return roomPage.page.evaluate(() => document.documentElement.scrollWidth);
  }

  async function addBelow(text: string): Promise<void> {
    roomPage.room.add('v2', text);
    await roomPage.page.locator('#newest').waitFor();
  }

  /** Presses the key, and waits until the page has come to rest there: while it scrolls, the next key can be lost. */
  async function scrollBy(key: 'Home' | 'End'): Promise<void> {
    const atRest = roomPage.page.evaluate(
      (wanted) =>
        new Promise<void>((done) => {
          addEventListener('scrollend', () => {
            const below = document.documentElement.scrollHeight - innerHeight - scrollY;
            if ((wanted === 'Home' ? scrollY : below) < 1) done();
          });
        }),
      key,
    );
    await roomPage.page.keyboard.press(key);
    await atRest;
  }

  /** What has the focus, by its text. */
  function focused(): Promise<string> {
    return roomPage.page.evaluate(() => {
      const { activeElement } = document;
      return activeElement === document.body ? 'BODY' : (activeElement?.textContent ?? '');
    });
  }
});
