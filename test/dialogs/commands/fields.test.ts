import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { fieldsMessage } from '../../../dialogs/render/answer.ts';
import type { LookupOutcome } from '../../../src/domain/outcome.ts';
import { readFields } from '../../../src/nac/reading/session.ts';
import { sessionXml } from '../../../src/sandbox/session-xml.ts';
import { only, TEXT, transcriptOf } from '../../replies.ts';
import { startBot } from '../../start-bot.ts';
import { buttonsOf, wordsOf } from '../cards.ts';
import { hostile, render } from '../hostile.ts';
import { answered, found, READER } from '../outcomes.ts';

const DEVICE = '00:1B:54:00:00:07';
const IP = '198.51.100.23';
const SESSION = sessionXml({ calling_station_id: DEVICE });

describe('fields', () => {
  it('shows every field, and a button that looks up again', async () => {
    const bot = await startBot({ nac: { [IP]: SESSION } });
    const text = await bot.ask(`fields ${IP}`, TEXT);
    expect(text).toContain(`\`${DEVICE}\` at \`${IP}\`: All fields from the NAC.\n\n`);
    expect(text).toContain('`identity_group`: `Workstation`  \n');
    expect(text).toContain('`EndPointMatchedProfile`: `Unknown`');
    const card = only((await bot.say(`fields ${IP}`)).replies);
    expect(card.activity.summary).toBe(`${DEVICE} at ${IP}: All fields from the NAC.`);
    expect(buttonsOf(card)).toEqual([{ title: 'Look up again', data: { dialog: 'lookup', text: IP } }]);
  });

  it.each([
    [200, 'x', 180],
    [80, '\u200b'.repeat(200), 74],
  ])('of %i fields shows what has room, and counts the others', (count, value, shown) => {
    const names = Array.from({ length: count }, (_, index) => [`field_${index}`, value]);
    const outcome = { ...found(), text: sessionXml(Object.fromEntries(names)) } as LookupOutcome;
    const { text, card } = fieldsMessage([answered(outcome, DEVICE)], READER);
    expect(text.split('\n\n')[1]?.split('\n')).toHaveLength(shown);
    for (const said of [text, wordsOf(card).at(-1)])
      expect(said).toMatch(/Fields that are left out here, because there are too many: \d+\.$/);
    expect(text.length).toBeLessThan(14_000);
  });

  it("shows no markup in the NAC's names and values", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(hostile, hostile), { maxLength: 4 }), (attributes) => {
        const other = attributes.map((attribute) => attribute.join('=')).join(':!:');
        const text = `<sessionParameters><other_attr_string><![CDATA[${other}]]></other_attr_string></sessionParameters>`;
        const answer = answered({ kind: 'found', tokens: [], record: {}, text }, DEVICE);
        const { markup, codeSpans } = render(fieldsMessage([answer], READER).text);
        expect(markup).toEqual([]);
        expect(codeSpans).toHaveLength(1 + 2 * readFields(text).length);
      }),
      { numRuns: 1000 },
    );
  });

  it.each([
    ['no session', undefined, /^`00:1B:54:00:00:07`: no session\./],
    ['a refusal, with its number', 403, /\n\nReport number \d{6}\. Tell it to the bot's operator\.$/],
  ])('answers like a lookup where there is %s', async (_, answer, text) => {
    const bot = await startBot({ nac: { [DEVICE]: answer } });
    expect(await bot.ask(`fields ${DEVICE}`, TEXT)).toMatch(text);
  });

  it('becomes a job at the end of its turn, and posts nothing', async () => {
    const late = Promise.withResolvers<string>();
    const bot = await startBot({ nac: { [DEVICE]: late.promise }, timing: { progressMs: 50, turnMs: 100 } });
    await bot.say(`fields ${DEVICE}`, TEXT);
    late.resolve(SESSION);
    await vi.waitFor(() => expect(transcriptOf(bot.replies).join()).toContain('All fields from the NAC.'));
    expect(bot.logged('audit')).toMatchObject([{ by: 'fields', outcome: 'found', posted: 'nothing' }]);
    expect(bot.posts()).toEqual([]);
  });
});
