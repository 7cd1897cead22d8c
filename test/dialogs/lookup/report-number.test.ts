import { expect, it } from 'vitest';
import { reportNumber } from '../../../dialogs/lookup/report.ts';

/** Computed once; it must not change between releases, because jobs outlive them. */
const NUMBER = 568_996;

it('the number of a lookup has six digits, and is the same in every process', () => {
  expect(reportNumber('["chat","1"]')).toBe(NUMBER);
  const numbers = Array.from({ length: 1000 }, (_, index) => reportNumber(`["chat","${index}"]`));
  expect(numbers.every((each) => each >= 100_000 && each <= 999_999)).toBe(true);
  expect(new Set(numbers).size).toBeGreaterThan(990);
});
