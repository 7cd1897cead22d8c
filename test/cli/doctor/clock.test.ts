import { expect, it } from 'vitest';
import { aheadOf } from '../../../src/cli/doctor/watch.ts';
import { answer, closedUrl, serve } from '../../serve.ts';
import { GOOD } from '../../settings.ts';
import { diagnose, newFolder } from './diagnose.ts';

/** Runs the doctor with systems whose clocks are `seconds` ahead of this machine's. */
async function clockWith(seconds: number) {
  const url = await serve((_, response) => {
    const date = new Date(Date.now() + seconds * 1000).toUTCString();
    answer(response, 403, { date }, '');
  });
  const { rows } = await diagnose({ ...GOOD, NAC_URL: url, WEBHOOK_URL: url, DATA_DIR: newFolder() });
  return rows.clock;
}

it.each([
  [0, 'works', 'agrees with that of the NAC'],
  [3, 'works', 'agrees'],
  [30, 'warning', /(29|30) s behind that of the NAC/],
  [-30, 'warning', /(29|30) s ahead of that of the NAC/],
  [90, 'FAILS', /(89|90) s behind .* so that tokens get refused/],
  [-3600, 'FAILS', /(3599|3600) s ahead of .* so that tokens get refused/],
])('a system whose clock is %s s ahead: %s', async (seconds, state, what) => {
  const clock = await clockWith(seconds);
  expect(clock).toMatchObject({ state, what: expect.stringMatching(what) });
  if (state !== 'works') expect(clock?.next).toContain('NTP');
});

it('a clock that nobody compares is not judged', async () => {
  const url = await closedUrl();
  const { rows } = await diagnose({ ...GOOD, NAC_URL: url, WEBHOOK_URL: url, DATA_DIR: newFolder() });
  expect(rows.clock?.state).toBe('skipped');
});

it('a Date is a whole second, of any moment of the call, and older in an answer from a cache', () => {
  const date = 'Thu, 01 Jan 2026 00:00:10 GMT';
  const at = (seconds: number) => Date.UTC(2026, 0, 1) + seconds * 1000;
  expect(aheadOf({ date }, at(10.9), at(11))).toBe(0);
  expect(aheadOf({ date }, at(5), at(30))).toBe(0);
  expect(aheadOf({ date }, at(72), at(73))).toBe(61_001);
  expect(aheadOf({ date }, at(1), at(4))).toBe(-6000);
  expect(aheadOf({ date, age: '60' }, at(70), at(71))).toBe(0);
  expect(aheadOf({ date: 'canary' }, at(70), at(71))).toBeUndefined();
  expect(aheadOf({}, at(70), at(71))).toBeUndefined();
});
