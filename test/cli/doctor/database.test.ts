import { chownSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { examineDatabase } from '../../../src/cli/doctor/database.ts';
import type { Diagnosis } from '../../../src/cli/doctor/finding.ts';
import { Secret } from '../../../src/domain/secret.ts';
import { lockFolder } from '../../../src/store/lock.ts';
import { closedUrl, record } from '../../serve.ts';
import { accept, GOOD } from '../../settings.ts';
import { opened, openStore } from '../../store/engines.ts';
import { type PostgresServer, runIn, startPostgres } from '../../store/postgres.ts';
import { diagnose, newFolder } from './diagnose.ts';

async function examine(changes: Record<string, string>): Promise<Diagnosis | undefined> {
  const {
    findings: [row],
  } = await examineDatabase({ settings: accept(changes) });
  expect(JSON.stringify(row)).not.toMatch(/canary/);
  return row;
}

describe("a server's database", () => {
  let postgres: PostgresServer;
  beforeAll(async () => {
    postgres = await startPostgres();
    await runIn(
      postgres.url,
      `create role guest login password 'canary-guest';
       create role member login password 'canary-member';
       grant connect, create on database nac_lookup to member;
       create role reader login password 'canary-reader';
       alter role reader set default_transaction_read_only = on;
       grant create on database nac_lookup to reader`,
    );
  });
  afterAll(() => postgres.close());

  const urlWith = (changes: Partial<URL>) => Object.assign(new URL(postgres.url), changes).href;
  const as = (role: string) => urlWith({ username: role, password: `canary-${role}` });

  async function schemas(): Promise<unknown[]> {
    const client = new pg.Client(postgres.url);
    await client.connect();
    const { rows } = await client.query(
      "select nspname, relname from pg_namespace n left join pg_class c on c.relnamespace = n.oid where nspname !~ '^pg_|information'",
    );
    await client.end();
    return rows;
  }

  it.each<[what: string, url: () => string | Promise<string>, said: RegExp]>([
    [
      'a wrong password',
      () => urlWith({ password: 'canary' }),
      /refuses the user name or password in DATABASE_URL/,
    ],
    ['no such database', () => urlWith({ pathname: '/canary' }), /does not exist on the server/],
    ['no right to create', () => as('guest'), /grant CONNECT and CREATE on it/],
    ['TLS that the server lacks', () => urlWith({ search: 'sslmode=verify-full' }), /cannot be secured/],
    ['a server that takes no changes', () => as('reader'), /takes no changes/],
    [
      'nobody listens',
      async () => (await closedUrl()).replace('http', 'postgres'),
      /not reached \(ECONNREFUSED\)/,
    ],
  ])('says what is wrong: %s', async (_, url, said) => {
    const row = await examine({ DATABASE_URL: await url() });
    expect(row).toMatchObject({ state: 'FAILS', what: expect.stringMatching(said) });
  });

  it('works before and after a bot has made its tables, and nothing is changed', async () => {
    const before = await schemas();
    expect(await examine({ DATABASE_URL: as('member') })).toMatchObject({
      state: 'works',
      what: expect.stringContaining('the first start makes its tables'),
    });
    expect(await schemas()).toEqual(before);

    const store = await openStore({ url: new Secret(as('member')) });
    await opened(store);
    await store.close(0);
    const made = await schemas();
    expect(made.length).toBeGreaterThan(before.length);
    expect(await examine({ DATABASE_URL: as('member') })).toMatchObject({
      state: 'works',
      what: expect.stringContaining('its tables are there'),
    });
    expect(await schemas()).toEqual(made);
  });

  it('an account that rests for the bots on it is not tried, unless that is asked for', async () => {
    const nac = await record({ status: 401 });
    const environment = {
      ...GOOD,
      NAC_URL: nac.url,
      WEBHOOK_URL: nac.url,
      DATABASE_URL: as('member'),
      DATA_DIR: newFolder(),
    };
    const told = '{"restMs":60000,"leftMs":170000,"wasAccepted":false,"fitAgoMs":0}';
    const restOf = (username: string) =>
      runIn(
        as('member'),
        `insert into nac_lookup_bot.kept (kind, key, holder, data, at)
         values ('refusal', '["NAC","${username}"]', 'x', '${told}', nac_lookup_bot.now_ms())
         on conflict (kind, key) do update set at = excluded.at`,
      );
    await restOf('svc');
    const { rows } = await diagnose(environment);
    expect(rows.NAC).toMatchObject({
      state: 'FAILS',
      what: expect.stringMatching(/not asked: a bot on this database was refused \(401\).* 3 min more/),
    });
    expect(nac.received).toEqual([]);
    await runIn(as('member'), 'update nac_lookup_bot.kept set at = at - 170000');
    await restOf('other');
    expect((await diagnose(environment)).rows.NAC?.what).toContain('refuses');
    await restOf('svc');
    await diagnose(environment, { again: true });
    expect(nac.received).toHaveLength(2);
  });

  it("says that the schema is another user's", async () => {
    await runIn(postgres.url, 'grant create on database nac_lookup to guest');
    expect((await examine({ DATABASE_URL: as('guest') }))?.what).toContain(
      'the owner of the schema nac_lookup_bot',
    );
  });
});

describe('the embedded database', () => {
  async function folderWithFile(): Promise<string> {
    const folder = newFolder();
    await (await openStore({ directory: folder })).close(0);
    return folder;
  }

  it('is not made by the doctor', async () => {
    const folder = join(newFolder(), 'below');
    expect(await examine({ DATA_DIR: folder })).toMatchObject({
      state: 'works',
      what: expect.stringContaining('first start makes'),
    });
    expect(readdirSync(join(folder, '..'))).toEqual([]);
  });

  it('opens', async () => {
    expect(await examine({ DATA_DIR: await folderWithFile() })).toMatchObject({
      state: 'works',
      what: 'the embedded database opens',
    });
  });

  it('is left alone while a bot holds it', async () => {
    const folder = await folderWithFile();
    const lock = lockFolder(folder);
    onTestFinished(() => lock.release());
    expect(await examine({ DATA_DIR: folder })).toMatchObject({
      state: 'works',
      what: expect.stringContaining('a bot holds'),
    });
  });

  it('says that release 0.1.0 has its data there', async () => {
    const folder = newFolder();
    mkdirSync(join(folder, 'postgres'));
    expect(await examine({ DATA_DIR: folder })).toMatchObject({
      state: 'FAILS',
      what: expect.stringContaining('data of release 0.1.0'),
    });
  });

  it('says that its file is broken', async () => {
    const folder = newFolder();
    writeFileSync(join(folder, 'nac-lookup-bot.db'), 'broken'.repeat(100));
    expect(await examine({ DATA_DIR: folder })).toMatchObject({
      state: 'FAILS',
      what: expect.stringContaining('is no SQLite database'),
    });
  });

  it('says that its folder is a file', async () => {
    const file = join(newFolder(), 'file');
    writeFileSync(file, '');
    expect(await examine({ DATA_DIR: file })).toMatchObject({
      state: 'FAILS',
      what: expect.stringContaining('DATA_DIR names a file'),
    });
  });

  it.runIf(process.getuid?.() === 0)("is left alone if it is another user's", async () => {
    const folder = await folderWithFile();
    chownSync(join(folder, 'nac-lookup-bot.db'), 65_534, 65_534);
    expect(await examine({ DATA_DIR: folder })).toMatchObject({
      state: 'warning',
      next: "run the doctor as the bot's own user",
    });
  });
});
