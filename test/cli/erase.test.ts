import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { watchesIn, watchJobSchema } from '../../dialogs/watch/watches.ts';
import { erase as eraseCommand } from '../../src/cli/erase.ts';
import { Secret } from '../../src/domain/secret.ts';
import type { DatabaseSettings } from '../../src/store/dialect.ts';
import { JobQueue, type QueueName } from '../../src/store/queue.ts';
import { createRows } from '../../src/store/tables.ts';
import { newFolder, opened, openStore, type TestStore } from '../store/engines.ts';
import { newDatabase } from '../store/postgres.ts';

const ID = '5f2a1c9e-0000-4000-8000-00000000a1e0';
const CHAT_ID = '29:1canary_chat-id';
const NAME = 'Kim Canary';
const OWN_CHAT = 'a:1canary-own-chat';
const placeIn = (conversation: { id: string; conversationType: string }) => ({
  reference: { serviceUrl: 'x', user: { id: CHAT_ID, aadObjectId: ID, name: NAME }, conversation },
});
const PERSONAL = placeIn({ id: OWN_CHAT, conversationType: 'personal' });
const CHANNEL = placeIn({ id: '19:noc@thread.tacv2', conversationType: 'channel' });
/** What is sealed can hold the name by chance. */
const SEALED = 'c2VhbGVkkim canary';
const HOUR = 3_600_000;

const queueIn = <Data extends object | null = object>(
  store: TestStore,
  name: QueueName,
  schema: z.ZodType<Data> = z.looseObject({}) as never,
) => new JobQueue(store, { name, schema, leaseMs: 1000 });

/** Fills a database with all that names a person, and some rows that do not. */
async function fill(database: DatabaseSettings): Promise<TestStore> {
  const store = await opened(await openStore(database));
  await queueIn(store, 'lookup').put('lookup', { place: PERSONAL, person: ID }, HOUR);
  await queueIn(store, 'reply').put('reply', { place: CHANNEL, text: 'x' }, HOUR);
  await queueIn(store, 'post').put('own', { place: PERSONAL, text: 'tokens' }, HOUR);
  await queueIn(store, 'post').put('shared', { place: CHANNEL, text: `user: ${NAME}, Kim Canaryson` }, HOUR);
  await queueIn(store, 'post').put('done', { text: NAME }, HOUR);
  await queueIn(store, 'post').settle('done');
  await queueIn(store, 'lookup').put('other', { person: 'another' }, HOUR);
  await createRows(store, 'sealed credential').save(ID, 'c2VhbGVk');
  await createRows(store, 'sealed credential').save('another', SEALED);
  await createRows(store, 'welcome').add(OWN_CHAT);
  await createRows(store, 'thread').save('noc', JSON.stringify(CHANNEL));
  await createRows(store, 'thread').save('own', JSON.stringify(PERSONAL));
  await queueIn(store, 'alert').wake('incident', { user: NAME.toUpperCase() }, { title: NAME });
  return store;
}

const erase = (id: string, environment: Record<string, string>) => eraseCommand([id], environment);

async function rowsIn(database: DatabaseSettings) {
  const store = await opened(await openStore(database));
  const jobs = await store.query<object>(`select data from job`);
  const rows = await store.query<object>(`select key, data from kept where kind <> 'probe'`);
  await store.close(0);
  return [...jobs, ...rows];
}

it.each<[engine: string, create: () => Promise<[DatabaseSettings, Record<string, string>]>]>([
  ['in the file', () => newFolder().then((directory) => [{ directory }, { DATA_DIR: directory }])],
  ['on a server', () => newDatabase().then((url) => [{ url: new Secret(url) }, { DATABASE_URL: url }])],
])("an erase %s removes a person's rows, and the person from others", async (_, create) => {
  const [database, environment] = await create();
  await (await fill(database)).close(0);
  const text = `${ID} is also ${CHAT_ID}, ${OWN_CHAT}, ${NAME}. Rows removed: 5, rewritten: 5.\n`;
  expect(await erase(ID, environment)).toEqual({ code: 0, text });
  const rows = JSON.stringify(await rowsIn(database));
  for (const term of [ID, CHAT_ID, NAME, OWN_CHAT])
    expect(rows.replace('Kim Canaryson', '')).not.toContain(term);
  expect(rows).toContain('user: [erased], Kim Canaryson');
  expect(rows).toContain(SEALED);
  expect(await erase(ID, environment)).toEqual({ code: 0, text: `The database does not name ${ID}.\n` });
  if (!('directory' in database)) return;
  for (const file of await readdir(database.directory))
    expect(`${await readFile(join(database.directory, file))}`.replaceAll(SEALED, '')).not.toMatch(
      /canary(?!son)/i,
    );
});

it("an erase ends a person's own watches, and leaves others to others", async () => {
  const directory = await newFolder();
  const store = await opened(await openStore({ directory }));
  const watch = queueIn(store, 'watch', watchJobSchema);
  const mine = { id: ID, place: CHANNEL };
  const megan = { id: 'megan', place: { reference: { ...CHANNEL.reference, user: { id: '29:megan' } } } };
  const job = (...askers: object[]) => ({ watches: [{ thread: 'noc', askers }] }) as never;
  await watch.put('own', job(mine), HOUR);
  await watch.put('joined', job(mine, megan), HOUR);
  for (const askers of [[mine], [mine, megan]])
    await watch.wake('asked', null, { thread: 'noc', askers, first: { outcome: {} } });
  await store.close(0);
  const ending = await erase(ID, { DATA_DIR: directory });
  expect(ending?.text).toContain('Rows removed: 1, rewritten: 2');
  const after = await opened(await openStore({ directory }));
  const left = await queueIn(after, 'watch', watchJobSchema).list('open');
  const askers = left.flatMap(({ data = null, added }) =>
    watchesIn({ data, added }).map((each) => each.askers),
  );
  expect(left.map(({ key }) => key)).toEqual(['joined', 'asked']);
  expect(askers).toEqual([[megan], [megan]]);
});

it.each([
  ['ki', 'The erase failed: an id has 4 characters or more.'],
  [ID, 'there is no database in'],
])('an erase of %s says why nothing was done', async (id, said) => {
  const ending = await erase(id, { DATA_DIR: await newFolder() });
  expect(ending).toEqual({ code: 2, text: expect.stringContaining(said) });
});

it('an erase waits for no bot that has the file', async () => {
  const directory = await newFolder();
  await fill({ directory });
  const refused = { code: 2, text: expect.stringContaining('stop that bot') };
  expect(await erase(ID, { DATA_DIR: directory })).toMatchObject(refused);
});
