import { describe, expect, it } from 'vitest';
import { chromiumOrSkip } from '../chromium.ts';
import { stageRoomPage } from './room-page.ts';

const executablePath = chromiumOrSkip('the room page');

describe.skipIf(executablePath === undefined)('the room page', { timeout: 20_000 }, () => {
  const roomPage = stageRoomPage(executablePath);

  it('says what to type while nothing has been posted', async () => {
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
    expect(await page.locator('li pre').innerText()).toBe(post.text);
    expect(await page.locator('li pre').evaluate((node) => getComputedStyle(node).fontFamily)).toMatch(
      /monospace$/,
    );
    expect(await page.locator('#empty').isVisible()).toBe(false);
    expect(await page.locator('body[data-same-page]').count()).toBe(1);
    expect(complaints).toEqual([]);
  });

  it('shows earlier posts, newest first, each with its form', async () => {
    const { page, room } = roomPage;
    room.add('v2', 'first');
    room.add('legacy', 'second');
    await roomPage.open();
    await roomPage.shown(2);
    expect(await roomPage.texts()).toEqual(['second', 'first']);
    expect(await page.locator('li span').allInnerTexts()).toEqual(['legacy webhook', 'v2 webhook']);
    expect(await page.locator('#empty').isVisible()).toBe(false);
  });

  it("shows each post's time in the reader's locale and zone, and the full date as a tooltip", async () => {
    const { page, room } = roomPage;
    const post = room.add('v2', 'first');
    await roomPage.open();
    await roomPage.shown(1);
    const local = (options: Intl.DateTimeFormatOptions) =>
      new Intl.DateTimeFormat('de-DE', { timeZone: 'Asia/Kolkata', ...options }).format(new Date(post.at));
    const time = page.locator('li time');
    expect(await time.getAttribute('datetime')).toBe(post.at);
    expect(await time.innerText()).toBe(local({ timeStyle: 'medium' }));
    expect(await time.getAttribute('title')).toContain(local({ dateStyle: 'full' }));
    expect(await time.getAttribute('title')).toContain('GMT+5:30');
    expect(await time.getAttribute('lang')).toBe('de-DE');
  });

  it('shows hostile text as text', async () => {
    const hostile =
      '<img src=x onerror="document.title=1"><script>document.title=2</script><b>bold</b></pre></li>&amp; ![:Team](1)';
    const { page, room, complaints } = roomPage;
    await roomPage.open();
    const elements = () => page.locator('#posts *').count();
    room.add('v2', 'harmless');
    await roomPage.shown(1);
    const elementsOfOne = await elements();
    room.add('v2', hostile);
    await roomPage.shown(2);

    expect(await roomPage.texts()).toEqual([hostile, 'harmless']);
    expect(await elements()).toBe(2 * elementsOfOne);
    expect(await page.locator('#posts :is(img, script, b)').count()).toBe(0);
    expect(await page.title()).toBe("The team's room");
    expect(complaints).toEqual([]);
  });

  it('keeps the last 200 posts, as the room does', async () => {
    const { page, room } = roomPage;
    await roomPage.open();
    for (let post = 1; post <= 202; post += 1) room.add('v2', `post ${post}`);
    await page.getByText('post 202', { exact: true }).waitFor();
    expect((await roomPage.texts()).reverse()).toEqual(room.posts().map(({ text }) => text));
  });

  it('shows the newest post, and keeps the position of a reader who has scrolled down', async () => {
    const { page, room } = roomPage;
    for (let post = 1; post <= 30; post += 1) room.add('v2', `post ${post}`);
    await roomPage.open();
    const topOf = (text: string) =>
      page.getByText(text, { exact: true }).evaluate((node) => node.getBoundingClientRect().top);
    const expectInView = async (text: string) => {
      expect(await topOf(text)).toBeGreaterThan(0);
      expect(await topOf(text)).toBeLessThan(700);
    };
    await roomPage.shown(30);
    await expectInView('post 30');
    room.add('v2', 'post 31');
    await roomPage.shown(31);
    await expectInView('post 31');

    await page.evaluate(() => scrollTo(0, 1000));
    const before = await topOf('post 15');
    room.add('v2', 'post 32');
    await roomPage.shown(32);
    expect(Math.abs((await topOf('post 15')) - before)).toBeLessThan(2);
  });

  it('shows the newest post after a reload, even if every post arrives before the page has loaded', async () => {
    const { page, room } = roomPage;
    for (let post = 1; post <= 30; post += 1) room.add('v2', `post ${post}`);
    await roomPage.open();
    await roomPage.shown(30);
    await page.evaluate(() => scrollTo(0, 1000));
    const letLoad = await roomPage.holdLoad();
    await page.reload({ waitUntil: 'commit' });
    await roomPage.shown(30);
    letLoad();
    await page.waitForLoadState();
    expect(await page.evaluate(() => scrollY)).toBe(0);
  });

  it('reconnects when its stream ends: misses nothing, doubles nothing', async () => {
    const { room } = roomPage;
    room.add('v2', 'before');
    await roomPage.open();
    await roomPage.shown(1);
    room.close();
    room.add('v2', 'meanwhile 1');
    room.add('legacy', 'meanwhile 2');
    await roomPage.shown(3);
    await roomPage.inState('live');
    expect(await states()).toEqual(['live', 'reconnecting', 'live']);
    room.add('v2', 'after');
    await roomPage.shown(4);
    expect(await roomPage.texts()).toEqual(['after', 'meanwhile 2', 'meanwhile 1', 'before']);
  });

  it('continues with a restarted sandbox', async () => {
    roomPage.room.add('v2', 'before');
    await roomPage.open();
    await roomPage.stopWebhook();
    await roomPage.inState('reconnecting');
    await roomPage.restartWebhook();
    await roomPage.inState('live');
    roomPage.room.add('v2', 'after');
    await roomPage.shown(2);
    expect(await roomPage.texts()).toEqual(['after', 'before']);
  });

  it('reconnects after a response that is no event stream', async () => {
    const { page, room } = roomPage;
    room.add('v2', 'before');
    await roomPage.open();
    await roomPage.shown(1);
    await page.route('**/events', (route) => route.fulfill({ status: 502 }), { times: 1 });
    room.close();
    room.add('v2', 'after');
    await roomPage.shown(2);
    await roomPage.inState('live');
    expect(await states()).toEqual(['live', 'reconnecting', 'reconnecting', 'live']);
    expect(await roomPage.texts()).toEqual(['after', 'before']);
  });

  async function states(): Promise<string[]> {
    return (await roomPage.heard('state')).filter((word) => word !== 'connecting');
  }
});
