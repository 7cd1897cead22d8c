import { TestRunner } from 'vitest';

/** Skips the running test, in its hooks too. If `CI` is set, throws instead, so that nobody overlooks the skipped test. */
export function skipTest(reason: string): never {
  const test = TestRunner.getCurrentTest();
  if (process.env.CI || test === undefined) throw new Error(reason);
  return test.context.skip(reason);
}
