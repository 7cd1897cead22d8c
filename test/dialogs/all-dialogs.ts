import { createLookup } from '../../dialogs/commands/lookup.ts';
import type { AllKeptJobs, KeptJobs } from '../../dialogs/commands/posts.ts';
import { createDialogs } from '../../dialogs/conversations.ts';
import type { Dialog, Services } from '../../dialogs/dialog.ts';
import { createReaders } from '../../dialogs/format/words.ts';
import { createRecentLookups } from '../../dialogs/lookup/told.ts';
import { Secret } from '../../src/domain/secret.ts';
import { TIMING } from '../../src/domain/timing.ts';
import { createHealth } from '../../src/ops/health.ts';

const never = () => Promise.reject(new Error('not asked here'));

/** Services with nothing behind them, but for those given. */
export function services({
  nacLink,
  ...changes
}: Partial<Services> & { nacLink?: string | undefined } = {}): Services {
  const { now = Date.now } = changes;
  return {
    lookUp: never,
    room: { post: never },
    sayLater: never,
    threads: { save: never, find: async () => undefined, names: async () => [], remove: never },
    vault: {
      apiKey: async () => ({ kind: 'not configured' }),
      ticket: async () => ({ kind: 'not configured' }),
      basic: async () => ({ kind: 'not connected' }),
      service: () => new Secret('Basic nobody'),
      connect: never,
      dropRefused: never,
      disconnect: never,
    },
    limits: { takeMessage: () => 0, take: () => 0, waitFor: () => 0, takeAlert: () => 0 },
    audit: () => {},
    readerOf: createReaders({ now, nacLink }),
    now,
    timing: TIMING,
    onError(error) {
      throw error;
    },
    ...changes,
  };
}

/** A lookup dialog for tests in which it must not ask the NAC. */
export function idleLookup(): Dialog {
  const kept = {
    keepForLater: never,
    handOver: never,
    answerIn: never,
    goOn: async () => {},
    isEnded: () => false,
    end: async () => {},
  };
  return createLookup({ ...services(), kept, report: never, recent: createRecentLookups() });
}

/** What `status` asks of systems in which nothing is wrong. */
const IDLE_SYSTEMS = {
  databaseTls: 'none needed' as const,
  database: () => 'ok',
  nacRestsUntil: () => undefined,
  nacPausedUntil: () => undefined,
  seesNobody: () => false,
  signIn: false,
};

/** All of the bot's dialogs with this lookup, for tests of the choice. The other dialogs have nothing behind them. */
export function allDialogs(lookup = idleLookup()): readonly Dialog[] {
  return createDialogs({
    ...services(),
    lookup,
    recent: createRecentLookups(),
    kept: noKeptJobs(),
    acceptAlert: never,
    autoreplies: { add: never, remove: never, find: async () => undefined },
    ...IDLE_SYSTEMS,
    tls: {},
    seen: createHealth(Date.now).seen,
    proof: undefined,
    nacHost: 'nac.example.com',
    ttlHours: 8,
    areAlertsOn: true,
    publicUrl: undefined,
  });
}

function noKeptJobs(): AllKeptJobs {
  const none: KeptJobs = {
    count: async () => ({ waiting: 0, dead: 0 }),
    listDead: async () => [],
    retryDead: async () => 0,
    dropDead: async () => 0,
  };
  return { Posts: none, Lookups: none, Answers: none, Alerts: none };
}
