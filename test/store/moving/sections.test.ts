import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { findUnknown } from '../../../src/store/moving/export.ts';
import { BOSS_SCHEMA, LEFT_OUT, SECTION_NAMES, SECTIONS } from '../../../src/store/moving/sections.ts';
import { ENGINES, opened, openStore } from '../engines.ts';

it('every table and column of schema bot is exported, or left out with a reason', async () => {
  const [, startServer] = ENGINES[1] ?? [];
  const engine = await startServer?.();
  if (engine === undefined) throw new Error('there is no server');
  const store = await openStore(await engine.database());
  await opened(store);
  const columns = await store.query<{ name: string }>(
    `select table_name || '.' || column_name as name from information_schema.columns where table_schema = 'bot'`,
  );
  const names = columns.map(({ name }) => name);
  expect(findUnknown(names)).toEqual([]);
  expect(findUnknown([...names, 'thread.colour', 'later.id'])).toEqual(['thread.colour', 'later.id']);
  const tables = names.flatMap((name) => [name, ...name.split('.', 1)]);
  expect(Object.keys(LEFT_OUT).filter((name) => !tables.includes(name))).toEqual([]);
  await store.close(0);
  await engine.close();
});

it('pg-boss has the schema whose table `job` is exported; if not, read its changes, then change BOSS_SCHEMA', async () => {
  const file = fileURLToPath(new URL('../package.json', import.meta.resolve('pg-boss')));
  expect(JSON.parse(await readFile(file, 'utf8')).pgboss.schema).toBe(BOSS_SCHEMA);
});

it('version 1 of the format has these tables and columns; if they change, so must the version', () => {
  expect(
    SECTION_NAMES.map((table) => `${table}: ${Object.keys(SECTIONS[table].row.shape).join(' ')}`),
  ).toEqual([
    'thread: name place at',
    'autoreply: conversation',
    'welcome: conversation at',
    'personal_chat: person place',
    'incident: id data at',
    'sealed_credential: owner sealed until',
    'job: queue id data created_on start_after deaths',
    'job_key: id data at',
  ]);
});
