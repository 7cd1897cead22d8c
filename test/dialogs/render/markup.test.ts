import fc from 'fast-check';
import { chromium, type Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { renderAnswer } from '../../../dialogs/render/answer.ts';
import { adaptiveCard, type Message, richText } from '../../../dialogs/render/message.ts';
import { code, line, shorten, toRoom } from '../../../dialogs/render/words.ts';
import type { Attempt, SessionRecord } from '../../../src/domain/session.ts';
import { chromiumArgs, chromiumOrSkip } from '../../chromium.ts';
import { TEXT } from '../../replies.ts';
import { startBot } from '../../start-bot.ts';
import { moreOf, wordsOf } from '../cards.ts';
import { hostile, hostileRecord, render, shown, textsOf } from '../hostile.ts';
import { answered, READER } from '../outcomes.ts';
import { drawCards, loadRenderer } from './card-page.ts';

const ONE = '00:1B:54:00:00:07';
const inRow = ({ user, networkDevice, port }: SessionRecord) => textsOf({ user, networkDevice, port });

const SHOWN = [
  [[ONE], textsOf, 20],
  [[ONE, '00:1B:54:00:00:08'], inRow, 10],
] as const;

describe('markup in what a session says', () => {
  it.each([
    ...['[a](https://example.com)', 'www.example.com', 'alex@example.com', '![a](b.png)', '<b>a</b>', '*a*'],
    ...['__a__', '<img src=x>', '\n# a', '\n- a', '\n1. a', '\n|a|b|\n|-|-|'],
  ])('would work in a text without escaping: %j', (untrusted) => {
    expect(render(`User: ${untrusted}`).markup).not.toEqual([]);
  });

  it.each(SHOWN)('stays text, and loses no letter, in the answer about %j', (devices, untrusted) => {
    const property = fc.property(hostileRecord, (record) => {
      const { text } = answerFor(record, devices);
      const { markup, codeSpans } = render(text);
      expect(markup).toEqual([]);
      for (const each of untrusted(record))
        expect(codeSpans).toContainEqual(expect.stringContaining(shown(each).replaceAll('`', 'ˋ').trim()));
    });
    fc.assert(property, { numRuns: 600 });
  });
});

it.each(['', 'lookup ', 'help ', 'lokup ', 'lookup AA:BB:CC:DD:EE:G', 'fields '])(
  'markup stays text when a person types it behind "%s"',
  async (before) => {
    const bot = await startBot({ settings: { ADMINS: '*' } });
    const property = fc.asyncProperty(hostile, async (typed) => {
      const { texts } = await bot.say(before + typed, TEXT);
      expect(texts.flatMap((each) => render(each).markup)).toEqual([]);
    });
    await fc.assert(property, { numRuns: 300 });
  },
);

it.each([
  ['Corp_Wired_Access', '`Corp_Wired_Access`'],
  ['a`b``c', '`aˋbˋˋc`'],
  ['a\nb\u202e\u2028', '`a\\u{a}b\\u{202e}\\u{2028}`'],
  ['', '` `'],
  [`e${'\u0301'.repeat(6)}`, `\`e${'\u0301'.repeat(4)}${'\\u{301}'.repeat(2)}\``],
])('%j is one code span on one line', (untrusted, shown) => expect(code(untrusted)).toBe(shown));

it('a name is neutral in the room even where a client knows no code spans', () => {
  const name =
    '![:Team](4) **sw** <at>all</at> https://a.example __b__ _y_ ~~z~~ a@b.example www.c.example s_1.d';
  expect(toRoom(line`${name}`)).toBe(
    '`!［:Team］(4) ＊＊sw＊＊ ＜at＞all＜/at＞ https：／/a.example ＿＿b＿＿ ＿y＿ ～～z～～ a＠b.example www．c.example s_1.d`',
  );
});

it.each([
  ['a short text', 'x'.repeat(200), 'x'.repeat(200)],
  ['a long text', 'x'.repeat(201), `${'x'.repeat(200)}...`],
  ['invisible characters, as long as they are shown', '\u200b'.repeat(26), `${'\\u{200b}'.repeat(25)}...`],
  ['no half of a character', `${'x'.repeat(199)}😀😀`, `${'x'.repeat(199)}...`],
])('200 units are kept: %s', (_, untrusted, shown) => expect(shorten(untrusted)).toBe(shown));

function answerFor(record: SessionRecord, devices: readonly string[]): Message {
  const outcome = { kind: 'found', tokens: ['Corp_Access'], record, text: '' } as const;
  const { user, networkDevice, port, failureReason, authorizationProfiles } = record;
  const attempts = [
    { user, networkDevice, port, passed: false, failureReason },
    { user, networkDevice, port, passed: true, authorizationProfiles },
  ] as readonly Attempt[];
  const answers = devices.map((device) => ({ ...answered(outcome, device), attempts }));
  return renderAnswer(answers, READER);
}

const executablePath = chromiumOrSkip('markup in cards');

describe.skipIf(executablePath === undefined)('markup in a card, drawn by the official renderer', () => {
  const OURS = ['BUTTON', 'DIV', 'SPAN'];
  let page: Page;
  beforeAll(async () => {
    const browser = await chromium.launch({ ...(executablePath && { executablePath }), args: chromiumArgs });
    page = await browser.newPage();
    await loadRenderer(page);
    return () => browser.close();
  });

  it('would work in a text block, and formulas also in text runs', async () => {
    const formula = '{{DATE(2026-01-01T00:00:00Z,SHORT)}}';
    const block = { type: 'TextBlock', text: '**b** [a](https://example.com)' };
    const card = adaptiveCard([block, richText([{ type: 'TextRun', text: formula }])]);
    const [drawn] = await drawCards(page, [card]);
    expect(drawn?.elements).toEqual(expect.arrayContaining(['STRONG', 'A']));
    expect(drawn?.text).not.toContain(formula);
  });

  it.each(SHOWN)('stays text, to the letter, in the card about %j', async (devices, untrusted, numRuns) => {
    const batch = fc.array(hostileRecord, { minLength: 25, maxLength: 25, size: 'max' });
    const property = fc.asyncProperty(batch, async (records) => {
      const answers = records.map((record) => answerFor(record, devices));
      const cards = answers.flatMap(({ card }) => [card, moreOf(card) ?? adaptiveCard([])]);
      const drawn = await drawCards(page, cards);
      for (const [index, { text, elements }] of drawn.entries()) {
        for (const words of wordsOf(cards[index])) expect(text).toContain(words);
        expect(elements.filter((name) => !OURS.includes(name))).toEqual([]);
      }
      for (const [index, record] of devices.length === 1 ? records.entries() : []) {
        const both = drawn.slice(2 * index, 2 * index + 2).map(({ text }) => text);
        for (const each of untrusted(record)) expect(both.join()).toContain(shown(each));
      }
    });
    await fc.assert(property, { numRuns });
  });
});
