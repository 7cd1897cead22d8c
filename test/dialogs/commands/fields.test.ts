import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { fieldsMessage } from '../../../dialogs/commands/fields.ts';
import { readFields } from '../../../src/nac/reading/texts.ts';
import { sessionXml } from '../../../src/sandbox/session-xml.ts';
import { linesOf, only } from '../../replies.ts';
import { startBot } from '../../start-bot.ts';
import { buttonsOf } from '../cards.ts';
import { hostile, render } from '../hostile.ts';
import { answered, READER } from '../outcomes.ts';

const DEVICE = '00:1B:54:00:00:07';
const IP = '198.51.100.23';
const TEXT = { channelId: 'sms' };
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

  it('says how many fields have no room', async () => {
    const names = Array.from({ length: 80 }, (_, index) => `field_${index}`);
    const fields = Object.fromEntries(names.map((name) => [name, '\u200b'.repeat(200)]));
    const bot = await startBot({ nac: { [DEVICE]: sessionXml(fields) } });
    const text = await bot.ask(`fields ${DEVICE}`, TEXT);
    const card = only((await bot.say(`fields ${DEVICE}`)).replies);
    for (const shown of [text, linesOf(card).at(-1)])
      expect(shown).toMatch(/Fields that are left out here, because there are too many: \d+\.$/);
    expect(text.length).toBeLessThan(14_000);
  });

  it('shows a hundred fields at most', async () => {
    const fields = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`field_${index}`, 'x']));
    const bot = await startBot({ nac: { [DEVICE]: sessionXml(fields) } });
    const text = await bot.ask(`fields ${DEVICE}`, TEXT);
    expect(text.split('\n\n')[1]?.split('\n')).toHaveLength(100);
    expect(text).toMatch(/there are too many: 1\d\d\.$/);
  });

  it('is what "again" means next', async () => {
    const bot = await startBot({ nac: { [DEVICE]: SESSION } });
    await bot.say(`fields ${DEVICE}`);
    expect(await bot.ask('again')).toMatch(new RegExp(`^connected\\. .*${DEVICE}$`, 'm'));
  });

  it("shows no markup in the NAC's names and values", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(hostile, hostile), { maxLength: 4 }), (attributes) => {
        const other = attributes.map((attribute) => attribute.join('=')).join(':!:');
        const text = `<sessionParameters><other_attr_string><![CDATA[${other}]]></other_attr_string></sessionParameters>`;
        const answer = answered({ kind: 'found', tokens: [], record: {}, text }, DEVICE);
        const { markup, codeSpans } = render(fieldsMessage([answer], 1, READER).text);
        expect(markup).toEqual([]);
        expect(codeSpans).toHaveLength(1 + 2 * readFields(text).length);
      }),
      { numRuns: 1000 },
    );
  });

  it.each([
    ['no session', undefined, /^`00:1B:54:00:00:07`: no session\./],
    ['no answer', 0, /the NAC could not be reached/],
    ['a refusal, with its number', 403, /\n\nReport number \d{6}\. Tell it to the bot's operator\.$/],
  ])('answers like a lookup where there is %s', async (_, answer, text) => {
    const bot = await startBot({ nac: { [DEVICE]: answer } });
    expect(await bot.ask(`fields ${DEVICE}`, TEXT)).toMatch(text);
  });

  it('keeps to the addresses of a minute', async () => {
    const bot = await startBot({ nac: {} });
    for (let count = 0; count < 30; count++) await bot.say(`fields ${DEVICE}`);
    expect(await bot.ask(`fields ${DEVICE}`)).toMatch(/^That is more than I answer in a minute/);
    expect(bot.calls).toHaveLength(30);
  });

  it('answers within its turn; a late answer is audited without its time', async () => {
    const late = Promise.withResolvers<undefined>();
    const bot = await startBot({ nac: { [DEVICE]: late.promise }, timing: { turnMs: 50 } });
    const text = 'The NAC has not answered yet. Please try again in a moment.';
    expect(await bot.ask(`fields ${DEVICE}`)).toBe(text);
    expect(bot.logged('audit')).toEqual([]);
    late.resolve(undefined);
    await vi.waitFor(() => expect(bot.logged('audit')).toMatchObject([{ outcome: 'no session' }]));
    expect(bot.logged('audit')[0]).not.toHaveProperty('answeredAt');
  });
});
