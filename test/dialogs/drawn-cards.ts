import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, Page } from 'playwright-core';

const require = createRequire(import.meta.url);

/** A drawn card: its text, with hidden parts, and the names of its HTML elements. */
export type Drawn = { text: string; elements: string[] };

/** Opens a page with the official renderer (`adaptivecards`). */
export async function openCardPage(browser: Browser): Promise<Page> {
  const page = await browser.newPage();
  const renderer = readFileSync(require.resolve('adaptivecards/dist/adaptivecards.min.js'), 'utf8');
  await page.addScriptTag({ content: renderer });
  await page.evaluate(() => {
    const { AdaptiveCards } = window as unknown as { AdaptiveCards: Renderer };
    // Reads markdown in text blocks like Teams. The renderer leaves this to its host.
    AdaptiveCards.AdaptiveCard.onProcessMarkdown = (text, result) => {
      result.outputHtml = text
        .replace(/\*\*(.+?)\*\*/g, '<strong>$1</strong>')
        .replace(/\[(.+?)\]\((.+?)\)/g, '<a href="$2">$1</a>');
      result.didProcess = true;
    };
  });
  return page;
}

/** Draws each card separately. */
export function drawCards(page: Page, cards: readonly unknown[]): Promise<Drawn[]> {
  return page.evaluate((all) => {
    const { AdaptiveCards } = window as unknown as { AdaptiveCards: Renderer };
    return all.map((card) => {
      const drawing = new AdaptiveCards.AdaptiveCard();
      drawing.parse(card);
      const element = drawing.render();
      return {
        text: element?.textContent ?? '',
        elements: Array.from(element?.querySelectorAll('*') ?? [], ({ tagName }) => tagName),
      };
    });
  }, cards);
}

type Renderer = {
  AdaptiveCard: {
    new (): { parse(card: unknown): void; render(): HTMLElement | undefined };
    onProcessMarkdown?: (text: string, result: { outputHtml?: string; didProcess: boolean }) => void;
  };
};
