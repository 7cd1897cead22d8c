import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import { beforeEach, describe, expect, it } from 'vitest';
import { chromiumOrSkip } from '../chromium.ts';
import { stageRoomPage } from './room-page.ts';

type WithAxe = Window & { axe?: { run(): Promise<AxeResults> } };

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const executablePath = chromiumOrSkip('the room page for everyone');

describe.skipIf(executablePath === undefined)('the room page', { timeout: 20_000 }, () => {
  const roomPage = stageRoomPage(executablePath);

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

    it('passes axe and fits while it is empty', async () => {
      await roomPage.open();
      expect(await findings()).toEqual([]);
      expect(await contentWidth()).toBeLessThanOrEqual(width);
    });

    it('passes axe and fits with long posts, live and reconnecting', async () => {
      for (const form of ['v2', 'legacy'] as const)
        roomPage.room.add(form, `AA:BB:CC:DD:EE:FF\n${'Long_Token_'.repeat(90)}\nShort`);
      await roomPage.open();
      await roomPage.shown(2);
      expect(await findings()).toEqual([]);
      await roomPage.stopWebhook();
      await roomPage.inState('reconnecting');
      expect(await findings()).toEqual([]);
      expect(await contentWidth()).toBeLessThanOrEqual(width);
    });
  });

  it('has a banner, one heading, and a main part with a list', async () => {
    const { page, room } = roomPage;
    room.add('v2', 'first');
    await roomPage.open();
    await roomPage.shown(1);
    expect(await page.getByRole('heading').allInnerTexts()).toEqual(["The team's room"]);
    expect(await page.getByRole('banner').getByRole('heading', { level: 1 }).count()).toBe(1);
    const list = page.getByRole('main').getByRole('list', { name: 'Posts, newest first' });
    expect(await list.getByRole('listitem').count()).toBe(1);
  });

  it('announces a post that arrives, and no earlier post', async () => {
    const { page, room } = roomPage;
    room.add('v2', 'there before');
    await roomPage.open();
    await roomPage.shown(1);
    room.add('legacy', 'AA:BB:CC:DD:EE:FF\nCorp_Wired_Access');
    await roomPage.shown(2);
    const time = await page.locator('li time').first().innerText();
    const heard = (await roomPage.heard('posts')).map((words) => words.trim().split(/\s+/).join(' '));
    expect(heard.filter((words) => words !== '')).toEqual([
      `legacy webhook ${time} AA:BB:CC:DD:EE:FF Corp_Wired_Access`,
    ]);
  });

  async function findings(): Promise<string[]> {
    // The debugger evaluates this; the page's Content-Security-Policy does not apply to it.
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
});
