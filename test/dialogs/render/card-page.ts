import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { hostConfigOf, stylesOf, type Theme } from './teams-theme.ts';

/** The widths of cards in CSS pixels: the narrowest phone, a phone, and a desktop. */
export const WIDTHS = { narrow: 256, phone: 320, desktop: 560 };

/** A drawn card: its text, with hidden parts, the names of its HTML elements, and what the renderer finds wrong. */
export type Drawn = { text: string; elements: string[]; faults: string[] };

type Renderer = typeof import('adaptivecards');

/** Gives a page the official renderer (`adaptivecards`). */
export async function loadRenderer(page: Page): Promise<void> {
  const path = createRequire(import.meta.url).resolve('adaptivecards/dist/adaptivecards.min.js');
  await page.addScriptTag({ content: readFileSync(path, 'utf8') });
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
}

/**
 * Shows Adaptive Cards in Teams' colours and sizes. Throws if the renderer finds an error in a card.
 * @param width of each card, in CSS pixels
 */
export async function showCards(
  page: Page,
  cards: readonly unknown[],
  { width, theme }: { width: number; theme: Theme },
): Promise<void> {
  const styles = `${stylesOf(theme)} main > div { width: ${width}px }`;
  await page.setContent(
    `<!doctype html><html lang="en"><title>Cards</title><style>${styles}</style><main></main></html>`,
  );
  await loadRenderer(page);
  const faults = (await drawCards(page, cards, hostConfigOf(theme))).flatMap((drawn) => drawn.faults);
  if (faults.length > 0) throw new Error(`a card has faults: ${faults.join('; ')}`);
}

/** Draws each card separately, into the page's `main` if it has one. */
export function drawCards(page: Page, cards: readonly unknown[], hostConfig: object = {}): Promise<Drawn[]> {
  return page.evaluate(
    ({ cards, hostConfig }) => {
      const { AdaptiveCards } = window as unknown as { AdaptiveCards: Renderer };
      return cards.map((card) => {
        const drawing = new AdaptiveCards.AdaptiveCard();
        drawing.hostConfig = new AdaptiveCards.HostConfig(hostConfig);
        const context = new AdaptiveCards.SerializationContext();
        drawing.parse(card, context);
        const element = drawing.render();
        if (element) document.querySelector('main')?.append(element);
        return {
          text: element?.textContent ?? '',
          elements: Array.from(element?.querySelectorAll('*') ?? [], ({ tagName }) => tagName),
          faults: Array.from({ length: context.eventCount }, (_, index) => context.getEventAt(index).message),
        };
      });
    },
    { cards, hostConfig },
  );
}
