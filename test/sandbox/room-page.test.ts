import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { chromiumOrSkip } from '../chromium.ts';
import { launchChromium, RoomPage } from './room-page.ts';

const executablePath = chromiumOrSkip('the room page');

describe.skipIf(executablePath === undefined)('the room page', { timeout: 20_000 }, () => {
  let browser: Browser;
  let roomPage: RoomPage;

  beforeAll(async () => {
    browser = await launchChromium(executablePath);
  });
  afterAll(() => browser?.close());

  beforeEach(async () => {
    roomPage = await RoomPage.create(browser, { locale: 'de-DE', timezoneId: 'Asia/Kolkata' });
  });
  afterEach(() => roomPage.close());

  it('invites to a lookup while nothing has been posted', async () => {
    const { page, complaints } = roomPage;
    await roomPage.open();
    expect(await page.title()).toBe("The team's room");
    expect(await page.locator('#empty').innerText()).toMatch(/nothing has been posted yet/i);
    expect(await page.locator('#empty code').innerText()).toBe('lookup AA:BB:CC:DD:EE:FF');
    expect(complaints).toEqual([]);
  });

  it('shows a post as it arrives, without a reload', async () => {
    const { page, room, complaints } = roomPage;
    await roomPage.open();
    await page.evaluate(() => document.body.setAttribute('data-same-page', ''));
    const post = room.add('v2', 'AA:BB:CC:DD:EE:FF\n  Corp_Wired_Access\n\n_Basic\tAuthenticated_Access_');
    await roomPage.shown(1);

    expect(await roomPage.texts()).toEqual([post.text]);
    expect(await page.locator('.post .text').innerText()).toBe(post.text);
    expect(await page.locator('#empty').isVisible()).toBe(false);
    expect(await page.locator('body[data-same-page]').count()).toBe(1);
    expect(complaints).toEqual([]);
  });

  it('shows what was posted before it was opened, in order, each with its source', async () => {
    const { page, room } = roomPage;
    room.add('v2', 'first');
    room.add('legacy', 'second');
    await roomPage.open();
    await roomPage.shown(2);
    expect(await roomPage.texts()).toEqual(['first', 'second']);
    expect(await page.locator('.post .source').allInnerTexts()).toEqual(['v2 webhook', 'legacy webhook']);
  });

  it("shows each post's time in the reader's own locale and zone, in full when pointed at", async () => {
    const { page, room } = roomPage;
    const post = room.add('v2', 'first');
    await roomPage.open();
    await roomPage.shown(1);
    const local = (options: Intl.DateTimeFormatOptions) =>
      new Intl.DateTimeFormat('de-DE', { timeZone: 'Asia/Kolkata', ...options }).format(new Date(post.at));
    const time = page.locator('.post time');
    expect(await time.getAttribute('datetime')).toBe(post.at);
    expect(await time.innerText()).toBe(local({ timeStyle: 'medium' }));
    expect(await time.getAttribute('title')).toContain(local({ dateStyle: 'full' }));
    expect(await time.getAttribute('title')).toContain('GMT+5:30');
    expect(await time.getAttribute('lang')).toBe('de-DE');
  });

  it('puts the posts of each day under its date', async () => {
    const { page, room } = roomPage;
    await roomPage.open();
    for (const [at, text] of [
      ['2026-03-03T18:29:59Z', 'last of the day'],
      ['2026-03-03T18:30:00Z', 'first of the next'],
      ['2026-03-04T09:00:00Z', 'second of the next'],
    ] as const) {
      vi.useFakeTimers({ toFake: ['Date'], now: new Date(at) });
      room.add('v2', text);
      vi.useRealTimers();
    }
    await roomPage.shown(3);
    const days = await page.locator('.day').evaluateAll((sections) =>
      sections.map((section) => ({
        date: section.querySelector('h2')?.textContent,
        texts: [...section.querySelectorAll('.text')].map((text) => text.textContent),
      })),
    );
    expect(days).toEqual([
      { date: 'Dienstag, 3. März 2026', texts: ['last of the day'] },
      { date: 'Mittwoch, 4. März 2026', texts: ['first of the next', 'second of the next'] },
    ]);
  });

  it('sets addresses in bold, and all of the text in monospace', async () => {
    const { page, room } = roomPage;
    const text =
      'AA:BB:CC:DD:EE:FF\nCorp_Wired_Access\n\n00:1B:54:00:00:03: no session.\nsee 00:1B:54:00:00:04\n00:1B:54:00:00:05_x';
    room.add('v2', text);
    await roomPage.open();
    await roomPage.shown(1);
    expect(await page.locator('.post strong').allTextContents()).toEqual([
      'AA:BB:CC:DD:EE:FF',
      '00:1B:54:00:00:03',
    ]);
    expect(await roomPage.texts()).toEqual([text]);
    for (const part of ['.post .text', '.post strong >> nth=0'])
      expect(await page.locator(part).evaluate((node) => getComputedStyle(node).fontFamily)).toMatch(
        /monospace$/,
      );
  });

  it('shows hostile text as text', async () => {
    const hostile =
      '<img src=x onerror="document.title=1"><script>document.title=2</script><b>bold</b></pre></li>&amp; ![:Team](1)';
    const { page, room, complaints } = roomPage;
    await roomPage.open();
    const elements = () => page.evaluate(() => document.querySelectorAll('.post, .post *').length);
    room.add('v2', 'harmless');
    await roomPage.shown(1);
    const elementsOfOne = await elements();
    room.add('v2', hostile);
    await roomPage.shown(2);

    expect(await roomPage.texts()).toEqual(['harmless', hostile]);
    expect(await elements()).toBe(2 * elementsOfOne);
    expect(await page.locator('#posts :is(img, script, b)').count()).toBe(0);
    expect(await page.title()).toBe("The team's room");
    expect(complaints).toEqual([]);
  });

  it('keeps the last 200 posts, says so, and drops a date that has none left', async () => {
    const { page, room } = roomPage;
    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-03-03T12:00:00Z') });
    room.add('v2', 'of an earlier day');
    vi.useRealTimers();
    await roomPage.open();
    for (let post = 2; post < 200; post += 1) room.add('v2', `post ${post}`);
    await roomPage.shown(199);
    expect(await page.locator('#older').isVisible()).toBe(false);
    expect(await page.locator('.day').count()).toBe(2);

    room.add('v2', 'post 200');
    room.add('v2', 'post 201');
    await page.getByText('post 201', { exact: true }).waitFor();
    expect(await page.locator('#older').innerText()).toBe('Only the last 200 posts are kept.');
    expect(await roomPage.texts()).toEqual(room.posts().map(({ text }) => text));
    expect(await page.locator('.day').count()).toBe(1);
  });

  it('stays at the newest post, unless the reader has scrolled up', async () => {
    const { page, room } = roomPage;
    for (let post = 1; post <= 30; post += 1) room.add('v2', `post ${post}`);
    await roomPage.open();
    await roomPage.shown(30);
    const newest = page.locator('#newest');
    const inView = () =>
      page
        .locator('.post')
        .last()
        .evaluate((item) => item.getBoundingClientRect().bottom <= document.documentElement.clientHeight);
    expect(await inView()).toBe(true);

    await page.evaluate(() => scrollTo(0, 0));
    room.add('v2', 'post 31');
    await roomPage.shown(31);
    expect(await page.evaluate(() => scrollY)).toBe(0);
    expect(await newest.innerText()).toBe('1 new post');
    room.add('v2', 'post 32');
    await roomPage.shown(32);
    expect(await newest.innerText()).toBe('2 new posts');

    await newest.click();
    await newest.waitFor({ state: 'hidden' });
    expect(await inView()).toBe(true);
    room.add('v2', 'post 33');
    await roomPage.shown(33);
    expect(await inView()).toBe(true);
    expect(await newest.isVisible()).toBe(false);
  });
});
