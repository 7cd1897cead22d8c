import type { Dialect } from './dialect.ts';

/**
 * The steps that make the tables. A step that has landed never changes, and a further step only adds: on one Postgres, the
 * release before runs its statements beside this one's.
 *
 * `job`: `seq` is the order of arrival; `id` derives from queue and key. An open job is due at `due`, and belongs to the
 * worker that has its `lease` until `lease_until`. `deaths` counts leases that ran out, `faults` failures by a bug of ours.
 * `kept`: everything else that outlives a process, by kind and key; forgotten after `until`.
 * Times are milliseconds by the store's clock.
 */
function steps({ job, kept, meta, counter, before, after }: Dialect): readonly string[] {
  return [
    `${before}
    create table ${job} (
      seq ${counter},
      id text not null unique,
      queue text not null,
      state text not null check (state in ('open', 'done', 'dead')),
      data text not null,
      due bigint not null,
      lease text,
      lease_until bigint,
      deaths bigint not null default 0,
      faults bigint not null default 0,
      reason text,
      at bigint not null
    );
    create index job_due on ${job} (queue, due, seq) where state = 'open';
    create index job_settled on ${job} (state, at) where state <> 'open';
    create table ${kept} (
      kind text not null,
      key text not null,
      data text,
      at bigint not null,
      until bigint,
      holder text,
      held_until bigint,
      primary key (kind, key)
    );
    create table ${meta} (version bigint not null);
    insert into ${meta} (version) values (0);
    ${after}`,
  ];
}

/** Reads the version of the tables that are there. */
export function versionOf({ meta }: Dialect): string {
  return `select version from ${meta}`;
}

/** Returns the statements that are missing, to be run in one transaction; undefined if none are, or a newer release made the tables. */
export function missingSteps(version: number, dialect: Dialect): string | undefined {
  const all = steps(dialect);
  if (version >= all.length) return undefined;
  return [...all.slice(version), `update ${dialect.meta} set version = ${all.length}`].join(';\n');
}

/** Whether a newer release made the tables. */
export function isNewer(version: number, dialect: Dialect): boolean {
  return version > steps(dialect).length;
}
