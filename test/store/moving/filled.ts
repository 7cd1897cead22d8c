import { vi } from 'vitest';
import { z } from 'zod';
import { createAutoreplies } from '../../../src/store/tables.ts';
import type { DatabaseSettings } from '../../../src/store/connection.ts';
import { createIncidents } from '../../../src/store/incidents.ts';
import { createStoredChats } from '../../../src/store/tables.ts';
import { createQueue, type Queue } from '../../../src/store/queues.ts';
import { createSealedCredentials } from '../../../src/store/tables.ts';
import type { Store } from '../../../src/store/store.ts';
import { createThreads } from '../../../src/store/tables.ts';
import { createWelcomes } from '../../../src/store/tables.ts';
import type { JobOutcome } from '../../../src/store/workers.ts';
import { opened, openStore } from '../engines.ts';

export const SEALED = Uint8Array.from({ length: 256 }, (_, index) => index);

const PLACE = { reference: { conversation: { id: '19:ü"\\\u2028\n' } }, big: 1e21 };

const isPlace = (data: unknown) => data as typeof PLACE;

type Data = { n: number };

/** Everything that a bot keeps, in the words of those who read it; none of it but jobs ever changes by itself. */
export async function contentOf(store: Store, queue: Queue<Data>): Promise<unknown> {
  const threads = createThreads(store, isPlace);
  const incidents = createIncidents(store, isPlace, fail);
  return {
    names: await threads.names(),
    night: await threads.find('night'),
    autoreply: await createAutoreplies(store).isOn('19:auto'),
    personal: await createStoredChats(store, isPlace).find('29:alex'),
    isWelcome: await createWelcomes(store).claim('19:welcome'),
    incident: await incidents.hold('incident', async ({ told }) => ({ told })),
    sealed: Uint8Array.from((await createSealedCredentials(store).read("o'neill")) ?? []),
    counts: await queue.count(),
    dead: await queue.listDead(10),
    found: await Promise.all(['waits', 'works', 'noted', 'done'].map((key) => queue.find(key))),
    progress: await Promise.all(['waits', 'works', 'noted', 'done'].map((key) => queue.progress(key))),
  };
}

/** A queue, and the keys in the order in which its worker took them. Its job `works` never ends, `dies` is given up. */
export async function openQueue(database: DatabaseSettings) {
  const worked: string[] = [];
  const never = new Promise<JobOutcome<Data>>(() => {});
  const store = await openStore(database, async (boss) => [
    await queue.start(boss, {
      async work(_data, key) {
        worked.push(key);
        if (key === 'works') return never;
        return key === 'dies' ? { kind: 'dead', reason: 'it dies' } : { kind: 'done' };
      },
      onDead: async () => {},
    }),
  ]);
  const queue = createQueue<Data>(store, {
    name: 'lookup',
    schema: z.object({ n: z.number() }),
    onError: fail,
  });
  await opened(store);
  return { store, queue, worked };
}

/** Fills a database with a row of each kind, and leaves it as a killed process does: with an active job. */
export async function fill(database: DatabaseSettings): Promise<void> {
  const { store, queue } = await openQueue(database);
  const threads = createThreads(store, isPlace);
  await threads.save('night', PLACE);
  await threads.save('day', PLACE);
  await createAutoreplies(store).turnOn('19:auto');
  await createWelcomes(store).claim('19:welcome');
  await createStoredChats(store, isPlace).save('29:alex', PLACE);
  await createIncidents(store, isPlace, fail).hold('incident', async ({ save }) => ({
    saved: await save(PLACE),
  }));
  const sealed = createSealedCredentials(store);
  await sealed.write("o'neill", SEALED, Date.now() + 3_600_000);
  await queue.note('noted', { n: 1 });
  await queue.put('waits', { n: 2 }, 3_600_000);
  for (const [index, key] of ['works', 'dies', 'done'].entries()) await queue.put(key, { n: index });
  await vi.waitFor(async () => {
    const rows = await store.query<{ found: string }>(
      `select name || ' ' || state as found from pgboss.job where completed_on is null order by 1`,
    );
    const found = rows.map((row) => row.found);
    const wanted = ['lookup active', 'lookup created', 'lookup-dead created'];
    if (wanted.join() !== found.join()) throw new Error(found.join());
  }, 10_000);
  await store.close(0);
  const again = await openStore(database);
  await opened(again);
  // The close gave the active job back; a killed process leaves it.
  await again.query(
    `update pgboss.job set state = 'active', started_on = now(), heartbeat_on = now(), retry_count = 2
     where data->>'key' = 'works'`,
  );
  await again.query(
    `insert into bot.sealed_credential (owner, sealed, until) values ('old', '\\x00', now() - interval '1 hour')`,
  );
  await again.close(0);
}

function fail(error: unknown): never {
  throw error;
}
