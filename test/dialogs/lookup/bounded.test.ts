import { describe, expect, it } from 'vitest';
import { formatFor } from '../../../dialogs/format/locale.ts';
import { bounded, sayTokensLeftOut } from '../../../dialogs/lookup/bounds.ts';

const format = formatFor({}, Date.now);

type Answer = Parameters<typeof sayTokensLeftOut>[0][number];
const device = (address: string, tokens?: readonly string[]): Answer => ({
  address,
  outcome: tokens ? { kind: 'found', tokens } : { kind: 'no session' },
});
const many = (count: number) => Array.from({ length: count }, (_, index) => `Token_number_${index}`);
const kept = (answers: readonly Answer[]) => answers.map(({ outcome }) => outcome.tokens?.length ?? 0);

describe('the tokens of one question', () => {
  it('stay as they are if there is room for all', () => {
    const answers = [device('one', many(30)), device('two'), device('three', many(2000))];
    expect(bounded(answers)).toEqual(answers);
    expect(sayTokensLeftOut(bounded(answers), format)).toEqual([]);
  });

  it('are left out where there are most, the last first, and counted', () => {
    const answers = bounded([
      device('big', many(50_000)),
      device('small', many(10)),
      device('other', many(50_000)),
    ]);
    const [big = 0, small, other = 0] = kept(answers);
    expect(small).toBe(10);
    expect(Math.abs(big - other)).toBeLessThan(2);
    expect(big).toBeGreaterThan(1300);
    expect(answers[0]?.outcome.tokens).toEqual(many(big));
    const left = format.number(100_000 - big - other);
    expect(sayTokensLeftOut(answers, format)).toEqual([
      `${left} tokens are left out here; \`fields big\` shows what the NAC says.`,
    ]);
  });

  it('take as much as chat shows of them', () => {
    const invisible = Array.from({ length: 2000 }, (_, index) => `_${index}${'\u3164'.repeat(100)}`);
    const [all = 0] = kept(bounded([device('one', invisible)]));
    expect(all).toBeGreaterThan(60);
    expect(all).toBeLessThan(80);
  });

  it('are counted though they are left out twice: when one device has answered, and when all have', () => {
    const once = ['one', 'two'].flatMap((address) => bounded([device(address, many(50_000))]));
    const twice = bounded(once);
    const [one = 0, two = 0] = kept(twice);
    expect(one + two).toBeLessThan(4000);
    expect(twice.map(({ tokensLeftOut }) => tokensLeftOut)).toEqual([50_000 - one, 50_000 - two]);
  });

  it('are left out if one alone would fill a post', () => {
    const answers = bounded([device('one', ['Short_token', `long_${'x'.repeat(5000)}`])]);
    expect(kept(answers)).toEqual([1]);
    expect(sayTokensLeftOut(answers, format, String)).toEqual([
      '1 token is left out here; fields one shows what the NAC says.',
    ]);
  });
});
