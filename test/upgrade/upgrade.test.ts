import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openEmbedded } from '../../src/store/embedded.ts';
import type { DatabaseSettings } from '../../src/store/connection.ts';
import { ENGINES, type Engine } from '../store/engines.ts';
import { runIn } from '../store/postgres.ts';
import { INCIDENT, JOBS, openAsBot, PLACE, peopleOf, QUEUES } from './kept.ts';

const FIXTURES = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.sql'));

describe.each(ENGINES)('the database of an earlier release in %s', (_name, start) => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await start();
  });
  afterAll(() => engine.close());

  it.each(FIXTURES)(
    'of %s is taken over: each job is worked, and everything else is there',
    async (fixture) => {
      const settings = await engine.database();
      await load(settings, await readFile(join(import.meta.dirname, fixture), 'utf8'));
      const worked: Array<[string, string, object]> = [];
      const { store, queues, threads, incidents, autoreplies, welcomes } = await openAsBot(
        settings,
        async (queue, key, data) => {
          worked.push([queue, key, data]);
          return { kind: 'done' };
        },
      );

      const everyJob = QUEUES.flatMap((queue) => [
        [queue, 'under way', JOBS[queue]], // After the heartbeat of a process that is no more.
        [queue, 'waits', JOBS[queue]],
      ]);
      await vi.waitFor(() => expect(worked.toSorted()).toEqual(everyJob.toSorted()), 40_000);
      for (const queue of Object.values(queues)) expect(await queue.count()).toEqual({ waiting: 0, dead: 1 });
      expect(await queues.post.listDead(9)).toMatchObject([{ data: JOBS.post }]);
      expect(await queues.alert.retryDead((data) => data)).toBe(1);
      await vi.waitFor(() => expect(worked).toContainEqual(['alert', 'dead', JOBS.alert]), 10_000);
      expect(await queues.lookup.has('noted')).toBe(true);
      expect(await queues.lookup.put('noted', JOBS.lookup)).toBe('known');

      expect(await threads.names()).toEqual(['night']);
      expect(await threads.find('night')).toEqual(PLACE);
      expect(await autoreplies.isOn('19:auto')).toBe(true);
      expect(await welcomes.claim('19:welcome')).toBe(false);
      expect(await incidents.hold('incident', async ({ told }) => ({ told }))).toEqual({ told: INCIDENT });
      expect((await peopleOf(store).read('alex'))?.account.username).toBe('alex');
      await store.close(0);
    },
  );
});

async function load(settings: DatabaseSettings, sql: string): Promise<void> {
  if ('url' in settings) return runIn(settings.url.reveal(), sql);
  const { bossOptions, close } = await openEmbedded(settings.directory);
  await bossOptions.db?.executeSql('drop schema bot cascade; drop schema pgboss cascade'); // New files hold today's tables.
  await bossOptions.db?.executeSql(sql);
  await close();
}
