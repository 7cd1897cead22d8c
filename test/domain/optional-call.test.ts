import { expect, it } from 'vitest';
import { type CallEnd, endCall, UNTRIED } from '../../src/domain/optional-call.ts';

const HOUR = 3_600_000;
const after = (...ends: CallEnd[]) => ends.reduce((call, end, at) => endCall(call, end, at), UNTRIED);

it.each<[ends: CallEnd[], offUntil: number]>([
  [['failed', 'failed', 'failed'], HOUR + 2],
  [['not known'], HOUR],
  [['failed', 'not known'], HOUR + 1],
  [['failed', 'failed'], Number.NEGATIVE_INFINITY],
  [['failed', 'failed', 'well', 'failed', 'failed'], Number.NEGATIVE_INFINITY],
])('an optional call that ends %j is off until %d', (ends, offUntil) => {
  expect(after(...ends).offUntil).toBe(offUntil);
});

it('calls that began before the hour do not count in it, and after it three may fail again', () => {
  const off = after('not known');
  expect(endCall(off, 'failed', 1)).toBe(off);
  const twice = ['failed', 'failed'].reduce((call, end) => endCall(call, end as CallEnd, HOUR), off);
  expect(twice.offUntil).toBe(HOUR);
  expect(endCall(twice, 'failed', HOUR).offUntil).toBe(2 * HOUR);
});
