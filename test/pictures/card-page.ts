import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { hostConfigOf, stylesOf, type Theme } from './teams-theme.ts';

const require = createRequire(import.meta.url);

/** The widths of cards in CSS pixels: the narrowest phone, a phone, and a desktop. */
export const WIDTHS = { narrow: 256, phone: 320, desktop: 560 };

/**
 * Shows Adaptive Cards with the official renderer (`adaptivecards`), in Teams' colours and sizes.
 * Throws if the renderer finds an error in a card.
 * @param width of each card, in CSS pixels
 */
export async function showCards(
  page: Page,
  cards: readonly unknown[],
  { width, theme }: { width: number; theme: Theme },
): Promise<void> {
  await page.setContent(
    `<!doctype html><html lang="en"><title>Cards</title><style>${stylesOf(theme)}</style><main></main></html>`,
  );
  const renderer = readFileSync(require.resolve('adaptivecards/dist/adaptivecards.min.js'), 'utf8');
  await page.addScriptTag({ content: renderer });
  const faults = await page.evaluate(drawCards, { cards, width, hostConfig: hostConfigOf(theme) });
  if (faults.length > 0) throw new Error(`a card has faults: ${faults.join('; ')}`);
}

/** Runs in the page. */
function drawCards(what: { cards: readonly unknown[]; width: number; hostConfig: object }): string[] {
  const { AdaptiveCards } = window as unknown as { AdaptiveCards: typeof import('adaptivecards') };
  const hostConfig = new AdaptiveCards.HostConfig(what.hostConfig);
  return what.cards.flatMap((card) => {
    const drawing = new AdaptiveCards.AdaptiveCard();
    drawing.hostConfig = hostConfig;
    const context = new AdaptiveCards.SerializationContext();
    drawing.parse(card, context);
    const element = drawing.render();
    if (element) {
      element.style.width = `${what.width}px`;
      document.querySelector('main')?.append(element);
    }
    return Array.from({ length: context.eventCount }, (_, index) => context.getEventAt(index).message);
  });
}
