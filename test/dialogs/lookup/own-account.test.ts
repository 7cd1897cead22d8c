import { describe, expect, it } from 'vitest';
import type { LookupOutcome } from '../../../src/domain/outcome.ts';
import { wordsOf } from '../card-words.ts';
import { found, stageLookup } from '../commands/lookup-stage.ts';

const [ONE, OTHER] = ['00:1B:54:00:00:07', '00:1B:54:00:00:08'];
const own = (outcome: LookupOutcome) => ({ ...outcome, account: 'person' }) as LookupOutcome;

describe("an answer under the person's own account says so", () => {
  it('behind the verdict and the place on a lock screen, behind the address in the card', async () => {
    const { summary, text, card } = await stageLookup({ outcomes: own(found()) }).answer(ONE);
    expect(summary?.split('\n')[0]).toBe(
      `connected. alex, 198.51.100.23, sw-floor2-17, GigabitEthernet1/0/15, ${ONE} · own account`,
    );
    expect(text.split('  \n')[0]).toBe(`\`${ONE}\`: connected · own account.`);
    expect(wordsOf(card).slice(0, 2)).toEqual(['Connected', `${ONE} · own account`]);
  });

  it('without a session too', async () => {
    const { text } = await stageLookup({ outcomes: own({ kind: 'no session' }) }).answer(ONE);
    expect(text).toMatch(/: no session · own account\. The NAC knows of no current session\./);
  });

  it('once at the end for several devices, and in no row', async () => {
    const outcomes = { [ONE]: own(found()), [OTHER]: own({ kind: 'no session' }) };
    const { text, summary, card } = await stageLookup({ outcomes }).answer(`${ONE} ${OTHER}`);
    for (const words of [text, summary, wordsOf(card).join('\n')])
      expect(words?.split('own account')).toHaveLength(2);
    expect(summary?.endsWith('\nAsked under your own account.')).toBe(true);
  });

  it('in its own row if others of the same message were not', async () => {
    const outcomes = { [ONE]: own(found()), [OTHER]: { kind: 'no session' } as const };
    const { text, card } = await stageLookup({ outcomes }).answer(`${ONE} ${OTHER}`);
    expect(text).toContain(`\`${ONE}\`: connected · own account. `);
    expect(text.split('own account')).toHaveLength(2);
    expect(wordsOf(card)).toContain(`${ONE} connected · own account ›`);
  });

  it("and that it was the bot's account, in the first lines, if own accounts cannot be read", async () => {
    const standIn = { ...found(), account: 'stand-in' } as LookupOutcome;
    const WHOSE = /bot's account, because .*own.* cannot be read now/;
    const one = await stageLookup({ outcomes: standIn }).answer(ONE);
    const several = await stageLookup({ outcomes: standIn }).answer(`${ONE} ${OTHER}`);
    for (const { text, summary = '', card } of [one, several])
      for (const words of [text.split('\n'), summary.split('\n'), wordsOf(card)]) {
        expect(words.slice(0, 3).join('\n')).toMatch(WHOSE);
        expect(words.join('\n').split('cannot be read')).toHaveLength(2);
      }
  });

  it("and one under the bot's account does not", async () => {
    const { text, card } = await stageLookup({ outcomes: found() }).answer(ONE);
    expect(text + wordsOf(card).join()).not.toContain('own account');
  });

  it('but the post to the room does not', async () => {
    const stage = stageLookup({ outcomes: own(found()) });
    await stage.answer(ONE);
    expect(JSON.stringify(stage.posts)).not.toContain('own account');
  });
});
