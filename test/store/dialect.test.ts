import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { FILE_TABLES, SERVER_TABLES } from '../../src/store/dialect.ts';
import { readJob } from '../../src/store/queue.ts';
import { ENGINES, opened, openStore } from './engines.ts';

/**
 * Statements of release 0.2.0, the first with these tables. They run on the tables of today, because two releases may use
 * one Postgres at the same time. None of them ever changes here.
 */
const YESTERDAY = [
  `insert into job (queue, id, state, data, due, at) values ('post', 'x', 'open', '{}', 0, 0)`,
  `update job set lease = 'me', lease_until = 5, deaths = deaths + 1, faults = 1, due = 7, data = '[]' where seq = 1`,
  `update job set state = 'dead', reason = 'why', lease = null, lease_until = null, at = 9000000000000 where id = 'x'`,
  `select seq, queue, id, state, data, due, lease, lease_until, deaths, faults, reason, at from job`,
  `insert into kept (kind, key, data, at, until, holder, held_until) values ('a', 'b', 'c', 1, 9000000000000, 'd', 3)
   on conflict (kind, key) do update set data = excluded.data`,
  `select kind, key, data, at, until, holder, held_until from kept`,
];

describe.each(ENGINES)('the tables in %s', (_, create) => {
  it("take yesterday's statements, and give the same rows", async () => {
    const { query } = await opened(await openStore(await create()));
    const answers: unknown[][] = [];
    for (const sql of YESTERDAY) answers.push(await query(sql));
    const until = 9_000_000_000_000;
    const settled = { state: 'dead', reason: 'why', lease: null, lease_until: null, at: until };
    const counted = { seq: 1, due: 7, deaths: 1, faults: 1 };
    expect(answers[3]).toEqual([{ id: 'x', queue: 'post', data: '[]', ...settled, ...counted }]);
    const held = { holder: 'd', held_until: 3 };
    expect(answers[5]).toEqual([{ kind: 'a', key: 'b', data: 'c', at: 1, until, ...held }]);
  });
});

it('landed steps that make the tables stay as they are', () => {
  const landed = readFileSync(new URL('schema-0.2.0.sql', import.meta.url), 'utf8');
  for (const step of landed.split('-- next\n')) expect(FILE_TABLES + SERVER_TABLES).toContain(step.trim());
});

it.each([
  ['{"version":1,"key":"k","data":{"firstAt":7}}', { arrivedAt: 7 }],
  ['{"version":1,"key":"k","data":{"firstAt":8,"arrivedAt":7}}', { arrivedAt: 7 }],
  ['{"version":1,"key":"k","data":{}}', undefined],
  ['{"version":2,"key":"k","data":{"firstAt":7}}', undefined],
  ['{"version":3,"key":"k","data":{"arrivedAt":7}}', undefined, true],
  ['{"key":"k","data":{"firstAt":7}}', undefined],
])('a row of release 0.2.0 is read by its old name: %s', (text, data, isNewer = false) =>
  expect(readJob(text, z.object({ arrivedAt: z.number() }))).toMatchObject({ key: 'k', data, isNewer }),
);
