import { describe, expect, it } from 'vitest';
import {
  type Admission,
  admit,
  type Breaker,
  begin,
  type CallEnd,
  CLOSED,
  EVERYBODY,
  end,
  endCall,
  type Health,
  UNTRIED,
} from '../../src/domain/breaker.ts';

/** Asks one after the other. Each call is `asker subject health`; a call that is paused is not made. */
function stateAfter(calls: readonly string[], at = 0, from: Breaker = CLOSED): Breaker {
  return calls.reduce((state, call) => {
    const [asker = '', subject = '', health] = call.split(' ');
    return make(state, { asker, subject, health: (health || undefined) as Health | undefined, at });
  }, from);
}

type Call = { asker: string; subject: string; health: Health | undefined; at: number };

function make(state: Breaker, { at, ...call }: Call): Breaker {
  const admission = admit(state, call.asker, at);
  if (admission.kind === 'paused') return state;
  const begun = begin(state, admission);
  return end(begun, { ...call, at, admission, openings: begun.openings });
}

const times = (count: number, call: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => call(index));
const ailing = (count: number) => times(count, (n) => `${n % 2 ? 'bob' : 'ann'} ${n} ailing`);
const DOWNS = times(5, () => 'ann a down');
const ALONE = stateAfter(times(5, (n) => `ann ${n} ailing`));
const GO: Admission = { kind: 'go' };

describe('everybody is paused for 5 s', () => {
  it.each<[string, string[]]>([
    ['five calls find no connection, all of one asker about one device', DOWNS],
    ['five devices of two askers get no answer', ailing(5)],
    ['three devices get no answer, and two calls no connection', [...ailing(3), ...DOWNS.slice(3)]],
  ])('when %s', (_, calls) => {
    const state = stateAfter(calls);
    for (const asker of ['ann', 'bob', 'eve'])
      expect(admit(state, asker, 4999)).toEqual({ kind: 'paused', until: 5000, isForAll: true });
  });

  it.each<[string, string[]]>([
    ['four calls find no connection', DOWNS.slice(1)],
    ['one silent device is asked for again and again, by many', times(50, (n) => `person${n % 7} a ailing`)],
    ['two devices get no answer, whoever asks', times(50, (n) => `person${n % 7} ${n % 2} ailing`)],
    ['an answer comes between', [...DOWNS.slice(1), 'bob b well', ...DOWNS.slice(1)]],
    ['calls throw', times(9, (n) => `ann ${n} `)],
  ])('but not when %s', (_, calls) => expect(admit(stateAfter(calls), 'eve', 0)).toEqual(GO));
});

describe('an asker is paused alone', () => {
  it('when five devices that nobody else asks for get no answer', () => {
    expect(admit(ALONE, 'ann', 0)).toEqual({ kind: 'paused', until: 5000, isForAll: false });
    expect(admit(ALONE, 'bob', 0)).toEqual(GO);
  });

  it('but not for one silent device', () =>
    expect(admit(stateAfter(times(20, () => 'ann a ailing')), 'ann', 0)).toEqual(GO));

  it('until an answer comes to anyone', () =>
    expect(stateAfter(['bob b well'], 0, ALONE)).toEqual({ ...CLOSED, openings: 1 }));

  it('and does not try for everybody', () => {
    const both = stateAfter(Array(5).fill('bob b down'), 0, ALONE);
    expect(admit(both, 'ann', 4999)).toMatchObject({ kind: 'paused', isForAll: false });
    expect(admit(both, 'bob', 5000)).toEqual({ kind: 'probe', of: EVERYBODY });
  });
});

describe.each([
  [EVERYBODY, stateAfter(DOWNS), 'down'],
  ['ann', ALONE, 'ailing'],
] as const)('after a pause of %s', (of, paused, health) => {
  const probing = begin(paused, { kind: 'probe', of });

  it('one call goes alone', () => {
    expect(admit(paused, 'ann', 5000)).toEqual({ kind: 'probe', of });
    expect(admit(probing, 'ann', 5000)).toMatchObject({ kind: 'paused', until: 10_000 });
  });

  it('each call that fails doubles the pause, up to 300 s', () => {
    let state: Breaker = paused;
    const pauses = times(8, String).map((subject) => {
      const { ms = 0, until = 0 } = state.pauses.get(of) ?? {};
      state = make(state, { asker: 'ann', subject: `new ${subject}`, health, at: until });
      return ms / 1000;
    });
    expect(pauses).toEqual([5, 10, 20, 40, 80, 160, 300, 300]);
  });

  it.each<[string, string]>([
    ['threw', 'ann new '],
    ['is about a device that failed before', 'ann 0 ailing'],
  ])('the next call goes if the one %s', (_, call) => {
    const failure = { asker: 'ann', subject: '0', health: 'ailing' as const };
    const known = { ...paused, failures: [...paused.failures, failure] };
    expect(admit(stateAfter([call], 5000, known), 'ann', 5000)).toEqual({ kind: 'probe', of });
  });

  it('an answer ends it, and the next pause takes 5 s again', () => {
    const open = stateAfter(['ann z well'], 5000, paused);
    expect(admit(open, 'ann', 5000)).toEqual(GO);
    const again = stateAfter(Array(5).fill('ann a down'), 6000, open);
    expect(admit(again, 'ann', 6000)).toMatchObject({ until: 11_000 });
  });

  it('calls that began before it do not count when they fail, and end it when they are answered', () => {
    const late = { asker: 'ann', subject: 'late', at: 4000, admission: GO, openings: 0 };
    expect(end(paused, { ...late, health: 'down' })).toBe(paused);
    expect(end(paused, { ...late, health: 'well' })).toMatchObject({ failures: [], pauses: new Map() });
  });
});

it('remembers a bounded number of failures', () => {
  const { failures } = stateAfter(times(1000, (n) => `person${n} ${n % 2} ailing`));
  expect(failures.length).toBeLessThanOrEqual(100);
});

const HOUR = 3_600_000;
const after = (ends: string) =>
  ends.split(', ').reduce((call, end, at) => endCall(call, end as CallEnd, at), UNTRIED);

it.each([
  ['failed, failed, failed', HOUR + 2],
  ['not known', HOUR],
  ['failed, not known', HOUR + 1],
  ['failed, failed', Number.NEGATIVE_INFINITY],
  ['failed, failed, well, failed, failed', Number.NEGATIVE_INFINITY],
])('an optional call that ends %s is off until %d', (ends, offUntil) =>
  expect(after(ends).offUntil).toBe(offUntil),
);

it('calls that began before the hour do not count in it, and after it three may fail again', () => {
  const off = after('not known');
  expect(endCall(off, 'failed', 1)).toBe(off);
  const twice = endCall(endCall(off, 'failed', HOUR), 'failed', HOUR);
  expect(twice.offUntil).toBe(HOUR);
  expect(endCall(twice, 'failed', HOUR).offUntil).toBe(2 * HOUR);
});
