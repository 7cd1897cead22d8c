import type { PgBoss } from 'pg-boss';
import type { Secret } from '../text/secret.ts';
import { within } from './closed.ts';
import type { Contact } from './contact.ts';
import { startSweeping } from './done-jobs.ts';
import { startWaking } from './due-jobs.ts';
import { type Backend, openEmbedded } from './embedded.ts';
import { migrate } from './migrations.ts';
import type { Query } from './sql.ts';
import type { Workers } from './workers.ts';

/** A server by its address, or the folder of the embedded database. */
export type DatabaseSettings = { url: Secret } | { directory: string };

/** The queues' engine (pg-boss) on an open database with this project's own tables. */
export type Engine = {
  boss: PgBoss;
  /** Takes no more jobs, and lets those under way end for at most `withinMs`. A further call joins the first. */
  endJobs(withinMs: number): Promise<void>;
  /** Lets running jobs end for at most `withinMs`, then closes. */
  close(withinMs: number): Promise<void>;
};

export type EngineOptions = {
  /** Receives every database error; none is thrown where nobody could catch it. */
  onError(error: unknown): void;
  /** Called once, when the engine runs. Starts the workers, and returns them. */
  onOpen(boss: PgBoss): Promise<readonly Workers[]>;
  contact: Contact;
};

/** When the pool gives up a connection that hangs. Longer than a call waits, because creating the tables takes longer. */
const CONNECTION_HANGS_MS = 10_000;

const WAIT_FOR_CLOSING_MS = 1000;

/**
 * Opens the database. pg-boss and its drivers are loaded here, so that no lookup waits for them.
 * @param signal ends the embedded database, open or not
 */
export async function openEngine(
  database: DatabaseSettings,
  { onError, onOpen, contact }: EngineOptions,
  signal: AbortSignal,
): Promise<Engine> {
  const { bossOptions, close } = await openBackend(database, signal);
  const { PgBoss } = await import('pg-boss');
  const boss = new PgBoss({
    ...bossOptions,
    application_name: 'nac-lookup-bot',
    schedule: false,
    superviseIntervalSeconds: 3,
    monitorIntervalSeconds: 3,
    maintenanceIntervalSeconds: 60,
  });
  boss.on('error', onError);
  const query: Query = async (sql, values = []) => (await boss.getDb().executeSql(sql, [...values])).rows;
  let workers: readonly Workers[];
  try {
    await boss.start();
    await migrate(query);
    workers = await onOpen(boss);
  } catch (error) {
    // The next try must find nothing left of this try.
    await boss.stop({ graceful: false }).catch(onError);
    await close();
    throw error;
  }
  // A sweep may take long; a look each second tells whether the database answers.
  const sweeping = startSweeping({ query, hasAutovacuum: 'url' in database, onError });
  const waking = startWaking({
    workers,
    query: (sql, values) => contact.callInTime(() => query(sql, values)),
    onError,
  });
  let ending: Promise<unknown> | undefined;
  async function endJobs(withinMs: number): Promise<void> {
    ending ??= Promise.all([sweeping.stop(), ...workers.map((each) => each.stop(withinMs))]);
    await ending;
  }
  return {
    boss,
    endJobs,
    async close(withinMs) {
      const idle = Promise.all([waking.stop(), endJobs(withinMs)]).then(() => boss.stop({ graceful: false }));
      await within(withinMs + WAIT_FOR_CLOSING_MS, idle, 'the database could not be closed').catch(onError);
      await close();
    },
  };
}

async function openBackend(database: DatabaseSettings, signal: AbortSignal): Promise<Backend> {
  if ('directory' in database) return openEmbedded(database.directory, signal);
  return { bossOptions: poolOptions(database.url), close: async () => {} };
}

/** pg-boss hands these options to its `pg.Pool`; its own types do not name all of them. */
function poolOptions(url: Secret) {
  return {
    connectionString: url.reveal(),
    max: 10,
    connectionTimeoutMillis: CONNECTION_HANGS_MS,
    query_timeout: CONNECTION_HANGS_MS,
  };
}
