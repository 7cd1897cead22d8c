import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getConstructionPlans } from 'pg-boss';
import type { Database } from '../../src/database.ts';
import { migrate } from '../../src/store/migrations.ts';
import type { Query } from '../../src/store/sql.ts';
import { Secret } from '../../src/text/secret.ts';
import { FOREVER, INCIDENT, JOBS, openAsBot, PLACE, peopleOf, QUEUES } from './kept.ts';

const WAITS_MS = 3_600_000;

/**
 * Writes the database of the present release as SQL: the schemas as this release makes them, with a row of each kind, and in
 * each queue a job that waits, one under way and a dead one. Run it before the first change after a release.
 */
const root = new URL('../../', import.meta.url);
const { version } = JSON.parse(await readFile(new URL('package.json', root), 'utf8'));
const folder = await mkdtemp(join(tmpdir(), 'fixture-'));
const database = await openAsBot({ directory: folder }, async (_queue, key) => {
  if (key === 'dead') return { kind: 'dead', reason: 'it was given up' };
  return new Promise(() => {}); // Under way when the rows are read.
});
await fill(database);
const sql = [getConstructionPlans(), ...(await migrations()), ...(await rowsOf(database.store.query))];
await writeFile(
  new URL(`test/upgrade/${version}.sql`, root),
  sql.map((each) => `${each.trim().replace(/;?$/, ';')}\n`).join(''),
);
await database.store.close(0);
await rm(folder, { recursive: true });

async function fill({ store, queues, threads, incidents, autoreplies, welcomes }: Database): Promise<void> {
  await threads.save('night', PLACE);
  await autoreplies.turnOn('19:auto');
  await welcomes.claim('19:welcome');
  await incidents.hold('incident', async ({ save }) => ({ saved: await save(INCIDENT) }));
  const account = { username: 'alex', password: new Secret('alex-password') };
  await peopleOf(store).write('alex', { account, since: 0, until: FOREVER.getTime(), issued: {} });
  await queues.lookup.note('noted', JOBS.lookup);
  for (const key of ['dead', 'under way']) {
    await queues.lookup.put(key, JOBS.lookup);
    await queues.post.put(key, JOBS.post);
    await queues.reply.put(key, JOBS.reply);
    await queues.alert.put(key, JOBS.alert);
  }
  await queues.lookup.put('waits', JOBS.lookup, WAITS_MS);
  await queues.post.put('waits', JOBS.post, WAITS_MS);
  await queues.reply.put('waits', JOBS.reply, WAITS_MS);
  await queues.alert.put('waits', JOBS.alert, WAITS_MS);
  const isReady = `select from pgboss.job having count(*) filter (where state = 'active') = ${QUEUES.length}
    and count(*) filter (where name like '%-dead') = ${QUEUES.length}
    and count(*) filter (where state = 'completed') = ${QUEUES.length}`;
  while ((await store.query(isReady)).length === 0); // The workers settle their jobs meanwhile.
}

/** The statements that make our own tables. */
async function migrations(): Promise<string[]> {
  const statements: string[] = [];
  await migrate(async (statement) => {
    statements.push(statement);
    return [];
  });
  return statements;
}

/** The rows as statements. What waits is due, and what would be over when the fixture is read has a later end. */
async function rowsOf(query: Query): Promise<string[]> {
  const tables = await query<{ name: string }>(
    `select 'bot.' || table_name as name from information_schema.tables
     where table_schema = 'bot' and table_name <> 'migration' order by 1`,
  );
  const deadFirst = { name: 'pgboss.queue order by dead_letter nulls first' };
  const statements: string[] = [];
  for (const { name } of [deadFirst, { name: 'pgboss.job order by name, id' }, ...tables]) {
    const [table] = name.split(' ', 1);
    const rows = await query<{ statement: string }>(
      `select format('insert into ${table} select * from jsonb_populate_record(null::${table}, %L)', (
         select jsonb_object_agg(key, case
           when key in ('until', 'at', 'keep_until') then to_jsonb($1::text)
           when key = 'start_after' then to_jsonb(kept)->'created_on'
           else value end)
         from jsonb_each(to_jsonb(kept)) where value <> 'null')) as statement
       from (select * from ${name}) kept`,
      [FOREVER.toISOString()],
    );
    statements.push(...rows.map(({ statement }) => statement));
  }
  return statements;
}
