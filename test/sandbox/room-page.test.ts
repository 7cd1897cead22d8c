import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createRoom, type Room } from '../../src/sandbox/room.ts';
import { chromiumArgs, chromiumOrSkip } from '../chromium.ts';

type StateWatch = Window & { states?: string[] };

const executablePath = chromiumOrSkip('the room page');

describe.skipIf(executablePath === undefined)('the room page', { timeout: 20_000 }, () => {
  let browser: Browser;
  let room: Room;
  let server: Server;
  let port: number;
  let page: Page;
  let complaints: string[];

  beforeAll(async () => {
    browser = await chromium.launch({
      ...(executablePath !== undefined && { executablePath }),
      args: chromiumArgs,
      headless: true,
    });
  }, 30_000);
  afterAll(() => browser?.close());

  beforeEach(async () => {
    room = createRoom();
    server = await serve(() => room);
    port = (server.address() as AddressInfo).port;
    page = await browser.newPage({ viewport: { width: 1000, height: 700 } });
    page.setDefaultTimeout(10_000);
    complaints = [];
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
  });

  afterEach(async () => {
    await page.close();
    await stop(server);
  });

  it('invites to a lookup while nothing has been posted', async () => {
    await open();
    expect(await page.title()).toBe("The team's room");
    expect(await page.locator('#empty').innerText()).toMatch(/nothing has been posted yet/i);
    expect(await page.locator('#empty code').innerText()).toBe('lookup AA:BB:CC:DD:EE:FF');
    expect(await page.locator('#count').innerText()).toBe('0 posts');
    expect(complaints).toEqual([]);
  });

  it('shows a post as it arrives, without a reload', async () => {
    await open();
    await page.evaluate(() => document.body.setAttribute('data-same-page', ''));
    const post = room.add('v2', 'AA:BB:CC:DD:EE:FF\nCorp_Wired_Access\n_Basic_Authenticated_Access_');
    await shown(1);

    expect(await texts()).toEqual([post.text]);
    expect(await page.locator('#posts .text').innerText()).toBe(post.text);
    expect(await page.locator('#posts .form').innerText()).toBe('v2');
    expect(await page.locator('#posts time').getAttribute('datetime')).toBe(post.at);
    expect(await page.locator('#posts time').innerText()).toMatch(/\d:\d\d:\d\d/);
    expect(await page.locator('#empty').isVisible()).toBe(false);
    expect(await page.locator('body[data-same-page]').count()).toBe(1);
    expect(complaints).toEqual([]);
  });

  it('shows what was posted before it was opened, in order, each with its form', async () => {
    room.add('v2', 'first');
    room.add('legacy', 'second');
    await open();
    await shown(2);
    expect(await texts()).toEqual(['first', 'second']);
    expect(await page.locator('#posts .form').allInnerTexts()).toEqual(['v2', 'legacy']);
  });

  it('shows hostile text as text', async () => {
    const hostile =
      '<img src=x onerror="document.title=1"><script>document.title=2</script><b>bold</b></pre></li>&amp; ![:Team](1)';
    await open();
    const elements = () => page.evaluate(() => document.querySelectorAll('#posts *').length);
    room.add('v2', 'harmless');
    await shown(1);
    const elementsOfOne = await elements();
    room.add('v2', hostile);
    await shown(2);

    expect(await texts()).toEqual(['harmless', hostile]);
    expect(await elements()).toBe(2 * elementsOfOne);
    expect(await page.locator('#posts :is(img, script, b)').count()).toBe(0);
    expect(await page.title()).toBe("The team's room");
    expect(complaints).toEqual([]);
  });

  it('counts the posts', async () => {
    const count = page.locator('#count');
    await open();
    room.add('v2', 'first');
    await shown(1);
    expect(await count.innerText()).toBe('1 post');
    room.add('v2', 'second');
    await shown(2);
    expect(await count.innerText()).toBe('2 posts');
    for (let post = 3; post <= 201; post += 1) room.add('v2', `post ${post}`);
    await page.getByText('post 201', { exact: true }).waitFor();
    expect(await count.innerText()).toBe('last 200 posts');
    expect(await texts()).toEqual(room.posts().map(({ text }) => text));
  });

  it.each(['light', 'dark'] as const)(
    'fits a screen of 320 px, long tokens too (%s)',
    async (colorScheme) => {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width: 320, height: 600 });
      await open();
      const width = () => page.evaluate(() => document.documentElement.scrollWidth);
      expect(await width()).toBeLessThanOrEqual(320);
      room.add('legacy', `AA:BB:CC:DD:EE:FF\n${'Long_'.repeat(60)}`);
      await shown(1);
      expect(await width()).toBeLessThanOrEqual(320);
    },
  );

  it('stays at the newest post, unless the reader has scrolled up', async () => {
    for (let post = 1; post <= 30; post += 1) room.add('v2', `post ${post}`);
    await open();
    await shown(30);
    const last = page.locator('#posts li').last();
    const newest = page.locator('#newest');
    const inView = () =>
      last.evaluate((item) => item.getBoundingClientRect().bottom <= document.documentElement.clientHeight);
    expect(await inView()).toBe(true);

    await page.evaluate(() => scrollTo(0, 0));
    room.add('v2', 'post 31');
    await shown(31);
    expect(await page.evaluate(() => scrollY)).toBe(0);
    expect(await newest.innerText()).toBe('1 new post ↓');

    await newest.press('Enter');
    await newest.waitFor({ state: 'hidden' });
    expect(await inView()).toBe(true);
    room.add('v2', 'post 32');
    await shown(32);
    expect(await inView()).toBe(true);
    expect(await newest.isVisible()).toBe(false);
  });

  it('reconnects when its stream ends, misses nothing and doubles nothing', async () => {
    room.add('v2', 'before');
    await open();
    await shown(1);
    room.close();
    room.add('v2', 'meanwhile 1');
    room.add('legacy', 'meanwhile 2');
    await shown(3);
    expect(await states()).toEqual(['live', 'reconnecting', 'live']);
    room.add('v2', 'after');
    await shown(4);
    expect(await texts()).toEqual(['before', 'meanwhile 1', 'meanwhile 2', 'after']);
    expect(await page.locator('#count').innerText()).toBe('4 posts');
  });

  it('goes on with a sandbox that was restarted', async () => {
    room.add('v2', 'before');
    await open();
    await shown(1);
    await stop(server);
    await inState('reconnecting');
    room = createRoom();
    room.add('v2', 'after');
    server = await serve(() => room, port);
    await shown(2);
    await inState('live');
    expect(await texts()).toEqual(['before', 'after']);
  });

  it('comes back after an answer that is no event stream', async () => {
    room.add('v2', 'before');
    await open();
    await shown(1);
    await page.route('**/events', (route) => route.fulfill({ status: 502 }), { times: 1 });
    room.close();
    room.add('v2', 'after');
    await shown(2);
    expect(await states()).toEqual(['live', 'reconnecting', 'reconnecting', 'live']);
    expect(await texts()).toEqual(['before', 'after']);
  });

  async function open(): Promise<void> {
    await page.addInitScript(() => {
      const seen: string[] = [];
      (window as StateWatch).states = seen;
      new MutationObserver((changes) => {
        for (const { target, addedNodes } of changes) {
          if ((target as Element).id === 'state' && addedNodes[0]?.textContent !== 'connecting')
            seen.push(addedNodes[0]?.textContent ?? '');
        }
      }).observe(document, { childList: true, subtree: true });
    });
    await page.goto(`http://127.0.0.1:${port}/`);
    await inState('live');
  }

  async function shown(posts: number): Promise<void> {
    await page
      .locator('#posts li')
      .nth(posts - 1)
      .waitFor();
  }

  async function inState(word: string): Promise<void> {
    await page.locator(`#state:text-is("${word}")`).waitFor();
  }

  /** Every state that the page has said since it was opened, however short. */
  function states(): Promise<string[]> {
    return page.evaluate(() => (window as StateWatch).states ?? []);
  }

  function texts(): Promise<string[]> {
    return page.locator('#posts .text').allTextContents();
  }
});

async function serve(room: () => Room, port = 0): Promise<Server> {
  const server = createServer((request, response) => {
    if (room().handle(request, response)) return;
    response.writeHead(404);
    response.end();
  });
  await new Promise<void>((listening) => server.listen(port, '127.0.0.1', listening));
  return server;
}

async function stop(server: Server): Promise<void> {
  await new Promise((closed) => {
    server.close(closed);
    server.closeAllConnections();
  });
}
