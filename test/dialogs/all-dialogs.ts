import { createRecentLookups } from '../../dialogs/commands/recent.ts';
import { createDialogs } from '../../dialogs/conversations.ts';
import type { Dialog } from '../../dialogs/dialog.ts';
import type { AllKeptJobs, KeptJobs } from '../../dialogs/lookup/kept-jobs.ts';
import type { Vault } from '../../src/credentials/vault.ts';
import { createHealth } from '../../src/ops/health.ts';

/** All of the bot's dialogs with this lookup, for tests of the choice. The other dialogs have nothing behind them. */
export function allDialogs(lookup: Dialog): readonly Dialog[] {
  const never = () => Promise.reject(new Error('not asked here'));
  const vault: Vault = {
    apiKey: async () => ({ kind: 'not configured' }),
    ticket: async () => ({ kind: 'not configured' }),
    basic: async () => ({ kind: 'not connected' }),
    connect: never,
    dropRefused: never,
    disconnect: never,
  };
  return createDialogs({
    lookup,
    fields: {
      lookUp: never,
      audit: () => {},
      limits: { take: () => 0 },
      turnMs: 8000,
      nacLink: undefined,
      now: () => 0,
      onError: () => {},
    },
    recent: createRecentLookups(),
    status: {
      vault,
      tls: {},
      databaseTls: 'none needed',
      seen: createHealth(Date.now).seen,
      database: () => 'ok',
      nacRestsUntil: async () => undefined,
      nacPausedUntil: () => undefined,
      kept: noKeptJobs(),
      onError: () => {},
      signIn: false,
    },
    connect: { vault, proof: undefined, nacHost: 'nac.example.com', ttlHours: 8, now: () => 0 },
    kept: noKeptJobs(),
    alerts: {
      areAlertsOn: true,
      publicUrl: undefined,
      threads: { save: never, find: never, names: async () => [], remove: never },
      acceptAlert: never,
      sayLater: never,
      now: () => 0,
    },
    autoreplies: { turnOn: never, turnOff: never, isOn: async () => false },
  });
}

/** Queues without jobs, but for those given. */
export function noKeptJobs(changes: Partial<AllKeptJobs> = {}): AllKeptJobs {
  const none: KeptJobs = {
    count: async () => ({ waiting: 0, dead: 0 }),
    listDead: async () => [],
    retryDead: async () => 0,
    dropDead: async () => 0,
  };
  return { Posts: none, Lookups: none, Answers: none, Alerts: none, ...changes };
}
