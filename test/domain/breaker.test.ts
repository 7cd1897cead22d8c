import { describe, expect, it } from 'vitest';
import { admit, type Breaker, type CallHealth, CLOSED, end } from '../../src/domain/breaker.ts';

/** The state after calls one by one, each `asker device health`. A call that is paused is not made. */
function stateAfter(calls: readonly string[], at = 0, from: Breaker = CLOSED): Breaker {
  return calls.reduce((before, call) => {
    const [asker = '', device = '', health] = call.split(' ');
    const [state, admission] = admit(before, asker, at);
    if (admission.kind === 'paused') return state;
    return end(state, admission, { asker, device, health: health as CallHealth }, at);
  }, from);
}

const admission = (state: Breaker, asker: string, at: number) => admit(state, asker, at)[1];
const times = (count: number, call: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => call(index));
const failed = (count: number) => times(count, (n) => `${n % 2 ? 'bob' : 'ann'} ${n} failed`);
const UNREACHABLE = times(5, () => 'ann a unreachable');
const ALONE = stateAfter(times(5, (n) => `ann ${n} failed`));

it.each<[string, string[]]>([
  ['five calls find no connection, all of one asker about one device', UNREACHABLE],
  ['five devices of two askers get no answer', failed(5)],
  ['three devices get no answer, and two calls no connection', [...failed(3), ...UNREACHABLE.slice(3)]],
])('everybody is paused for 5 s when %s', (_, calls) => {
  const paused = { kind: 'paused', until: 5000, isForAll: true };
  for (const asker of ['ann', 'eve']) expect(admission(stateAfter(calls), asker, 4999)).toEqual(paused);
});

it.each<[string, string[]]>([
  ['four calls find no connection', UNREACHABLE.slice(1)],
  ['many ask for one silent device again and again', times(50, (n) => `person${n % 7} a failed`)],
  ['two devices get no answer, of several askers', times(50, (n) => `person${n % 7} ${n % 2} failed`)],
  ['an answer comes between', [...UNREACHABLE.slice(1), 'bob b answered', ...UNREACHABLE.slice(1)]],
])('everybody is paused for 5 s but not when %s', (_, calls) =>
  expect(admission(stateAfter(calls), 'eve', 0).kind).toBe('go'),
);

it('an asker is paused alone when five devices get no answer', () => {
  expect(admission(ALONE, 'ann', 0)).toEqual({ kind: 'paused', until: 5000, isForAll: false });
  expect(admission(ALONE, 'bob', 0).kind).toBe('go');
  expect(admission(stateAfter(times(20, () => 'ann a failed')), 'ann', 0).kind).toBe('go');
});

it("an asker's pause ends with an answer, and is all's with a failure", () => {
  expect(stateAfter(['bob b answered'], 0, ALONE)).toEqual(CLOSED);
  expect(admission(stateAfter(['bob 9 failed'], 0, ALONE), 'eve', 0)).toMatchObject({ isForAll: true });
});

it('an asker who is paused alone does not probe for everybody', () => {
  const both = stateAfter(Array(5).fill('bob b unreachable'), 0, ALONE);
  expect(admission(both, 'ann', 4999)).toMatchObject({ kind: 'paused', isForAll: false });
  expect(admission(both, 'bob', 5000)).toEqual({ kind: 'probe', of: undefined });
});

describe.each([
  [undefined, stateAfter(UNREACHABLE), 'unreachable'],
  ['ann', ALONE, 'failed'],
] as const)('after a pause of %s', (of, paused, health) => {
  const [probing, probe] = admit(paused, 'ann', 5000);

  it('one call goes alone', () => {
    expect(probe).toEqual({ kind: 'probe', of });
    expect(admission(probing, 'ann', 5000)).toMatchObject({ kind: 'paused', until: 10_000 });
  });

  it('each call that fails doubles the pause, up to 300 s', () => {
    let [state, at] = [paused, 5000];
    for (const seconds of [10, 20, 40, 80, 160, 300, 300]) {
      state = stateAfter([`ann new${at} ${health}`], at, state);
      expect(admission(state, 'ann', at)).toMatchObject({ until: at + seconds * 1000 });
      at += seconds * 1000;
    }
  });

  it('the next call goes if the one is about a device that failed before', () => {
    const failure = { asker: 'ann', device: '0', health: 'failed' as const };
    const known = { ...paused, failures: [...paused.failures, failure] };
    const probed = stateAfter(['ann 0 failed'], 5000, known);
    expect(admission(probed, 'ann', 5000)).toEqual({ kind: 'probe', of });
  });

  it('an answer ends it, and the next pause takes 5 s again', () => {
    const open = stateAfter(['ann z answered'], 5000, paused);
    expect(admission(open, 'ann', 5000).kind).toBe('go');
    const again = stateAfter(UNREACHABLE, 6000, open);
    expect(admission(again, 'ann', 6000)).toMatchObject({ until: 11_000 });
  });

  it("an earlier call's failure does not count, its answer ends the pause", () => {
    const [, late] = admit(CLOSED, 'ann', 0);
    if (late.kind === 'paused' || probe.kind === 'paused') throw new Error('both may go');
    const failure = { asker: 'ann', device: 'late', health: 'unreachable' as const };
    expect(end(paused, late, failure, 5000)).toBe(paused);
    const answered = end(probing, late, { ...failure, health: 'answered' }, 5000);
    expect(answered).toMatchObject({ failures: [], pauses: new Map() });
    expect(end(answered, probe, failure, 5000).failures).toHaveLength(1);
  });
});

it('a breaker keeps a bounded number of failures', () =>
  expect(stateAfter(times(1000, (n) => `person${n} ${n % 2} failed`)).failures).toHaveLength(100));
