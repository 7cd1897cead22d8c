import { describe, expect, it } from 'vitest';
import { reportNumber } from '../../../dialogs/lookup/report.ts';
import type { LookupOutcome } from '../../../src/domain/outcome.ts';
import type { Delivery } from '../../../src/webhook/posts.ts';
import { DOWN, found, NOT_POSTED, POSTED, REPORT, stageLookup } from '../commands/lookup-stage.ts';
import { own } from '../outcomes.ts';
import { PLACE } from '../talk.ts';

const ONE = '00:1B:54:00:00:01';
const OTHER = '00:1B:54:00:00:02';
const NUMBER = reportNumber('message-1');
const AT = '2026-01-15T14:05:00.000Z';
const MANY = Array.from({ length: 10_000 }, (_, index) => `Token_${index}:`).join('');
const LATER: Delivery = { outcome: { kind: 'waiting' }, partly: false, kept: true };

describe('the audit of a lookup', () => {
  it('has a line for each device with who asked what, where, when, and what came of it', async () => {
    const stage = stageLookup({ outcomes: { [ONE]: found() } });
    await stage.ask(`${ONE} ${OTHER} FF:FF:FF:FF:FF:FF`);
    const who = { number: NUMBER, by: 'message', person: 'alex', conversation: 'chat', account: 'service' };
    const same = { ...who, askedAt: AT, answeredAt: AT };
    const [one, other] = [ONE, OTHER].map((asked) => ({ ...same, asked, address: asked }));
    expect(stage.audited).toEqual([
      { ...one, outcome: 'found', verdict: 'connected', tokens: 2, posted: 'yes' },
      { ...other, outcome: 'no session', verdict: 'no session', tokens: 0, posted: 'nothing' },
    ]);
  });

  it.each<[string, LookupOutcome, object, Delivery?]>([
    ['a post that waits', found(), { posted: 'later' }, LATER],
    ['a post that was refused', found(), { posted: 'no' }, NOT_POSTED],
    ["a refusal of a person's account", { kind: 'refused', whose: 'person' }, { account: 'own' }],
    ["a session under a person's account", own(found()), { account: 'own' }],
    ["a refusal of the bot's account", { kind: 'forbidden', whose: 'service' }, { account: 'service' }],
    ['no answer', DOWN, { account: undefined }],
    ['tokens that have no place in the answer', found({ response: MANY }), { tokens: 10_002 }],
  ])('counts and names %s', async (_, outcomes, line, delivery = POSTED) => {
    const stage = stageLookup({ outcomes, delivery, put: async () => 'full' });
    await stage.ask(ONE);
    expect(stage.audited).toMatchObject([line]);
  });

  it('says that a targeted question was private, and names the channel without the thread', async () => {
    const conversation = { id: '19:noc@thread.tacv2;messageid=7' };
    const reference = { ...PLACE.reference, conversation, bot: { id: 'bot', isTargeted: true } };
    const stage = stageLookup();
    await stage.begin(ONE, { place: { reference } }).ended;
    expect(stage.audited).toMatchObject([{ private: true, conversation: '19:noc@thread.tacv2' }]);
  });

  it('of a device that is asked for again waits until the last answer, under the same number', async () => {
    const stage = stageLookup({ outcomes: { [ONE]: DOWN, [OTHER]: found() } });
    const resume = (ageMs = 0) =>
      Promise.all(stage.jobs.map(({ job, key }) => stage.resume(job, key, ageMs)));
    await stage.ask(`${ONE} ${OTHER}`);
    expect(stage.audited).toMatchObject([{ asked: OTHER }]);
    await resume();
    expect(stage.audited).toHaveLength(1);
    await resume(600_000);
    const line = { number: NUMBER, asked: ONE, outcome: 'unreachable', askedAt: AT };
    expect(stage.audited.slice(1)).toMatchObject([line]);
    expect(stage.later).toMatchObject([{ text: expect.stringMatching(new RegExp(`\n\n${REPORT}$`)) }]);
  });
});

it('the number stands once for several devices, in text, notification and card', async () => {
  const { text, summary, card } = await stageLookup({ outcomes: { kind: 'busy' } }).answer(`${ONE} ${OTHER}`);
  for (const said of [text, summary, JSON.stringify(card)]) expect(said?.split(REPORT)).toHaveLength(2);
});

/** Computed once: jobs outlive a release. */
it('the number of a lookup has six digits, and is the same in every process', () => {
  expect(reportNumber('["chat","1"]')).toBe(568_996);
  const numbers = Array.from({ length: 1000 }, (_, index) => reportNumber(`["chat","${index}"]`));
  expect(numbers.every((each) => each >= 100_000 && each <= 999_999)).toBe(true);
  expect(new Set(numbers).size).toBeGreaterThan(990);
});
