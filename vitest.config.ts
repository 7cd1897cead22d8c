import { defineConfig } from 'vitest/config';
import type { Reporter } from 'vitest/node';

/** Everything that tests call is on this machine, also where a developer needs a proxy. */
const NO_PROXIES = Object.fromEntries(
  ['HTTPS_PROXY', 'HTTP_PROXY', 'NO_PROXY', 'https_proxy', 'http_proxy', 'no_proxy'].map((name) => [
    name,
    '',
  ]),
);

const shared = {
  env: NO_PROXIES,
  testTimeout: 60_000, // A machine busy with other things needs its time; a test that hangs ends nevertheless.
  hookTimeout: 60_000,
  expect: { poll: { timeout: 10_000 } },
  retry: process.env.CI ? 1 : 0, // A busy machine may miss a time once.
  restoreMocks: true,
  unstubEnvs: true,
  isolate: false, // Loading a bot takes seconds, so files share what is loaded, and the run starts few processes.
};

/** Names each test that passed only when it was tried again, so that none of them hides. */
const flakyTests: Reporter = {
  onTestCaseResult(test) {
    if (test.diagnostic()?.flaky) process.stderr.write(`FLAKY, passed when tried again: ${test.fullName}\n`);
  },
};

const STAGES = ['test/app.test.ts', 'test/e2e/**/*.test.ts'];
const LONG = ['test/long/**/*.test.ts'];

export default defineConfig({
  test: {
    globalSetup: 'test/store/one-postgres.ts',
    reporters: ['default', flakyTests],
    maxWorkers: 4, // Most of the time is spent waiting: for time-outs, for processes that start.
    projects: [
      { test: { ...shared, name: 'stage', include: STAGES } },
      {
        test: {
          ...shared,
          name: 'rooms',
          include: ['test/**/*.test.ts'],
          exclude: ['**/node_modules/**', ...STAGES, ...LONG],
        },
      },
      // `npm run test:long`: one at a time, because they measure.
      { test: { ...shared, name: 'long', include: LONG, fileParallelism: false, isolate: true } },
    ],
  },
});
