import { lookup } from 'node:dns/promises';
import { TestRunner } from 'vitest';

const printed = new Set<string>();

/** Skips the running test, in its hooks too. If `CI` is set, throws instead, so that nobody overlooks the skipped test. */
export function skipTest(reason: string): never {
  const test = TestRunner.getCurrentTest();
  if (process.env.CI || test === undefined) throw new Error(reason);
  if (!printed.has(reason)) process.stderr.write(`Tests are skipped: ${reason}\n`);
  printed.add(reason);
  return test.context.skip(reason);
}

/** Skips the running test where `localhost` has no address: debootstrap makes a Debian without /etc/hosts. */
export async function skipWithoutLocalhost(): Promise<void> {
  await lookup('localhost').catch((error) => skipTest(`localhost has no address here: ${error}`));
}
