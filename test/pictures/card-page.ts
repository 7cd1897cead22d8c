import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const require = createRequire(import.meta.url);

/**
 * Shows Adaptive Cards with the official renderer (`adaptivecards`), in colours and sizes close to Teams.
 * Throws if the renderer finds an error in a card.
 * @param width of each card, in CSS pixels
 */
export async function showCards(page: Page, cards: readonly unknown[], width: number): Promise<void> {
  await page.setContent(PAGE);
  const renderer = readFileSync(require.resolve('adaptivecards/dist/adaptivecards.min.js'), 'utf8');
  await page.addScriptTag({ content: renderer });
  const faults = await page.evaluate(drawCards, { cards, width, hostConfig: HOST_CONFIG });
  if (faults.length > 0) throw new Error(`a card has faults: ${faults.join('; ')}`);
}

const PAGE = `<!doctype html><html lang="en"><title>Cards</title><style>
  body { margin: 12px; background: #f5f5f5 }
  main { display: flex; flex-wrap: wrap; gap: 16px; align-items: flex-start }
  main > div { box-sizing: border-box; background: #fff; border: 1px solid #e0e0e0; border-radius: 6px;
    box-shadow: 0 1px 3px #0002; overflow-wrap: anywhere }
  .ac-pushButton { font: 600 14px "Segoe UI", "DejaVu Sans", sans-serif; padding: 6px 12px; background: #fff;
    border: 1px solid #d1d1d1; border-radius: 4px }
  .ac-actionSet { flex-wrap: wrap; row-gap: 8px }
</style><main></main></html>`;

type Renderer = {
  HostConfig: new (config: object) => unknown;
  SerializationContext: new () => { eventCount: number; getEventAt(index: number): { message: string } };
  AdaptiveCard: new () => {
    hostConfig: unknown;
    parse(card: unknown, context: unknown): void;
    render(): HTMLElement | undefined;
  };
};

/** Runs in the page. */
function drawCards(what: { cards: readonly unknown[]; width: number; hostConfig: object }): string[] {
  const { AdaptiveCards } = window as unknown as { AdaptiveCards: Renderer };
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

const colour = (value: string, subtle: string) => ({ default: value, subtle });
const FOREGROUND = {
  default: colour('#242424', '#616161'),
  accent: colour('#5b5fc7', '#5b5fc7'),
  good: colour('#13703a', '#13703a'),
  warning: colour('#835b00', '#835b00'),
  attention: colour('#b10e1c', '#b10e1c'),
};
const HOST_CONFIG = {
  fontFamily: '"Segoe UI", "DejaVu Sans", sans-serif',
  fontTypes: {
    default: { fontFamily: '"Segoe UI", "DejaVu Sans", sans-serif' },
    monospace: { fontFamily: '"DejaVu Sans Mono", monospace' },
  },
  fontSizes: { small: 12, default: 14, medium: 16, large: 18, extraLarge: 24 },
  spacing: { small: 4, default: 8, medium: 12, large: 16, extraLarge: 24, padding: 14 },
  separator: { lineThickness: 1, lineColor: '#e0e0e0' },
  supportsInteractivity: true,
  containerStyles: {
    default: { backgroundColor: '#ffffff', foregroundColors: FOREGROUND },
    emphasis: { backgroundColor: '#f0f0f5', foregroundColors: FOREGROUND },
  },
  actions: {
    maxActions: 6,
    spacing: 'medium',
    buttonSpacing: 8,
    actionsOrientation: 'horizontal',
    actionAlignment: 'left',
  },
};
