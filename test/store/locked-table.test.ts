import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { Secret } from '../../src/domain/secret.ts';
import { openPostgres } from '../../src/store/postgres.ts';
import { createUser, newDatabase, runIn } from './postgres.ts';

/** A bot's connections to a database, and a way to lock its jobs as DDL does. */
async function start(callMs: number) {
  const database = await newDatabase();
  const url = await createUser(database, 'member', 'connect, create');
  const waits = { callMs, statementMs: callMs + 500, connectionMs: callMs + 800 };
  const engine = await openPostgres(new Secret(url), waits);
  const locker = new pg.Client(database);
  onTestFinished(async () => {
    await engine.close();
    await locker.end();
  });
  await locker.connect();
  const { username } = new URL(url);
  const counting = `select count(*)::int from pg_stat_activity where usename = '${username}'`;
  return {
    ...engine,
    lock: () => locker.query('begin; lock table nac_lookup_bot.job in access exclusive mode'),
    unlock: () => locker.query('commit'),
    count: async (which = '') => Object(await runIn(database, counting + which))[0].count,
  };
}

const CHANGE = 'update nac_lookup_bot.job set due = 0';

it('a locked table takes at most ten connections', async () => {
  const { query, lock, unlock, count } = await start(100);
  await lock();
  const counts: number[] = [];
  for (const ends = Date.now() + 5000; Date.now() < ends; await delay(50)) {
    for (let call = 0; call < 5; call++) query(CHANGE).catch(() => {});
    counts.push(await count());
  }
  expect(Math.max(...counts)).toBe(10);
  await unlock();
  await expect.poll(() => query(CHANGE).catch(() => 'away')).toEqual([]);
});

it('the server ends a waiting statement, and the connection stays', async () => {
  const { query, lock, count } = await start(1000);
  await lock();
  await expect(query(CHANGE)).rejects.toThrow('the database does not answer');
  await expect.poll(() => count(" and state = 'active'"), { timeout: 5000 }).toBe(0);
  const pids = () => query<{ pid: number }>('select pg_backend_pid() as pid');
  const [before, again] = [await pids(), await pids()];
  expect([before, await count()]).toEqual([again, 1]);
});
