import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createPosts } from '../../../dialogs/commands/posts.ts';
import type { Message } from '../../../dialogs/format/message.ts';
import { allDialogs, noKeptJobs } from '../all-dialogs.ts';
import { NOW, stageLookup } from '../commands/lookup-stage.ts';
import { hostile, hostileRecord, shown, textsOf } from '../hostile.ts';
import { render } from '../rendered.ts';
import { answerTo } from '../talk.ts';

const ONE = '00:1B:54:00:00:07';
const SEVERAL = `${ONE} 00:1B:54:00:00:08`;

describe('markup in what a session says', () => {
  it.each([
    ['[a](https://example.com)', 'link_open'],
    ['www.example.com', 'link_open'],
    ['alex@example.com', 'link_open'],
    ['![a](b.png)', 'image'],
    ['<b>a</b>', 'html_inline'],
    ['<img src=x>', 'html_inline'],
    ['*a*', 'em_open'],
    ['__a__', 'strong_open'],
    ['\n# a', 'heading_open'],
    ['\n- a', 'bullet_list_open'],
    ['\n1. a', 'ordered_list_open'],
    ['\n|a|b|\n|-|-|', 'table_open'],
  ])('would work in a text without escaping: %j', (foreign, markup) => {
    expect(render(`User: ${foreign}`).markup).toContain(markup);
  });

  it.each([ONE, SEVERAL])('stays text in the answer to "%s"', async (question) => {
    await fc.assert(
      fc.asyncProperty(hostileRecord, async (record) => {
        const { text, summary = '' } = await answerFor(record, question);
        expect(render(text).markup).toEqual([]);
        expect(render(summary).markup).toEqual([]);
      }),
      { numRuns: 2000 },
    );
  });

  it('loses no letter in the answer for one device', async () => {
    await fc.assert(
      fc.asyncProperty(hostileRecord, async (record) => {
        const { codeSpans } = render((await answerFor(record, ONE)).text);
        for (const foreign of textsOf(record)) {
          expect(codeSpans).toContainEqual(expect.stringContaining(inCodeSpan(foreign)));
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('loses no letter in the answer for several devices', async () => {
    await fc.assert(
      fc.asyncProperty(hostileRecord, async (record) => {
        const { codeSpans } = render((await answerFor(record, SEVERAL)).text);
        const { user, networkDevice, port, ssid } = record;
        for (const foreign of [user, networkDevice, port, ssid]) {
          if (foreign !== undefined)
            expect(codeSpans).toContainEqual(expect.stringContaining(inCodeSpan(foreign)));
        }
      }),
      { numRuns: 1000 },
    );
  });
});

describe('markup elsewhere', () => {
  const dialogs = allDialogs(stageLookup().dialog);

  it.each(['', 'lookup ', 'help ', 'lokup ', 'lookup AA:BB:CC:DD:EE:G', 'posts '])(
    'stays text when a person types it behind "%s"',
    async (before) => {
      await fc.assert(
        fc.asyncProperty(hostile, async (typed) => {
          const { text, summary = '' } = await answerTo(dialogs, before + typed, { arrivedAt: NOW });
          expect(render(text).markup).toEqual([]);
          expect(render(summary).markup).toEqual([]);
        }),
        { numRuns: 300 },
      );
    },
  );

  it('stays text in the list of posts that were given up', async () => {
    await fc.assert(
      fc.asyncProperty(hostile, async (foreign) => {
        const Posts = {
          ...noKeptJobs().Posts,
          listDead: async () => [{ words: foreign, at: new Date(5000) }],
        };
        const { text } = await answerTo([createPosts({ kept: noKeptJobs({ Posts }) })], 'posts');
        const { markup, codeSpans } = render(text);
        expect(markup).toEqual([]);
        expect(codeSpans[0]).toContain(inCodeSpan(foreign.replaceAll('\n', ' ')));
      }),
      { numRuns: 1000 },
    );
  });
});

function answerFor(record: Parameters<typeof textsOf>[0], question: string): Promise<Message> {
  return stageLookup({ outcomes: { kind: 'found', tokens: ['Corp_Access'], record, text: '' } }).answer(
    question,
  );
}

/** The text in a code span: without spaces at its ends, which are dropped, and with backticks as their look-alike. */
function inCodeSpan(foreign: string): string {
  return shown(foreign).replaceAll('`', 'ˋ').trim();
}
