import { describe, expect, it } from 'vitest';
import { createSignIns } from '../../src/credentials/sign-ins.ts';

const MINUTE = 60_000;

describe('sign-ins', () => {
  it.each(['nac-bot', ' NAC-Bot ', 'CORP\\nac-bot', 'nac-bot@example.com', 'ｎａｃ-bot'])(
    "refuse the bot's own user name: %j",
    (username) => {
      expect(stage().signIns.begin('alex', username)).toEqual({ kind: 'own name' });
    },
  );

  it('let a refused user name rest, whoever types it, for 1 minute, doubling to 15', () => {
    const { signIns, clock } = stage();
    const rests: number[] = [];
    for (let round = 0; round < 6; round++) {
      expect(signIns.begin(`person ${round}`, 'alex')).toBeUndefined();
      signIns.end('alex', 'refused');
      const resting = signIns.begin('patti', 'CORP\\Alex');
      const until = resting?.kind === 'resting' ? resting.until : 0;
      rests.push((until - clock.now) / MINUTE);
      clock.now = until;
    }
    expect(rests).toEqual([1, 2, 4, 8, 15, 15]);
  });

  it('run one of a user name at a time', () => {
    const { signIns } = stage();
    expect(signIns.begin('alex', 'alex')).toBeUndefined();
    expect(signIns.begin('patti', 'alex')).toMatchObject({ kind: 'resting' });
    signIns.end('alex', 'accepted');
    expect(signIns.begin('patti', 'alex')).toBeUndefined();
  });

  it('give a person five tries in 15 minutes, whatever the user name', () => {
    const { signIns, clock } = stage();
    for (let index = 0; index < 5; index++) {
      expect(signIns.begin('alex', `user ${index}`)).toBeUndefined();
      signIns.end(`user ${index}`, 'refused');
    }
    expect(signIns.begin('alex', 'another')).toEqual({ kind: 'resting', until: 15 * MINUTE });
    clock.now += 15 * MINUTE;
    expect(signIns.begin('alex', 'another')).toBeUndefined();
  });

  it('keep every rest under a flood of other names: new names wait instead', () => {
    const { signIns, clock } = stage();
    signIns.begin('alex', 'alex');
    signIns.end('alex', 'refused');
    const flood = (count: number, from = 0) =>
      Array.from({ length: count }, (_, index) => `${from + index}`).filter((name) => {
        const isBegun = signIns.begin(name, name) === undefined;
        if (isBegun) signIns.end(name, 'refused');
        return isBegun;
      });
    expect(flood(10_200)).toHaveLength(9999);
    clock.now += 1;
    expect(signIns.begin('someone', 'alex')).toEqual({ kind: 'resting', until: MINUTE });
    clock.now += 15 * MINUTE; // Rests of a minute count for two, tries for 15.
    expect(flood(200, 20_000)).toHaveLength(200);
  });
});

function stage() {
  const clock = { now: 0 };
  return { clock, signIns: createSignIns(['nac-bot'], () => clock.now) };
}
