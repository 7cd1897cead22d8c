import type { Query } from './store.ts';

/**
 * Our own tables, one step after another; a step that has landed is never changed. `bot.migration` has a row for each
 * step that was taken.
 */
const STEPS: readonly string[] = [
  `create table bot.sealed_credential (
     owner text primary key,
     sealed bytea not null,
     until timestamptz not null
   )`,
  `create table bot.thread (
     name text primary key,
     place jsonb not null,
     at timestamptz not null default now()
   )`,
  'create table bot.autoreply (conversation text primary key)',
];

/** Takes the steps that are missing, in one transaction; of several processes that start at once, one does. */
export async function migrate(query: Query): Promise<void> {
  await query('create schema if not exists bot');
  await query(
    'create table if not exists bot.migration (step int primary key, at timestamptz not null default now())',
  );
  for (const [index, sql] of STEPS.entries()) {
    const step = index + 1;
    // One statement is one transaction, on a pool and on a single connection alike.
    await query(`do $$ begin
      perform pg_advisory_xact_lock(724310);
      if not exists (select from bot.migration where step = ${step}) then
        ${sql};
        insert into bot.migration (step) values (${step});
      end if;
    end $$`);
  }
}
