import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    globalSetup: ['test/database-template.ts'],
    include: ['test/**/*.test.ts'],
    testTimeout: 20_000,
    hookTimeout: 30_000,
    restoreMocks: true,
    maxWorkers: 3, // Most of the time is spent waiting: for time-outs, for processes that start.
  },
});
