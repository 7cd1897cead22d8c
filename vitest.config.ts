import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    globalSetup: ['test/database-template.ts'],
    include: ['test/**/*.test.ts'],
    testTimeout: 60_000, // A machine busy with other things needs its time; a test that hangs ends nevertheless.
    hookTimeout: 60_000,
    restoreMocks: true,
    maxWorkers: 3, // Most of the time is spent waiting: for time-outs, for processes that start.
  },
});
