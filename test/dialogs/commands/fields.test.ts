import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { createFields } from '../../../dialogs/commands/fields.ts';
import { threadOf } from '../../../dialogs/format/message.ts';
import type { LookupOutcome } from '../../../src/domain/outcome.ts';
import { readFields } from '../../../src/domain/record.ts';
import { TIMING } from '../../../src/domain/timing.ts';
import { idleLookup } from '../all-dialogs.ts';
import { wordsOf } from '../cards.ts';
import { hostile, render } from '../hostile.ts';
import { answerTo, PLACE, talk } from '../talk.ts';
import { DOWN, found, NONE, REPORT, type Script, stageLookup } from './lookup-stage.ts';

const DEVICE = '00:1B:54:00:00:07';
const IP = '198.51.100.23';

describe('fields', () => {
  it('shows every field under its own name, and buttons under the card', async () => {
    const outcomes = { [IP]: found({ calling_station_id: DEVICE }) };
    const message = await answerTo(stage({ outcomes }).dialogs, `fields ${IP}`);
    expect(message.text).toContain(`\`${DEVICE}\` at \`${IP}\`: All fields from the NAC.\n\n`);
    expect(message.text).toContain('`identity_group`: `Workstation`  \n');
    expect(message.text).toContain('`EndPointMatchedProfile`: `Unknown`');
    expect(message.summary).toBe(`${DEVICE} at ${IP}: All fields from the NAC.`);
    const data = { dialog: 'lookup', text: IP };
    expect(message.card?.actions).toEqual([{ type: 'Action.Submit', title: 'Look up again', data }]);
  });

  it('says how many fields have no room', async () => {
    const names = Array.from({ length: 80 }, (_, index) => `field_${index}`);
    const fields = Object.fromEntries(names.map((name) => [name, '\u200b'.repeat(200)]));
    const { text, card } = await answerTo(stage({ outcomes: found(fields) }).dialogs, `fields ${DEVICE}`);
    for (const said of [text, wordsOf(card).at(-1)])
      expect(said).toMatch(/Fields that are left out here, because there are too many: \d+\.$/);
    expect(text.length).toBeLessThan(14_000);
    const many = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`field_${index}`, 'x']));
    const message = await answerTo(stage({ outcomes: found(many) }).dialogs, `fields ${DEVICE}`);
    expect(message.text.split('\n\n')[1]?.split('\n')).toHaveLength(100);
    expect(message.text).toMatch(/there are too many: 1\d\d\.$/);
  });

  it('is what "again" means next', async () => {
    const { dialogs, recent } = stage();
    await answerTo(dialogs, `fields ${DEVICE}`);
    expect(recent.of(threadOf(PLACE))).toMatchObject([{ asked: DEVICE, verdict: 'connected' }]);
  });

  it("shows no markup in the NAC's names and values", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(hostile, hostile), { maxLength: 4 }), async (attributes) => {
        const said = attributes.map((attribute) => attribute.join('=')).join(':!:');
        const text = `<sessionParameters><other_attr_string><![CDATA[${said}]]></other_attr_string></sessionParameters>`;
        const outcomes = { kind: 'found', tokens: [], record: {}, text } as const;
        const answer = await answerTo(stage({ outcomes }).dialogs, `fields ${DEVICE}`);
        const { markup, codeSpans } = render(answer.text);
        expect(markup).toEqual([]);
        expect(codeSpans).toHaveLength(1 + 2 * readFields(text).length);
      }),
      { numRuns: 1000 },
    );
  });

  it.each<[LookupOutcome, RegExp]>([
    [NONE, /^`00:1B:54:00:00:07`: no session\./],
    [DOWN, /the NAC could not be reached/],
  ])('answers like a lookup if there is no session: %j', async (outcomes, text) => {
    expect((await answerTo(stage({ outcomes }).dialogs, `fields ${DEVICE}`)).text).toMatch(text);
  });

  it.each([
    ['fields', 'Which device?'],
    [
      `fields ${DEVICE}`,
      'That is more than I answer in a minute (30 addresses or 120 messages). Please try again in 13 s.',
    ],
  ])('asks nobody about no address, or one too many for a minute: "%s"', async (typed, words) => {
    const lookUp = () => Promise.reject(new Error('not asked here'));
    const { dialogs } = stage({ lookUp, waitMs: 12_400 });
    expect((await answerTo(dialogs, typed)).text).toContain(words);
  });

  it('answers before its turn ends; a late answer has an audit line without its time', async () => {
    const late = Promise.withResolvers<LookupOutcome>();
    const bot = { timing: { ...TIMING, turnMs: 10 } };
    const { dialogs, audited } = stage({ bot, lookUp: () => late.promise });
    const text = 'The NAC has not answered yet. Please try again in a moment.';
    expect(await talk(dialogs, `fields ${DEVICE}`)).toEqual([{ kind: 'said', text }]);
    expect(audited).toEqual([]);
    late.resolve(NONE);
    await vi.waitFor(() => expect(audited).toMatchObject([{ outcome: 'no session', answeredAt: undefined }]));
  });

  it('has an audit line, and a number that stands in the answer if something is wrong', async () => {
    const { dialogs, audited } = stage();
    await answerTo(dialogs, `fields ${DEVICE}`);
    const line = { by: 'fields', person: 'alex', conversation: 'chat', asked: DEVICE, outcome: 'found' };
    expect(audited).toMatchObject([{ ...line, posted: 'nothing', answeredAt: expect.any(String) }]);
    const { text } = await answerTo(stage({ outcomes: { kind: 'busy' } }).dialogs, `fields ${DEVICE}`);
    expect(text.endsWith(`\n\n${REPORT}`)).toBe(true);
  });
});

function stage(script: Script = {}) {
  const { bot, audited, recent } = stageLookup({ outcomes: found(), now: Date.now, ...script });
  return { dialogs: [idleLookup(), createFields({ ...bot, remember: recent.note })], audited, recent };
}
