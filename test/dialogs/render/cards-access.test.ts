import { chromium, type Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { axeFindings, chromiumArgs, chromiumOrSkip } from '../../chromium.ts';
import { moreOf } from '../cards.ts';
import { showCards, WIDTHS } from './card-page.ts';
import { everyCard } from './every-card.ts';

const LEFT_OUT = {
  // The page around the cards is ours, not Teams'.
  'page-has-heading-one': { enabled: false },
  region: { enabled: false },
  // A row's name says the device, its verdict and what a press does. All of its tokens would bury these words.
  'label-content-name-mismatch': { enabled: false },
};

const executablePath = chromiumOrSkip('cards for everyone');

describe.skipIf(executablePath === undefined)("every card, in Teams' own colours", () => {
  let page: Page;
  beforeAll(async () => {
    const browser = await chromium.launch({ ...(executablePath && { executablePath }), args: chromiumArgs });
    page = await browser.newPage();
    return () => browser.close();
  });

  // Colours depend on the theme alone, and places on the width alone.
  it.each([
    [WIDTHS.narrow, 'light'],
    [WIDTHS.phone, 'dark'],
    [WIDTHS.desktop, 'light'],
  ] as const)('passes axe and fits: %i px, %s', async (width, theme) => {
    const cards = everyCard().flatMap(([, card]) => [card, ...[moreOf(card) ?? []].flat()]);
    await showCards(page, cards, { width, theme });
    expect(await axeFindings(page, LEFT_OUT)).toEqual([]);
    expect(await page.evaluate(cutOff)).toEqual([]);
  });

  it('fits a phone: 460 px for one device, 1,200 for more', async () => {
    const cards = everyCard();
    const shown = cards.map(([, card]) => card);
    await showCards(page, shown, { width: WIDTHS.phone, theme: 'light' });
    const sizes = await page.evaluate(sizesOf);
    const large = sizes.flatMap(({ height, rows }, index) => {
      const [name = ''] = cards[index] ?? [];
      const most = /^one: |of one device/.test(name) ? 460 : 1200;
      return height > most || rows > 2 ? [`${name}: ${height} px, ${rows} rows`] : [];
    });
    expect(sizes).toHaveLength(cards.length);
    expect(large).toEqual([]);
  });
});

/** Runs in the page. Each card's height, and how many rows its buttons take. */
function sizesOf(): Array<{ height: number; rows: number }> {
  return [...document.querySelectorAll('main > div')].map((card) => {
    const tops = [...card.querySelectorAll('.ac-pushButton')].map((each) => each.getBoundingClientRect().top);
    const height = Math.round(card.getBoundingClientRect().height);
    return { height, rows: new Set(tops.map(Math.round)).size };
  });
}

/** Runs in the page. The texts that do not fit into their element, or stand outside their card. */
function cutOff(): string[] {
  return [...document.querySelectorAll('main > div')].flatMap((card) => {
    const { left, right } = card.getBoundingClientRect();
    return [...card.querySelectorAll('*')]
      .filter((element) => element.getClientRects().length > 0)
      .filter((element) => {
        const box = element.getBoundingClientRect();
        const isWide = element.scrollWidth > element.clientWidth && element.clientWidth > 0;
        return isWide || box.left < left - 1 || box.right > right + 1;
      })
      .map((element) => `${element.className}: ${element.textContent}`);
  });
}
