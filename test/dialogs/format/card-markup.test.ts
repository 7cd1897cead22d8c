import fc from 'fast-check';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SessionRecord } from '../../../src/domain/record.ts';
import { chromiumArgs, chromiumOrSkip } from '../../chromium.ts';
import { stageLookup } from '../commands/lookup-stage.ts';
import { type Drawn, drawCards, openCardPage } from '../drawn-cards.ts';
import { hostileRecord, shown, textsOf } from '../hostile.ts';

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

  it('stays text, to the letter, in the card for one device', async () => {
    await fc.assert(
      fc.asyncProperty(batchOf(hostileRecord), async (records) => {
        const cards = await Promise.all(records.map((record) => cardFor(record, ONE)));
        for (const [index, drawn] of (await drawCards(page, cards)).entries()) {
          expectText(drawn, textsOf(records[index] ?? {}));
        }
      }),
      { numRuns: 20 },
    );
  });

  it('stays text, to the letter, in the card for several devices', async () => {
    await fc.assert(
      fc.asyncProperty(batchOf(hostileRecord), async (records) => {
        const cards = await Promise.all(records.map((record) => cardFor(record, SEVERAL)));
        for (const [index, drawn] of (await drawCards(page, cards)).entries()) {
          const { user, networkDevice, port, ssid } = records[index] ?? {};
          expectText(
            drawn,
            [user, networkDevice, port, ssid].filter((text) => text !== undefined),
          );
        }
      }),
      { numRuns: 10 },
    );
  });

  function expectText({ text, elements }: Drawn, foreign: readonly string[]): void {
    for (const each of foreign) expect(text).toContain(shown(each));
    expect(elements.filter((name) => !ours.includes(name))).toEqual([]);
  }
});

const HARMLESS: SessionRecord = {
  passed: true,
  user: 'alex',
  networkDevice: 'sw-1',
};

function batchOf<T>(cases: fc.Arbitrary<T>): fc.Arbitrary<T[]> {
  return fc.array(cases, { minLength: 25, maxLength: 25, size: 'max' });
}

async function cardFor(record: SessionRecord, question: string): Promise<unknown> {
  const outcomes = { kind: 'found', tokens: ['Corp_Access'], record, text: '' } as const;
  return (await stageLookup({ outcomes }).answer(question)).card;
}
