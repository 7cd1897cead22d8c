import { chownSync, mkdirSync, readdirSync, rmdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished } from 'vitest';
import type { Finding } from '../../src/cli/doctor/systems.ts';
import { examineDatabase } from '../../src/cli/doctor.ts';
import { Secret } from '../../src/domain/secret.ts';
import type { DatabaseSettings } from '../../src/store/dialect.ts';
import { lockFolder } from '../../src/store/sqlite.ts';
import { closedUrl } from '../serve.ts';
import { damage, newFolder, opened, openStore } from '../store/engines.ts';
import { createUser, fillUp, newDatabase } from '../store/postgres.ts';

const finding = (state: Finding['state'], what: RegExp) =>
  expect.objectContaining({ state, what: expect.stringMatching(what) });
const make = async (database: DatabaseSettings) => (await opened(await openStore(database))).close(0);
const examineUrl = (url: string) => examineDatabase({ url: new Secret(url) });
const examineFolder = (directory: string) => examineDatabase({ directory });

async function fill(url: string): Promise<string> {
  await make({ url: new Secret(url) });
  await fillUp(url);
  return url;
}

it.each<[string, (url: string) => Promise<string>, RegExp]>([
  ['no right to create', (url) => createUser(url, 'guest', 'connect'), /grant CONNECT and CREATE/],
  ['a server without room', fill, /refused it \(.*no space left/],
  ['no socket', async () => 'postgres://bot@localhost/x?host=/nonexistent', /ENOENT/],
  ['nobody listens', async () => (await closedUrl()).replace('http', 'postgres'), /ECONNREFUSED/],
])("a server's database says what is wrong: %s", async (_, change, said) =>
  expect(await examineUrl(await change(await newDatabase()))).toEqual(finding('FAILS', said)),
);

it("a server's database works twice, because nothing is changed", async () => {
  const member = await createUser(await newDatabase(), 'member', 'connect, create');
  for (const _ of [1, 2])
    expect(await examineUrl(member)).toEqual(finding('works', /the bot has its rights/));
});

const hold = (folder: string) => {
  const held = lockFolder(folder);
  onTestFinished(() => held[Symbol.dispose]());
};
const lock = (folder: string) => {
  const file = new DatabaseSync(join(folder, 'nac-lookup-bot.db'));
  file.exec('pragma locking_mode = exclusive; begin exclusive');
  onTestFinished(() => file.close());
};
const write = (path: string) => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, 'broken'.repeat(100));
};
const blockLock = async (directory: string) => {
  await make({ directory });
  rmSync(join(directory, 'lock'));
  mkdirSync(join(directory, 'lock'));
};

it.each<[Finding['state'], RegExp, (folder: string) => unknown, below?: string]>([
  ['works', /^the embedded database opens$/, (directory) => make({ directory })],
  ['works', /a bot holds/, (directory) => make({ directory }).then(() => hold(directory))],
  ['works', /first start makes/, () => {}, 'below'],
  ['FAILS', /data of release 0\.1\.0/, (folder) => write(join(folder, 'postgres/PG_VERSION'))],
  ['FAILS', /is no SQLite database/, (folder) => write(join(folder, 'nac-lookup-bot.db'))],
  ['FAILS', /database is locked/, (directory) => make({ directory }).then(() => lock(directory))],
  ['FAILS', /DATA_DIR/, (folder) => rmdirSync(folder) ?? symlinkSync('/nonexistent/folder', folder)],
  ['FAILS', /or is damaged: put back/, (directory) => make({ directory }).then(() => damage(directory))],
  ['FAILS', /DATA_DIR cannot be .*\/file\/\.\)$/, (folder) => write(join(folder, 'file')), 'file'],
  ['FAILS', /^the folder in DATA_DIR cannot be made or used/, blockLock],
])('the embedded database %s: %s', async (state, what, prepare, below = '') => {
  const folder = await newFolder();
  await prepare(folder);
  expect(await examineFolder(join(folder, below))).toEqual(finding(state, what));
  if (below === 'below') expect(readdirSync(folder)).toEqual([]); // The doctor makes nothing.
});

it.runIf(process.getuid?.() === 0)('the embedded database of another user is left alone', async () => {
  const folder = await newFolder();
  await make({ directory: folder });
  chownSync(join(folder, 'nac-lookup-bot.db'), 65_534, 65_534);
  const next = "run the doctor as the bot's own user";
  expect(await examineFolder(folder)).toMatchObject({ state: 'warning', next });
});
