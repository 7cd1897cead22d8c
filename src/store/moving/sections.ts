import { z } from 'zod';
import { deadNameOf, QUEUE_NAMES } from '../queues.ts';

const time = z.iso.datetime({ offset: true });
const json = z.json(); // `null` too.

/** One kind of row in an export: its form there, and its way out of the database and in again. */
type Section = {
  row: z.ZodObject;
  /** Selects the rows, in an order that does not change. */
  select: string;
  /** Inserts the rows of a JSON array, `$1`. Returns a row for each that it inserted. */
  insert: string;
};

/**
 * All that an export holds. Tables of schema `bot` stand under their own names, with their columns. Values are what Postgres'
 * `to_jsonb` makes of them: times with their offset, bytes as `\x` and hexadecimal digits.
 *
 * `job` is pg-boss' table (schema 40) without done jobs. `deaths` counts the processes that died at a job: `retry_count`,
 * and one more if a process holds the job, because the next fetch counts this process. Left out are the columns that tell
 * how a queue treats a job; an import takes these from the queue, so that retention begins anew. Left out too are `output` and
 * `source_*`, which nothing reads, and the columns for what this bot's jobs do not have: priority, group, singleton,
 * dependencies.
 *
 * `job_key` also has the done jobs that have not moved there yet (`done-jobs.ts`).
 */
export const SECTIONS = {
  thread: ownTable('thread', z.strictObject({ name: z.string(), place: json, at: time })),
  autoreply: ownTable('autoreply', z.strictObject({ conversation: z.string() })),
  welcome: ownTable('welcome', z.strictObject({ conversation: z.string(), at: time })),
  personal_chat: ownTable('personal_chat', z.strictObject({ person: z.string(), place: json })),
  incident: {
    row: z.strictObject({ id: z.string(), data: json, at: time }),
    select: 'select id, data, at from bot.incident where data is not null order by id',
    insert: `insert into bot.incident (id, data, at, held_until)
      select id, data, at, now() from jsonb_populate_recordset(null::bot.incident, $1::jsonb) returning true`,
  },
  sealed_credential: {
    row: z.strictObject({
      owner: z.string(),
      sealed: z.string().regex(/^\\x(?:[0-9a-f]{2})+$/),
      until: time,
    }),
    select: 'select owner, sealed, until from bot.sealed_credential where until > now() order by owner',
    insert: `insert into bot.sealed_credential (owner, sealed, until)
      select owner, sealed, until from jsonb_populate_recordset(null::bot.sealed_credential, $1::jsonb)
      where until > now() returning true`,
  },
  job: {
    row: z.strictObject({
      queue: z.enum(QUEUE_NAMES.flatMap((name) => [name, deadNameOf(name)])),
      id: z.guid(),
      data: json,
      created_on: time,
      start_after: time,
      deaths: z.int32().nonnegative(),
    }),
    select: `select name as queue, id, data, created_on, start_after,
        retry_count + case when started_on is null then 0 else 1 end as deaths
      from pgboss.job where completed_on is null order by created_on, id`,
    insert: `insert into pgboss.job (name, id, data, created_on, start_after, retry_count,
        policy, retry_limit, retry_delay, retry_backoff, retry_delay_max, expire_seconds, deletion_seconds, dead_letter,
        heartbeat_seconds, keep_until)
      select queue.name, job.id, data, job.created_on, start_after, deaths,
        policy, retry_limit, retry_delay, retry_backoff, retry_delay_max, expire_seconds, deletion_seconds, dead_letter,
        heartbeat_seconds, greatest(now(), start_after) + retention_seconds * interval '1 second'
      from jsonb_to_recordset($1::jsonb)
        as job (queue text, id uuid, data jsonb, created_on timestamptz, start_after timestamptz, deaths int)
      join pgboss.queue on queue.name = job.queue returning true`,
  },
  job_key: {
    row: z.strictObject({ id: z.guid(), data: json, at: time }),
    select: `select id, data, at from bot.job_key
      union all
      select id, data, completed_on from pgboss.job
      where completed_on is not null and not exists (select from bot.job_key where job_key.id = job.id)
      order by at, id`,
    insert: `insert into bot.job_key (id, data, at)
      select id, data, at from jsonb_populate_recordset(null::bot.job_key, $1::jsonb) returning true`,
  },
} as const satisfies Record<string, Section>;

export type SectionName = keyof typeof SECTIONS;

export const SECTION_NAMES = Object.keys(SECTIONS) as SectionName[];

/** The tables, and the columns of exported tables, of schema `bot` that no export holds; each with its reason. */
export const LEFT_OUT: Readonly<Record<string, string>> = {
  migration: 'the release that imports makes the tables itself',
  refusal: 'what replicas tell one another is over within 15 minutes',
  'incident.holder': 'whoever works on an incident does so in the other database',
  'incident.held_until': 'as its holder',
};

/** The version of pg-boss' schema in which `job` above is worded. */
export const BOSS_SCHEMA = 40;

/** A table of which every column is exported. */
function ownTable<Row extends z.ZodObject>(name: string, row: Row) {
  const columns = Object.keys(row.shape).join(', ');
  return {
    row,
    select: `select ${columns} from bot.${name} order by 1`,
    insert: `insert into bot.${name} (${columns})
      select ${columns} from jsonb_populate_recordset(null::bot.${name}, $1::jsonb) returning true`,
  };
}
