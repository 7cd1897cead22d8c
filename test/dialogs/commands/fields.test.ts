import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { createFields } from '../../../dialogs/commands/fields.ts';
import type { LookupOutcome } from '../../../src/domain/outcome.ts';
import { readFields } from '../../../src/domain/record.ts';
import { TIMING } from '../../../src/domain/timing.ts';
import type { AuditEntry } from '../../../src/ops/log.ts';
import { idleLookup, services } from '../all-dialogs.ts';
import { wordsOf } from '../cards.ts';
import { hostile, render } from '../hostile.ts';
import { answerTo, talk } from '../talk.ts';
import { DOWN, found } from './lookup-stage.ts';

const DEVICE = '00:1B:54:00:00:07';
const IP = '198.51.100.23';

describe('fields', () => {
  it('shows every field under its own name, and buttons under the card', async () => {
    const asked: string[] = [];
    const outcome = found({ calling_station_id: DEVICE });
    const message = await answerTo(stage({ asked, outcome }), `fields ${IP}`);
    expect(asked).toEqual([IP]);
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
    const { text, card } = await answerTo(stage({ outcome: found(fields) }), `fields ${DEVICE}`);
    for (const said of [text, wordsOf(card).at(-1)])
      expect(said).toMatch(/Fields that are left out here, because there are too many: \d+\.$/);
    expect(text.length).toBeLessThan(14_000);
  });

  it("shows no markup in the NAC's names and values", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(hostile, hostile), { maxLength: 4 }), async (attributes) => {
        const said = attributes.map((attribute) => attribute.join('=')).join(':!:');
        const text = `<sessionParameters><other_attr_string><![CDATA[${said}]]></other_attr_string></sessionParameters>`;
        const outcome = { kind: 'found', tokens: [], record: {}, text } as const;
        const { markup, codeSpans } = render((await answerTo(stage({ outcome }), `fields ${DEVICE}`)).text);
        expect(markup).toEqual([]);
        expect(codeSpans).toHaveLength(1 + 2 * readFields(text).length);
      }),
      { numRuns: 1000 },
    );
  });

  it.each<[LookupOutcome, RegExp]>([
    [{ kind: 'no session' }, /^`00:1B:54:00:00:07`: no session\./],
    [DOWN, /the NAC could not be reached/],
  ])('answers like a lookup if there is no session: %j', async (outcome, text) => {
    expect((await answerTo(stage({ outcome }), `fields ${DEVICE}`)).text).toMatch(text);
  });

  it.each([
    ['fields', 'Which device?'],
    [
      `fields ${DEVICE}`,
      'That is more than I answer in a minute (30 addresses or 120 messages). Please try again in 13 s.',
    ],
  ])('asks nobody about no address, or one too many for a minute: "%s"', async (typed, words) => {
    const asked: string[] = [];
    expect((await answerTo(stage({ asked, waitMs: 12_400 }), typed)).text).toContain(words);
    expect(asked).toEqual([]);
  });

  it('answers before its turn ends; a late answer has an audit line without its time', async () => {
    const audited: AuditEntry[] = [];
    const late = Promise.withResolvers<LookupOutcome>();
    expect(await talk(stage({ audited, turnMs: 10, outcome: late.promise }), `fields ${DEVICE}`)).toEqual([
      { kind: 'said', text: 'The NAC has not answered yet. Please try again in a moment.' },
    ]);
    expect(audited).toEqual([]);
    late.resolve({ kind: 'no session' });
    await vi.waitFor(() => expect(audited).toMatchObject([{ outcome: 'no session', answeredAt: undefined }]));
  });

  it('has an audit line, and a number that stands in the answer if something is wrong', async () => {
    const audited: AuditEntry[] = [];
    await answerTo(stage({ audited }), `fields ${DEVICE}`);
    const line = { by: 'fields', person: 'alex', conversation: 'chat', asked: DEVICE, outcome: 'found' };
    expect(audited).toMatchObject([{ ...line, posted: 'nothing' }]);
    const { text } = await answerTo(stage({ audited, outcome: { kind: 'busy' } }), `fields ${DEVICE}`);
    expect(text).toMatch(
      new RegExp(`\n\nReport number ${audited[1]?.number}\\. Tell it to whoever runs the bot\\.$`),
    );
  });
});

type Script = {
  outcome?: LookupOutcome | Promise<LookupOutcome>;
  asked?: string[];
  waitMs?: number;
  turnMs?: number;
  audited?: AuditEntry[];
};

function stage({ outcome = found(), asked = [], waitMs = 0, turnMs = 8000, audited = [] }: Script = {}) {
  const bot = services({
    async lookUp(address) {
      asked.push(address);
      return outcome;
    },
    audit: (entry) => void audited.push(entry),
    limits: { ...services().limits, take: () => waitMs },
    timing: { ...TIMING, turnMs },
  });
  return [idleLookup(), createFields(bot)];
}
