import { describe, expect, it } from 'vitest';
import type { DeviceOutcome } from '../../src/domain/outcome.ts';
import * as rules from '../../src/domain/watch.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const NODE = 'https://nac-1.example.com/';
const OTHER = 'https://nac-2.example.com/';

type Standing = rules.Standing;
type Device = { outcome: DeviceOutcome; said: string };
type TestWatch = rules.Watch<string, Device>;

const OUTCOMES = {
  away: { kind: 'no session' },
  held: { kind: 'found', tokens: [], text: '', record: { passed: false } },
  connected: { kind: 'found', tokens: [], text: '', record: { passed: true } },
} as const;

const deviceOf = (standing?: Standing, node = NODE): Device => {
  const outcome = standing ? { ...OUTCOMES[standing], node } : ({ kind: 'forbidden' } as const);
  return { outcome, said: String(standing) };
};

const join = (before: TestWatch | undefined, askers: string[], at: number, standing?: Standing) => {
  const request = { at, thread: 'noc', askers, first: deviceOf(standing) };
  return rules.applyRequest(before ? [before] : [], request)[0] as TestWatch;
};
const begun = (standing?: Standing) => join(undefined, ['alex'], 0, standing);

const answered = (before: TestWatch, at: number, standing?: Standing, node = NODE): TestWatch =>
  rules.takeAnswer(before, deviceOf(standing, node), at);

type Step = [afterSeconds: number, standing: Standing | undefined, node?: string | undefined];

/** Reads steps such as `60 away, 30 none, 60 away@2`, where the second address answers. */
function stepsIn(text: string): Step[] {
  return text.split(', ').map((step) => {
    const [, seconds, said, second] = /^(\d+) (\w+)(@2)?$/.exec(step) ?? [];
    return [Number(seconds), said === 'none' ? undefined : (said as Standing), second && OTHER];
  });
}

/** What a watch sends, with `end` behind its last change, when the NAC answers so long after one another. */
function sentBy(first: Standing | undefined, steps: readonly Step[]): string[] {
  const sent: string[] = [];
  let watch: TestWatch | undefined = begun(first);
  let now = 0;
  for (const [afterSeconds, standing, node] of steps) {
    now += afterSeconds * SECOND;
    if (watch === undefined) return sent;
    const after = answered(watch, now, standing, node);
    const { change, device } = after;
    if (change) sent.push(change.isLast ? `${device.said} end` : device.said);
    watch = change ? rules.afterMessage(after, true, now) : after;
  }
  return sent;
}

describe('a watch', () => {
  it.each<[what: string, first: Standing | undefined, steps: string, sent: string[]]>([
    ['connected at once', 'away', '60 connected', ['connected end']],
    ['connected, if it is the first answer', undefined, '60 connected', ['connected end']],
    ['nothing of another first answer', undefined, '60 held, 60 held', []],
    ['an end after two answers', 'connected', '60 away, 30 away', ['away end']],
    ['held after two answers', 'connected', '60 held, 30 held', ['held end']],
    ['nothing of two answers within 30 s', 'connected', '60 away, 29 away', []],
    ['nothing of a phone that roams', 'connected', '60 away, 20 connected, 30 away', []],
    ['nothing of two answers that differ', 'connected', '60 away, 30 held, 30 away', []],
    ['two answers around a failure', 'connected', '60 away, 60 none, 60 away', ['away end']],
    ['away to held once', 'away', '60 held, 30 held, 60 away, 30 away, 60 held, 30 held', ['held']],
    ['held, then connected', 'away', '60 held, 30 held, 60 connected', ['held', 'connected end']],
    ['nothing of held to away', 'held', '60 away, 30 away', []],
    ['held again after it was away', 'held', '60 away, 30 away, 60 held, 30 held', ['held']],
    ['nothing of no answers', 'connected', '60 none, 60 none', []],
    ['no "no session" of another address', 'connected', '60 away@2, 30 away@2, 60 away@2', []],
    ['it after ten minutes', 'connected', '60 away@2, 600 away@2, 30 away@2', ['away end']],
    ['a session at another address', 'away', '60 connected@2', ['connected end']],
    ['"no session" where it was found', 'connected', '60 connected@2, 60 away@2, 30 away@2', ['away end']],
  ])('sends %s', (_, first, steps, sent) => expect(sentBy(first, stepsIn(steps))).toEqual(sent));

  it('is due each minute for ten minutes, then every three, and at its end', () => {
    let watch = begun('away');
    const dues: number[] = [];
    while (watch.dueAt < 8 * HOUR) {
      dues.push(watch.dueAt);
      watch = answered(watch, watch.dueAt, 'away');
    }
    const pauses = dues.map((due, index) => (due - (dues[index - 1] ?? 0)) / MINUTE);
    expect(pauses.slice(0, 10)).toEqual(Array(10).fill(1));
    expect(new Set(pauses.slice(10))).toEqual(new Set([3]));
    expect(watch.dueAt).toBe(8 * HOUR);
    expect(rules.hasMessage(watch, 8 * HOUR - 1)).toBe(false);
    expect(rules.hasMessage(watch, 8 * HOUR)).toBe(true);
  });

  it('is due 30 s after a first answer, but as usual after a failure', () => {
    const doubted = answered(begun('connected'), MINUTE, 'away');
    expect(doubted.dueAt).toBe(90 * SECOND);
    expect(answered(doubted, 90 * SECOND).dueAt).toBe(150 * SECOND);
  });

  it('is joined with its state, and renewed', () => {
    const askers = ['alex', 'megan'];
    const joined = join(begun('away'), askers, HOUR, 'held');
    expect(joined).toMatchObject({ askers, device: { said: 'away' }, since: HOUR, dueAt: MINUTE });
  });

  it('that ended during a join begins again for the one who joins', () => {
    expect(join(undefined, ['alex', 'megan'], HOUR)).toMatchObject({ askers: ['megan'] });
  });

  it.each([[[]], [['megan']]])('that a person stops is left with %j', (askers) => {
    const watches = [join(begun('away'), ['alex', 'megan'], 0)];
    const stop = (thread: string) => rules.applyRequest(watches, { at: 1, thread, askers });
    expect(stop('noc').map((each) => each.askers)).toEqual(askers.length > 0 ? [askers] : []);
    expect(stop('other')).toEqual(watches);
  });

  it('ends when its message was refused three times over an hour', () => {
    const first = answered(begun('away'), MINUTE, 'connected');
    const refusedAt = (all: readonly number[]) =>
      all.reduce<TestWatch | undefined>((watch, at) => watch && rules.afterMessage(watch, false, at), first);
    expect(refusedAt([MINUTE])?.dueAt).toBe(31 * MINUTE);
    expect(refusedAt([MINUTE, 31 * MINUTE])).toBeDefined();
    expect(refusedAt([MINUTE, 31 * MINUTE, 61 * MINUTE])).toBeUndefined();
  });
});

it.each([
  [{ kind: 'no session' } as const, 'away'],
  [{ kind: 'forbidden' } as const, undefined],
  [{ kind: 'fault', status: 500 } as const, undefined],
  [{ kind: 'busy' } as const, undefined],
])('the outcome %j stands for %s', (outcome, standing) =>
  expect(rules.standingOf({ outcome })).toBe(standing),
);

it('no session stands for nothing while the NAC sees nobody', () =>
  expect(rules.standingOf({ outcome: OUTCOMES.away, isNobodySeen: true })).toBeUndefined());

it.each<[object, Standing]>([
  [{ passed: true }, 'connected'],
  [{}, 'connected'],
  [{ passed: false }, 'held'],
  [{ passed: true, ended: {} }, 'away'],
  [{ passed: true, quarantine: {} }, 'held'],
  [{ passed: true, portal: 'web login' }, 'held'],
  [{ passed: true, compliance: 'not compliant' }, 'held'],
  [{ passed: true, ancPolicy: 'ANC_No_Access' }, 'held'],
  [{ passed: false, messageCode: '5434' }, 'held'],
])('the record %j stands for %s', (record, standing) =>
  expect(rules.standingOf({ outcome: { ...OUTCOMES.connected, record } })).toBe(standing),
);
