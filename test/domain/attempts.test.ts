import { describe, expect, it } from 'vitest';
import { readAttempts } from '../../src/domain/attempts.ts';
import { attemptsXml } from '../../src/sandbox/session-xml.ts';

const MAC = 'AA:BB:CC:DD:EE:FF';

describe('the attempts of a device', () => {
  it('are read in their order, with when, why, who and where', () => {
    const begun = Date.now();
    const attempts = readAttempts(
      attemptsXml(MAC, [
        { passed: false, minutesAgo: 5, user_name: 'alex', failure_reason: '22040 Wrong &amp; old password' },
        { passed: true, minutesAgo: 60, selected_azn_profiles: 'Corp_Access' },
      ]),
    );
    expect(attempts).toMatchObject([
      { passed: false, failureReason: '22040 Wrong & old password', user: 'alex' },
      { passed: true, authorizationProfiles: 'Corp_Access', networkDevice: 'sw-floor2-17' },
    ]);
    expect(attempts[0]?.port).toBe('GigabitEthernet1/0/15');
    expect(attempts[0]?.at).toBeGreaterThan(begun - 5 * 60_000 - 1000);
    expect(attempts[0]?.at).toBeLessThanOrEqual(Date.now() - 5 * 60_000);
  });

  it.each([
    ['<passed>1</passed><failed>0</failed>', [true]],
    ['<passed>0</passed>', [false]],
    ['<failed>true</failed>', [false]],
    ['<failed xmlns:xs="x" xs:type="y">false</failed>', [true]],
    ['<passed>perhaps</passed>', []],
    ['', []],
  ])('passed or failed in each form of the NAC: %s', (flags, passed) => {
    expect(readAttempts(list(flags)).map((each) => each.passed)).toEqual(passed);
  });

  it.each([
    ['2026-04-29T11:00:00.000+03:00', Date.UTC(2026, 3, 29, 8)],
    ['2012-05-08T05:42:21.409Z', Date.UTC(2012, 4, 8, 5, 42, 21, 409)],
    ['yesterday', undefined],
  ])('were at %s', (time, at) => {
    expect(readAttempts(list(`<passed>true</passed><acs_timestamp>${time}</acs_timestamp>`))[0]?.at).toBe(at);
  });

  it('have no failure reason if they passed', () => {
    expect(readAttempts(list('<passed>true</passed><failure_reason>x</failure_reason>'))).toMatchObject([
      { failureReason: undefined },
    ]);
  });

  it.each([
    ['an empty list', attemptsXml(MAC, [])],
    ['an empty list of the device', '<authStatusOutputList><authStatusList key="x"/></authStatusOutputList>'],
    ['nothing', ''],
  ])('are none in %s', (_, xml) => {
    expect(readAttempts(xml)).toEqual([]);
  });

  it('are at most twenty, however many the NAC sends', () => {
    expect(readAttempts(list('<passed>true</passed>').repeat(50))).toHaveLength(20);
  });

  it('are read up to the next one if one does not end', () => {
    const open = '<authStatusElements><passed>true</passed><user_name>';
    expect(readAttempts(`${open}a</user_name>${open}b</user_name>`).map(({ user }) => user)).toEqual([
      'a',
      'b',
    ]);
  });
});

function list(elements: string): string {
  return `<authStatusOutputList><authStatusList key="${MAC}"><authStatusElements>${elements}</authStatusElements></authStatusList></authStatusOutputList>`;
}
