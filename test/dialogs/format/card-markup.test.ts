import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import fc from 'fast-check';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SessionRecord } from '../../../src/domain/record.ts';
import { chromiumArgs, chromiumOrSkip } from '../../chromium.ts';
import { stageLookup } from '../commands/lookup-stage.ts';
import { hostileRecord, shown, textsOf } from '../hostile.ts';

const require = createRequire(import.meta.url);

const ONE = '00:1B:54:00:00:07';
const SEVERAL = `${ONE} 00:1B:54:00:00:08`;
const FORMULA = '{{DATE(2026-01-01T00:00:00Z,SHORT)}}';

const executablePath = chromiumOrSkip('markup in cards');

describe.skipIf(executablePath === undefined)('markup in a card, drawn by the official renderer', () => {
  let browser: Browser;
  let page: Page;
  /** The elements of cards without hostile text. */
  let ours: readonly string[];

  beforeAll(async () => {
    browser = await chromium.launch({ ...(executablePath && { executablePath }), args: chromiumArgs });
    page = await openCardPage(browser);
    const cards = await Promise.all([ONE, SEVERAL].map((question) => cardFor(HARMLESS, question)));
    ours = (await drawCards(page, cards)).flatMap(({ elements }) => elements);
  });
  afterAll(() => browser?.close());

  it('would work in a text block, and formulas also in text runs', async () => {
    const [drawn] = await drawCards(page, [
      {
        type: 'AdaptiveCard',
        version: '1.5',
        body: [
          { type: 'TextBlock', text: '**b** [a](https://example.com)' },
          { type: 'RichTextBlock', inlines: [{ type: 'TextRun', text: FORMULA }] },
        ],
      },
    ]);
    expect(drawn?.elements).toEqual(expect.arrayContaining(['STRONG', 'A']));
    expect([...new Set(ours)].sort()).toEqual(['BUTTON', 'DIV', 'SPAN']);
    expect(drawn?.text).not.toContain(FORMULA);
  });

  it.each<[string, (record: SessionRecord) => ReadonlyArray<string | undefined>, number]>([
    [ONE, textsOf, 20],
    [SEVERAL, ({ user, networkDevice, port, ssid }) => [user, networkDevice, port, ssid], 10],
  ])('stays text, to the letter, in the card for %s', async (question, foreign, numRuns) => {
    const batch = fc.array(hostileRecord, { minLength: 25, maxLength: 25, size: 'max' });
    const property = fc.asyncProperty(batch, async (records) => {
      const cards = await Promise.all(records.map((record) => cardFor(record, question)));
      for (const [index, { text, elements }] of (await drawCards(page, cards)).entries()) {
        for (const each of foreign(records[index] ?? {})) expect(text).toContain(shown(each ?? ''));
        expect(elements.filter((name) => !ours.includes(name))).toEqual([]);
      }
    });
    await fc.assert(property, { numRuns });
  });
});

const HARMLESS: SessionRecord = { passed: true, user: 'alex', networkDevice: 'sw-1' };

async function cardFor(record: SessionRecord, question: string): Promise<unknown> {
  const outcomes = { kind: 'found', tokens: ['Corp_Access'], record, text: '' } as const;
  return (await stageLookup({ outcomes }).answer(question)).card;
}

/** A drawn card: its text, with hidden parts, and the names of its HTML elements. */
type Drawn = { text: string; elements: string[] };

/** Opens a page with the official renderer (`adaptivecards`). */
async function openCardPage(browser: Browser): Promise<Page> {
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
function drawCards(page: Page, cards: readonly unknown[]): Promise<Drawn[]> {
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
