import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { skipTest } from '../skip-test.ts';

const NEWEST = '26';
const VITEST = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');

/** Runs Node's newest release, which npm keeps outside the project. Rejects with what was printed unless it exits with 0. */
function runNewest(...args: string[]) {
  const name = `node-${process.platform}-${process.arch}@${NEWEST}`;
  const npm = ['exec', '--yes', `--package=${name}`, '--', 'node', ...args];
  return promisify(execFile)('npm', npm, { maxBuffer: 100e6 });
}

it(`npm test's tests pass on Node ${NEWEST}`, { timeout: 15 * 60_000 }, async () => {
  const newest = await runNewest('--version').catch(({ stderr }: { stderr: string }) =>
    // Its binary needs libatomic, which a bare Debian lacks.
    skipTest(`Node ${NEWEST} does not run here: ${stderr}`),
  );
  expect(newest.stdout).toMatch(/^v26\./);
  const { stdout } = await runNewest(VITEST, 'run', '--project', 'stage', '--project', 'rooms');
  expect(stdout).toMatch(/ Tests .* passed/);
});
