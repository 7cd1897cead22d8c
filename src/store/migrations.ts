import type { Query } from './sql.ts';

/**
 * Our own tables, one step after another; a step that has landed never changes. `bot.migration` has a row for each step
 * taken.
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
  'create table bot.welcome (conversation text primary key, at timestamptz not null default now())',
  // Done jobs: their ids, derived from their keys, and their data.
  `create table bot.job_key (id uuid primary key, data jsonb, at timestamptz not null default now());
   create index job_key_at on bot.job_key (at)`,
  // What was told of an incident, and who works on it now.
  `create table bot.incident (
     id text primary key,
     data jsonb,
     holder uuid,
     held_until timestamptz not null,
     at timestamptz not null default now()
   )`,
  'create table bot.personal_chat (person text primary key, place jsonb not null)',
  // Refusals of the bot's own accounts. Nothing here comes from a password.
  `create table bot.refusal (
     id uuid primary key,
     system text not null,
     username text not null,
     rest_ms int not null,
     until timestamptz not null,
     was_accepted boolean not null,
     fit_until timestamptz not null
   )`,
];

/**
 * Takes the missing steps, all or none, in one statement, which is one transaction. If several processes start at once, one
 * takes them and the others wait for its lock.
 */
export async function migrate(query: Query): Promise<void> {
  const steps = STEPS.map(
    (sql, index) => `
      if not exists (select from bot.migration where step = ${index + 1}) then
        ${sql};
        insert into bot.migration (step) values (${index + 1});
      end if;`,
  );
  await query(`
    do $$ begin
      perform pg_advisory_xact_lock(724310);
      -- This asks the catalogue itself: "create if not exists" may see a state older than the lock.
      if not exists (select from pg_namespace where nspname = 'bot') then
        create schema bot;
        create table bot.migration (step int primary key, at timestamptz not null default now());
      end if;
      ${steps.join('')}
    end $$`);
}
