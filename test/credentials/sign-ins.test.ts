import { describe, expect, it } from 'vitest';
import { SignIns } from '../../src/credentials/lockout.ts';
import type { Judgement } from '../../src/domain/lockout.ts';
import { timeOf } from '../time-of.ts';

const MINUTE = 60_000;

/** Spellings of `svc-nac` that a directory may take for the same account. */
const SPELLINGS = [
  ...['svc-nac', ' SVC-Nac ', 'svc-nác', 'svc-na\u0301c', 'ｓｖｃ－ｎａｃ', 'ſvc-nac', 'svc-n\u24d0c'],
  ...['svc\u2010nac', 'svc\u2011nac', 'svc–nac', 'svc−nac'],
  ...['svc\u200b-nac', 'svc\u00ad-nac', 's\ufeffvc-nac', '\u202esvc-nac', 'svc-nac\u3164', 'svc-nac\u0000'],
  ...['CORP\\svc-nac', 'corp/svc-nac', 'corp／svc-nac', '.\\svc-nac', 'CORP\\ svc-nac', 'svc-nac/'],
  ...['svc-nac@corp', 'svc-nac＠corp.example', 'svc-nac@', 'corp\\svc-nac@corp', 'svc-nac @corp'],
  ...['svc-nac.', 'svc-nac..', 'svc-nac. ', 'svc-nac․', 'svc-nac.@corp', 'CORP\\svc\u200b-nác.'],
];

describe('sign-ins', () => {
  it.each(SPELLINGS)("refuse the bot's own user name: %j", (username) =>
    expect(openSignIns().begin('alex', username)).toEqual({ kind: 'own name' }),
  );

  it.each(['weiss', 'Weiß', 'WEISS', 'weıss'])('refuse it however its case is folded: %j', (username) =>
    expect(new SignIns(['weiß'], () => 0).begin('alex', username)).toEqual({ kind: 'own name' }),
  );

  it.each(['svc-nac2', 'svc', 'svc.nac', 'svc-nac@x\\alex', 'svc-nac\\alex'])(
    'try another user name: %j',
    (username) => expect(openSignIns().begin('alex', username)).toBeUndefined(),
  );

  it.each(['.', ' ', '@', '\\', '/', 'a.', '\u0301', '\u200b', '.\n'])('need no time for many %j', (text) => {
    const username = `${text.repeat(100_000)}x`;
    expect(timeOf(() => openSignIns().begin('alex', username))).toBeLessThan(200);
  });

  it('let a refused user name rest for 1 minute, doubling to 15', () => {
    const { begin, end, clock } = openSignIns();
    for (const minutes of [1, 2, 4, 8, 15, 15]) {
      expect(begin(`person ${clock.now}`, 'alex')).toBeUndefined();
      end('alex', 'refused');
      const until = clock.now + minutes * MINUTE;
      expect(begin('patti', 'CORP\\Alex')).toEqual({ kind: 'resting', until });
      clock.now = until;
    }
  });

  it('run one of a user name at a time', () => {
    const { begin, end } = openSignIns();
    expect(begin('alex', 'alex')).toBeUndefined();
    expect(begin('patti', 'alex')).toMatchObject({ kind: 'resting' });
    end('alex', 'accepted');
    expect(begin('patti', 'alex')).toBeUndefined();
  });

  it('give a person five tries in 15 minutes, whatever the user name', () => {
    const { begin, clock } = openSignIns();
    for (let index = 0; index < 5; index++) expect(begin('alex', `user ${index}`)).toBeUndefined();
    expect(begin('alex', 'another')).toEqual({ kind: 'resting', until: clock.now + 15 * MINUTE });
    clock.now += 15 * MINUTE;
    expect(begin('alex', 'another')).toBeUndefined();
  });
});

function openSignIns() {
  const clock = { now: 1_000_000_000 };
  const signIns = new SignIns(['SVC-nac'], () => clock.now);
  const begin = (person: string, username: string) => signIns.begin(person, username);
  const end = (username: string, verdict: Judgement) => signIns.end(username, verdict);
  return { clock, begin, end };
}
