BEGIN;
    SET LOCAL lock_timeout = 30000;
    SET LOCAL idle_in_transaction_session_timeout = 30000;
    SELECT pg_advisory_xact_lock(('x' || encode(sha224((current_database() || '.pgboss.pgboss')::bytea), 'hex'))::bit(64)::bigint);
CREATE SCHEMA IF NOT EXISTS pgboss;

    CREATE TYPE pgboss.job_state AS ENUM (
      'created',
      'retry',
      'active',
      'completed',
      'cancelled',
      'failed'
    )
  ;

    CREATE TABLE pgboss.version (
      version int primary key,
      cron_on timestamp with time zone,
      bam_on timestamp with time zone,
      flow_on timestamp with time zone,
      reindex_on timestamp with time zone,
      monitor_backoff_on timestamp with time zone
    )
  ;

    CREATE TABLE pgboss.queue (
      name text NOT NULL,
      policy text NOT NULL,
      retry_limit int NOT NULL,
      retry_delay int NOT NULL,
      retry_backoff bool NOT NULL,
      retry_delay_max int,
      expire_seconds int NOT NULL,
      retention_seconds int NOT NULL,
      deletion_seconds int NOT NULL,
      dead_letter text REFERENCES pgboss.queue (name) CHECK (dead_letter IS DISTINCT FROM name),
      partition bool NOT NULL,
      table_name text NOT NULL,
      deferred_count int NOT NULL default 0,
      queued_count int NOT NULL default 0,
      ready_count int NOT NULL default 0,
      warning_queued int NOT NULL default 0,
      active_count int NOT NULL default 0,
      failed_count int NOT NULL default 0,
      total_count int NOT NULL default 0,
      ready_history int[] NOT NULL default '{}',
      heartbeat_seconds int,
      notify bool NOT NULL DEFAULT false,
      singletons_active text[],
      -- Two stamps, not one. monitor_claim_on is the interval claim that decides which instance
      -- runs a monitor pass; monitor_on is when this queue's counts were actually written, and is
      -- stamped only by the aggregate that wrote them (see cacheQueueStats). Splitting them is what
      -- lets a pass be claimed and then skip the aggregate — because the vacuum backoff is in force,
      -- or because another instance holds the stats try-lock — without capturedOn claiming a
      -- freshness the counts do not have.
      monitor_claim_on timestamp with time zone,
      monitor_on timestamp with time zone,
      maintain_on timestamp with time zone,
      created_on timestamp with time zone not null default now(),
      updated_on timestamp with time zone not null default now(),
      PRIMARY KEY (name)
    )
  ;

    CREATE TABLE pgboss.schedule (
      name text REFERENCES pgboss.queue ON DELETE CASCADE,
      key text not null DEFAULT '',
      cron text not null,
      timezone text,
      data jsonb,
      options jsonb,
      created_on timestamp with time zone not null default now(),
      updated_on timestamp with time zone not null default now(),
      PRIMARY KEY (name, key)
    )
  ;

    CREATE TABLE pgboss.subscription (
      event text not null,
      name text not null REFERENCES pgboss.queue ON DELETE CASCADE,
      created_on timestamp with time zone not null default now(),
      updated_on timestamp with time zone not null default now(),
      PRIMARY KEY(event, name)
    )
  ;

    CREATE TABLE pgboss.bam (
      id uuid PRIMARY KEY default gen_random_uuid(),
      name text NOT NULL,
      version int NOT NULL,
      status text NOT NULL DEFAULT 'pending',
      queue text,
      table_name text NOT NULL,
      command text NOT NULL,
      error text,
      created_on timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
      started_on timestamp with time zone,
      completed_on timestamp with time zone
    )
  ;

    CREATE FUNCTION pgboss.job_table_format(command text, table_name text)
    RETURNS text AS
    $$
      SELECT format(
        regexp_replace(
          regexp_replace(command, '\.job\y', '.%1$I', 'g'),
          '\yjob_i(\d+)', '%1$s_i\1', 'g'
        ),
        table_name
      );
    $$
    LANGUAGE sql IMMUTABLE;
  ;

    CREATE FUNCTION pgboss.job_table_run(command text, tbl_name text DEFAULT NULL, queue_name text DEFAULT NULL)
    RETURNS VOID AS
    $$
    DECLARE
      tbl RECORD;
    BEGIN
      IF queue_name IS NOT NULL THEN
        SELECT table_name INTO tbl_name FROM pgboss.queue WHERE name = queue_name;
      END IF;

      IF tbl_name IS NOT NULL THEN
        EXECUTE pgboss.job_table_format(command, tbl_name);
        RETURN;
      END IF;

      EXECUTE pgboss.job_table_format(command, 'job_common');

      FOR tbl IN SELECT table_name FROM pgboss.queue WHERE partition = true
      LOOP
        EXECUTE pgboss.job_table_format(command, tbl.table_name);
      END LOOP;
    END;
    $$
    LANGUAGE plpgsql;
  ;

    CREATE FUNCTION pgboss.job_table_run_async(command_name text, version int, command text, tbl_name text DEFAULT NULL, queue_name text DEFAULT NULL)
    RETURNS VOID AS
    $$
    BEGIN
      IF queue_name IS NOT NULL THEN
        SELECT table_name INTO tbl_name FROM pgboss.queue WHERE name = queue_name;
      END IF;

      IF tbl_name IS NOT NULL THEN
        INSERT INTO pgboss.bam (name, version, status, queue, table_name, command)
        VALUES (
          command_name,
          version,
          'pending',
          queue_name,
          tbl_name,
          pgboss.job_table_format(command, tbl_name)
        );
        RETURN;
      END IF;

      INSERT INTO pgboss.bam (name, version, status, queue, table_name, command)
      SELECT
        command_name,
        version,
        'pending',
        NULL,
        'job_common',
        pgboss.job_table_format(command, 'job_common')
      UNION ALL
      SELECT
        command_name,
        version,
        'pending',
        queue.name,
        queue.table_name,
        pgboss.job_table_format(command, queue.table_name)
      FROM pgboss.queue
      WHERE partition = true;
    END;
    $$
    LANGUAGE plpgsql;
  ;

    CREATE TABLE pgboss.job (
      id uuid not null default gen_random_uuid(),
      name text not null,
      priority integer not null default(0),
      data jsonb,
      state pgboss.job_state not null default 'created',
      retry_limit integer not null default 2,
      retry_count integer not null default 0,
      retry_delay integer not null default 0,
      retry_backoff boolean not null default false,
      retry_delay_max integer,
      expire_seconds int not null default 900,
      deletion_seconds int not null default 604800,
      singleton_key text,
      singleton_on timestamp without time zone,
      group_id text,
      group_tier text,
      start_after timestamp with time zone not null default now(),
      created_on timestamp with time zone not null default now(),
      started_on timestamp with time zone,
      completed_on timestamp with time zone,
      keep_until timestamp with time zone NOT NULL default now() + interval '1209600',
      output jsonb,
      dead_letter text,
      policy text,
      heartbeat_on timestamp with time zone,
      heartbeat_seconds int,
      blocked boolean not null default false,
      blocking boolean not null default false,
      pending_dependencies int not null default 0,
      source_name text,
      source_id uuid,
      source_created_on timestamp with time zone,
      source_retry_count int
    ) PARTITION BY LIST (name)
  ;
ALTER TABLE pgboss.job ADD PRIMARY KEY (name, id);

    CREATE TABLE pgboss.job_common (LIKE pgboss.job INCLUDING GENERATED INCLUDING DEFAULTS);

    SELECT pgboss.job_table_run($cmd$ALTER TABLE pgboss.job ADD PRIMARY KEY (name, id)$cmd$, 'job_common');
    SELECT pgboss.job_table_run($cmd$ALTER TABLE pgboss.job ADD CONSTRAINT q_fkey FOREIGN KEY (name) REFERENCES pgboss.queue (name) ON DELETE RESTRICT DEFERRABLE INITIALLY DEFERRED$cmd$, 'job_common');
    SELECT pgboss.job_table_run($cmd$ALTER TABLE pgboss.job ADD CONSTRAINT dlq_fkey FOREIGN KEY (dead_letter) REFERENCES pgboss.queue (name) ON DELETE RESTRICT DEFERRABLE INITIALLY DEFERRED$cmd$, 'job_common');
    SELECT pgboss.job_table_run($cmd$CREATE UNIQUE INDEX job_i1 ON pgboss.job (name, COALESCE(singleton_key, '')) WHERE state = 'created' AND policy = 'short'$cmd$, 'job_common');
    SELECT pgboss.job_table_run($cmd$CREATE UNIQUE INDEX job_i2 ON pgboss.job (name, COALESCE(singleton_key, '')) WHERE state = 'active' AND policy = 'singleton'$cmd$, 'job_common');
    SELECT pgboss.job_table_run($cmd$CREATE UNIQUE INDEX job_i3 ON pgboss.job (name, state, COALESCE(singleton_key, '')) WHERE state <= 'active' AND policy = 'stately'$cmd$, 'job_common');
    SELECT pgboss.job_table_run($cmd$CREATE UNIQUE INDEX job_i6 ON pgboss.job (name, COALESCE(singleton_key, '')) WHERE state <= 'active' AND policy = 'exclusive'$cmd$, 'job_common');
    SELECT pgboss.job_table_run($cmd$CREATE UNIQUE INDEX job_i8 ON pgboss.job (name, singleton_key) WHERE state IN ('active', 'retry', 'failed') AND policy = 'key_strict_fifo'$cmd$, 'job_common');
    SELECT pgboss.job_table_run($cmd$CREATE INDEX job_i10 ON pgboss.job (name, singleton_key, state DESC, created_on, id) INCLUDE (start_after) WHERE state < 'active' AND NOT blocked AND policy = 'key_strict_fifo'$cmd$, 'job_common');
    SELECT pgboss.job_table_run($cmd$ALTER TABLE pgboss.job ADD CONSTRAINT job_key_strict_fifo_singleton_key_check CHECK (NOT (policy = 'key_strict_fifo' AND singleton_key IS NULL))$cmd$, 'job_common');
    SELECT pgboss.job_table_run($cmd$CREATE UNIQUE INDEX job_i4 ON pgboss.job (name, singleton_on, COALESCE(singleton_key, '')) WHERE state <> 'cancelled' AND singleton_on IS NOT NULL$cmd$, 'job_common');
    SELECT pgboss.job_table_run($cmd$CREATE INDEX job_i11 ON pgboss.job (name, priority DESC, created_on, start_after) WHERE state < 'active' AND NOT blocked$cmd$, 'job_common');
    SELECT pgboss.job_table_run($cmd$CREATE INDEX job_i7 ON pgboss.job (name, group_id) WHERE state = 'active' AND group_id IS NOT NULL$cmd$, 'job_common');
    SELECT pgboss.job_table_run($cmd$CREATE INDEX job_i9 ON pgboss.job (name, id) WHERE blocking AND state = 'completed'$cmd$, 'job_common');

    ALTER TABLE pgboss.job ATTACH PARTITION pgboss.job_common DEFAULT;
  ;

    CREATE TABLE pgboss.warning (
      id uuid PRIMARY KEY default gen_random_uuid(),
      type text NOT NULL,
      message text NOT NULL,
      data jsonb,
      created_on timestamp with time zone NOT NULL DEFAULT now()
    )
  ;
CREATE INDEX warning_i1 ON pgboss.warning (created_on DESC);

    CREATE TABLE pgboss.queue_stats (
      id uuid NOT NULL DEFAULT gen_random_uuid(),
      name text NOT NULL,
      deferred_count int NOT NULL DEFAULT 0,
      queued_count   int NOT NULL DEFAULT 0,
      ready_count    int NOT NULL DEFAULT 0,
      active_count   int NOT NULL DEFAULT 0,
      failed_count   int NOT NULL DEFAULT 0,
      total_count    int NOT NULL DEFAULT 0,
      captured_on timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (id, captured_on)
    ) PARTITION BY RANGE (captured_on)
  ;
CREATE INDEX queue_stats_i1 ON pgboss.queue_stats (name, captured_on DESC) INCLUDE (deferred_count, queued_count, ready_count, active_count, failed_count, total_count);

    DO $$
    DECLARE
      d date;
      i int;
      part_name text;
    BEGIN
      FOR i IN 0..1 LOOP
        d := (now() AT TIME ZONE 'UTC')::date + i;
        part_name := 'queue_stats_' || to_char(d, 'YYYYMMDD');
        IF NOT EXISTS (
          SELECT 1 FROM pg_class c
          JOIN pg_namespace n ON n.oid = c.relnamespace
          WHERE n.nspname = 'pgboss' AND c.relname = part_name
        ) THEN
          EXECUTE format(
            'CREATE TABLE pgboss.%I PARTITION OF pgboss.queue_stats FOR VALUES FROM (%L) TO (%L)',
            part_name,
            to_char(d, 'YYYY-MM-DD') || ' 00:00:00+00',
            to_char(d + 1, 'YYYY-MM-DD') || ' 00:00:00+00'
          );
        END IF;
      END LOOP;
    END;
    $$
  ;

    CREATE TABLE pgboss.job_dependency (
      child_name text NOT NULL,
      child_id uuid NOT NULL,
      parent_name text NOT NULL,
      parent_id uuid NOT NULL,
      PRIMARY KEY (child_name, child_id, parent_name, parent_id)
    )
  ;
CREATE INDEX IF NOT EXISTS job_dep_parent_idx ON pgboss.job_dependency (parent_name, parent_id);

    CREATE FUNCTION pgboss.create_queue(queue_name text, options jsonb)
    RETURNS VOID AS
    $$
    DECLARE
      tablename varchar := CASE WHEN options->>'partition' = 'true'
                            THEN 'j' || encode(sha224(queue_name::bytea), 'hex')
                            ELSE 'job_common'
                            END;
      queue_created_on timestamptz;
    BEGIN

      WITH q as (
        INSERT INTO pgboss.queue (
          name,
          policy,
          retry_limit,
          retry_delay,
          retry_backoff,
          retry_delay_max,
          expire_seconds,
          retention_seconds,
          deletion_seconds,
          warning_queued,
          dead_letter,
          partition,
          table_name,
          heartbeat_seconds,
          notify
        )
        VALUES (
          queue_name,
          options->>'policy',
          COALESCE((options->>'retryLimit')::int, 2),
          COALESCE((options->>'retryDelay')::int, 0),
          COALESCE((options->>'retryBackoff')::bool, false),
          (options->>'retryDelayMax')::int,
          COALESCE((options->>'expireInSeconds')::int, 900),
          COALESCE((options->>'retentionSeconds')::int, 1209600),
          COALESCE((options->>'deleteAfterSeconds')::int, 604800),
          COALESCE((options->>'warningQueueSize')::int, 0),
          options->>'deadLetter',
          COALESCE((options->>'partition')::bool, false),
          tablename,
          (options->>'heartbeatSeconds')::int,
          COALESCE((options->>'notify')::bool, false)
        )
        ON CONFLICT DO NOTHING
        RETURNING created_on
      )
      SELECT created_on into queue_created_on from q;

      IF queue_created_on IS NULL OR options->>'partition' IS DISTINCT FROM 'true' THEN
        RETURN;
      END IF;

      EXECUTE format('CREATE TABLE pgboss.%I (LIKE pgboss.job INCLUDING DEFAULTS)', tablename);

      EXECUTE pgboss.job_table_format($cmd$ALTER TABLE pgboss.job ADD PRIMARY KEY (name, id)$cmd$, tablename);
      EXECUTE pgboss.job_table_format($cmd$ALTER TABLE pgboss.job ADD CONSTRAINT q_fkey FOREIGN KEY (name) REFERENCES pgboss.queue (name) ON DELETE RESTRICT DEFERRABLE INITIALLY DEFERRED$cmd$, tablename);
      EXECUTE pgboss.job_table_format($cmd$ALTER TABLE pgboss.job ADD CONSTRAINT dlq_fkey FOREIGN KEY (dead_letter) REFERENCES pgboss.queue (name) ON DELETE RESTRICT DEFERRABLE INITIALLY DEFERRED$cmd$, tablename);

      EXECUTE pgboss.job_table_format($cmd$CREATE INDEX job_i11 ON pgboss.job (name, priority DESC, created_on, start_after) WHERE state < 'active' AND NOT blocked$cmd$, tablename);
      EXECUTE pgboss.job_table_format($cmd$CREATE UNIQUE INDEX job_i4 ON pgboss.job (name, singleton_on, COALESCE(singleton_key, '')) WHERE state <> 'cancelled' AND singleton_on IS NOT NULL$cmd$, tablename);
      EXECUTE pgboss.job_table_format($cmd$CREATE INDEX job_i7 ON pgboss.job (name, group_id) WHERE state = 'active' AND group_id IS NOT NULL$cmd$, tablename);
      EXECUTE pgboss.job_table_format($cmd$CREATE INDEX job_i9 ON pgboss.job (name, id) WHERE blocking AND state = 'completed'$cmd$, tablename);

      IF options->>'policy' = 'short' THEN
        EXECUTE pgboss.job_table_format($cmd$CREATE UNIQUE INDEX job_i1 ON pgboss.job (name, COALESCE(singleton_key, '')) WHERE state = 'created' AND policy = 'short'$cmd$, tablename);
      ELSIF options->>'policy' = 'singleton' THEN
        EXECUTE pgboss.job_table_format($cmd$CREATE UNIQUE INDEX job_i2 ON pgboss.job (name, COALESCE(singleton_key, '')) WHERE state = 'active' AND policy = 'singleton'$cmd$, tablename);
      ELSIF options->>'policy' = 'stately' THEN
        EXECUTE pgboss.job_table_format($cmd$CREATE UNIQUE INDEX job_i3 ON pgboss.job (name, state, COALESCE(singleton_key, '')) WHERE state <= 'active' AND policy = 'stately'$cmd$, tablename);
      ELSIF options->>'policy' = 'exclusive' THEN
        EXECUTE pgboss.job_table_format($cmd$CREATE UNIQUE INDEX job_i6 ON pgboss.job (name, COALESCE(singleton_key, '')) WHERE state <= 'active' AND policy = 'exclusive'$cmd$, tablename);
      ELSIF options->>'policy' = 'key_strict_fifo' THEN
        EXECUTE pgboss.job_table_format($cmd$CREATE UNIQUE INDEX job_i8 ON pgboss.job (name, singleton_key) WHERE state IN ('active', 'retry', 'failed') AND policy = 'key_strict_fifo'$cmd$, tablename);
        EXECUTE pgboss.job_table_format($cmd$CREATE INDEX job_i10 ON pgboss.job (name, singleton_key, state DESC, created_on, id) INCLUDE (start_after) WHERE state < 'active' AND NOT blocked AND policy = 'key_strict_fifo'$cmd$, tablename);
        EXECUTE pgboss.job_table_format($cmd$ALTER TABLE pgboss.job ADD CONSTRAINT job_key_strict_fifo_singleton_key_check CHECK (NOT (policy = 'key_strict_fifo' AND singleton_key IS NULL))$cmd$, tablename);
      END IF;

      EXECUTE format('ALTER TABLE pgboss.%I ADD CONSTRAINT cjc CHECK (name=%L)', tablename, queue_name);
      EXECUTE format('ALTER TABLE pgboss.job ATTACH PARTITION pgboss.%I FOR VALUES IN (%L)', tablename, queue_name);
    END;
    $$
    LANGUAGE plpgsql;
  ;

    CREATE FUNCTION pgboss.delete_queue(queue_name text)
    RETURNS VOID AS
    $$
    DECLARE
      v_table varchar;
      v_partition bool;
    BEGIN
      
      SELECT table_name, partition
      FROM pgboss.queue
      WHERE name = queue_name
      INTO v_table, v_partition;

      IF v_partition THEN
        EXECUTE format('DROP TABLE IF EXISTS pgboss.%I', v_table);
      ELSE
        EXECUTE format('DELETE FROM pgboss.%I WHERE name = %L', v_table, queue_name);
      END IF;
    
      DELETE FROM pgboss.queue WHERE name = queue_name;
    END;
    $$
    LANGUAGE plpgsql;
  ;
INSERT INTO pgboss.version(version) VALUES ('40');
    COMMIT;
do $$ begin perform pg_advisory_xact_lock(724310); 
    -- This asks the catalogue itself: "create if not exists" may see a state older than the lock.
    if not exists (select from pg_namespace where nspname = 'bot') then
      create schema bot;
      create table bot.migration (step int primary key, at timestamptz not null default now());
    end if; end $$;
do $$ begin perform pg_advisory_xact_lock(724310); 
      if not exists (select from bot.migration where step = 1) then
        create table bot.sealed_credential (
     owner text primary key,
     sealed bytea not null,
     until timestamptz not null
   );
        insert into bot.migration (step) values (1);
      end if; end $$;
do $$ begin perform pg_advisory_xact_lock(724310); 
      if not exists (select from bot.migration where step = 2) then
        create table bot.thread (
     name text primary key,
     place jsonb not null,
     at timestamptz not null default now()
   );
        insert into bot.migration (step) values (2);
      end if; end $$;
do $$ begin perform pg_advisory_xact_lock(724310); 
      if not exists (select from bot.migration where step = 3) then
        create table bot.autoreply (conversation text primary key);
        insert into bot.migration (step) values (3);
      end if; end $$;
do $$ begin perform pg_advisory_xact_lock(724310); 
      if not exists (select from bot.migration where step = 4) then
        create table bot.welcome (conversation text primary key, at timestamptz not null default now());
        insert into bot.migration (step) values (4);
      end if; end $$;
do $$ begin perform pg_advisory_xact_lock(724310); 
      if not exists (select from bot.migration where step = 5) then
        create table bot.job_key (id uuid primary key, data jsonb, at timestamptz not null default now());
   create index job_key_at on bot.job_key (at);
        insert into bot.migration (step) values (5);
      end if; end $$;
do $$ begin perform pg_advisory_xact_lock(724310); 
      if not exists (select from bot.migration where step = 6) then
        create table bot.incident (
     id text primary key,
     data jsonb,
     holder uuid,
     held_until timestamptz not null,
     at timestamptz not null default now()
   );
        insert into bot.migration (step) values (6);
      end if; end $$;
insert into pgboss.queue select * from jsonb_populate_record(null::pgboss.queue, '{"name": "lookup-dead", "notify": false, "policy": "standard", "partition": false, "created_on": "2026-11-22T15:23:34.099+00:00", "table_name": "job_common", "updated_on": "2026-11-22T15:23:34.099+00:00", "ready_count": 0, "retry_delay": 0, "retry_limit": 2, "total_count": 0, "active_count": 0, "failed_count": 0, "queued_count": 0, "ready_history": [], "retry_backoff": false, "deferred_count": 0, "expire_seconds": 900, "warning_queued": 0, "deletion_seconds": 86400, "retention_seconds": 2592000}');
insert into pgboss.queue select * from jsonb_populate_record(null::pgboss.queue, '{"name": "post-dead", "notify": false, "policy": "standard", "partition": false, "created_on": "2026-11-22T15:23:34.177+00:00", "table_name": "job_common", "updated_on": "2026-11-22T15:23:34.177+00:00", "ready_count": 0, "retry_delay": 0, "retry_limit": 2, "total_count": 0, "active_count": 0, "failed_count": 0, "queued_count": 0, "ready_history": [], "retry_backoff": false, "deferred_count": 0, "expire_seconds": 900, "warning_queued": 0, "deletion_seconds": 86400, "retention_seconds": 2592000}');
insert into pgboss.queue select * from jsonb_populate_record(null::pgboss.queue, '{"name": "reply-dead", "notify": false, "policy": "standard", "partition": false, "created_on": "2026-11-22T15:23:34.251+00:00", "table_name": "job_common", "updated_on": "2026-11-22T15:23:34.251+00:00", "ready_count": 0, "retry_delay": 0, "retry_limit": 2, "total_count": 0, "active_count": 0, "failed_count": 0, "queued_count": 0, "ready_history": [], "retry_backoff": false, "deferred_count": 0, "expire_seconds": 900, "warning_queued": 0, "deletion_seconds": 86400, "retention_seconds": 2592000}');
insert into pgboss.queue select * from jsonb_populate_record(null::pgboss.queue, '{"name": "alert-dead", "notify": false, "policy": "standard", "partition": false, "created_on": "2026-11-22T15:23:34.327+00:00", "table_name": "job_common", "updated_on": "2026-11-22T15:23:34.327+00:00", "ready_count": 0, "retry_delay": 0, "retry_limit": 2, "total_count": 0, "active_count": 0, "failed_count": 0, "queued_count": 0, "ready_history": [], "retry_backoff": false, "deferred_count": 0, "expire_seconds": 900, "warning_queued": 0, "deletion_seconds": 86400, "retention_seconds": 2592000}');
insert into pgboss.queue select * from jsonb_populate_record(null::pgboss.queue, '{"name": "alert", "notify": false, "policy": "standard", "partition": false, "created_on": "2026-11-22T15:23:34.35+00:00", "table_name": "job_common", "updated_on": "2026-11-22T15:23:34.358+00:00", "dead_letter": "alert-dead", "ready_count": 0, "retry_delay": 0, "retry_limit": 1000000, "total_count": 0, "active_count": 0, "failed_count": 0, "queued_count": 0, "ready_history": [], "retry_backoff": false, "deferred_count": 0, "expire_seconds": 86400, "warning_queued": 0, "deletion_seconds": 86400, "heartbeat_seconds": 10, "retention_seconds": 2592000}');
insert into pgboss.queue select * from jsonb_populate_record(null::pgboss.queue, '{"name": "lookup", "notify": false, "policy": "standard", "partition": false, "created_on": "2026-11-22T15:23:34.124+00:00", "table_name": "job_common", "updated_on": "2026-11-22T15:23:34.129+00:00", "dead_letter": "lookup-dead", "ready_count": 0, "retry_delay": 0, "retry_limit": 1000000, "total_count": 0, "active_count": 0, "failed_count": 0, "queued_count": 0, "ready_history": [], "retry_backoff": false, "deferred_count": 0, "expire_seconds": 86400, "warning_queued": 0, "deletion_seconds": 86400, "heartbeat_seconds": 10, "retention_seconds": 2592000}');
insert into pgboss.queue select * from jsonb_populate_record(null::pgboss.queue, '{"name": "post", "notify": false, "policy": "standard", "partition": false, "created_on": "2026-11-22T15:23:34.206+00:00", "table_name": "job_common", "updated_on": "2026-11-22T15:23:34.219+00:00", "dead_letter": "post-dead", "ready_count": 0, "retry_delay": 0, "retry_limit": 1000000, "total_count": 0, "active_count": 0, "failed_count": 0, "queued_count": 0, "ready_history": [], "retry_backoff": false, "deferred_count": 0, "expire_seconds": 86400, "warning_queued": 0, "deletion_seconds": 86400, "heartbeat_seconds": 10, "retention_seconds": 2592000}');
insert into pgboss.queue select * from jsonb_populate_record(null::pgboss.queue, '{"name": "reply", "notify": false, "policy": "standard", "partition": false, "created_on": "2026-11-22T15:23:34.28+00:00", "table_name": "job_common", "updated_on": "2026-11-22T15:23:34.297+00:00", "dead_letter": "reply-dead", "ready_count": 0, "retry_delay": 0, "retry_limit": 1000000, "total_count": 0, "active_count": 0, "failed_count": 0, "queued_count": 0, "ready_history": [], "retry_backoff": false, "deferred_count": 0, "expire_seconds": 86400, "warning_queued": 0, "deletion_seconds": 86400, "heartbeat_seconds": 10, "retention_seconds": 2592000}');
insert into pgboss.job select * from jsonb_populate_record(null::pgboss.job, '{"id": "0d713e8f-ea40-5ce0-8bf0-460be341c45b", "data": {"key": "under way", "data": {"digest": "d-1", "thread": "night", "attempt": 0, "firstAt": 1767323045000, "leftOut": 2, "addresses": ["AA:BB:CC:DD:EE:FF"]}, "version": 1}, "name": "alert", "state": "active", "policy": "standard", "blocked": false, "blocking": false, "priority": 0, "created_on": "2026-11-22T15:23:35.056+00:00", "keep_until": "2100-01-01T00:00:00.000Z", "started_on": "2026-11-22T15:23:35.07+00:00", "dead_letter": "alert-dead", "retry_count": 0, "retry_delay": 0, "retry_limit": 1000000, "start_after": "2026-11-22T15:23:35.056+00:00", "heartbeat_on": "2026-11-22T15:23:35.07+00:00", "retry_backoff": false, "expire_seconds": 86400, "deletion_seconds": 86400, "heartbeat_seconds": 10, "pending_dependencies": 0}');
insert into pgboss.job select * from jsonb_populate_record(null::pgboss.job, '{"id": "2b852116-be9d-5268-b96e-7a80568f609e", "data": {"key": "waits", "data": {"digest": "d-1", "thread": "night", "attempt": 0, "firstAt": 1767323045000, "leftOut": 2, "addresses": ["AA:BB:CC:DD:EE:FF"]}, "version": 1}, "name": "alert", "state": "created", "policy": "standard", "blocked": false, "blocking": false, "priority": 0, "created_on": "2026-11-22T15:23:35.183+00:00", "keep_until": "2100-01-01T00:00:00.000Z", "dead_letter": "alert-dead", "retry_count": 0, "retry_delay": 0, "retry_limit": 1000000, "start_after": "2026-11-22T15:23:35.183+00:00", "retry_backoff": false, "expire_seconds": 86400, "deletion_seconds": 86400, "heartbeat_seconds": 10, "pending_dependencies": 0}');
insert into pgboss.job select * from jsonb_populate_record(null::pgboss.job, '{"id": "b848e8f0-13a2-5d2f-8690-d74739abb6aa", "data": {"key": "dead", "data": {"digest": "d-1", "thread": "night", "attempt": 0, "firstAt": 1767323045000, "leftOut": 2, "addresses": ["AA:BB:CC:DD:EE:FF"]}, "version": 1}, "name": "alert", "state": "completed", "policy": "standard", "blocked": false, "blocking": false, "priority": 0, "created_on": "2026-11-22T15:23:34.856+00:00", "keep_until": "2100-01-01T00:00:00.000Z", "started_on": "2026-11-22T15:23:34.864+00:00", "dead_letter": "alert-dead", "retry_count": 0, "retry_delay": 0, "retry_limit": 1000000, "start_after": "2026-11-22T15:23:34.856+00:00", "completed_on": "2026-11-22T15:23:34.928+00:00", "heartbeat_on": "2026-11-22T15:23:34.864+00:00", "retry_backoff": false, "expire_seconds": 86400, "deletion_seconds": 86400, "heartbeat_seconds": 10, "pending_dependencies": 0}');
insert into pgboss.job select * from jsonb_populate_record(null::pgboss.job, '{"id": "e6d5ff5c-ea19-5191-8fa2-cf6819d8d656", "data": {"key": "dead", "data": {"digest": "d-1", "thread": "night", "attempt": 0, "firstAt": 1767323045000, "leftOut": 2, "addresses": ["AA:BB:CC:DD:EE:FF"]}, "reason": "it was given up", "version": 1}, "name": "alert-dead", "state": "created", "policy": "standard", "blocked": false, "blocking": false, "priority": 0, "created_on": "2026-11-22T15:23:34.891+00:00", "keep_until": "2100-01-01T00:00:00.000Z", "retry_count": 0, "retry_delay": 0, "retry_limit": 2, "start_after": "2026-11-22T15:23:34.891+00:00", "retry_backoff": false, "expire_seconds": 900, "deletion_seconds": 86400, "pending_dependencies": 0}');
insert into pgboss.job select * from jsonb_populate_record(null::pgboss.job, '{"id": "93c17cd9-7d59-5085-b05f-caef6d17934b", "data": {"key": "waits", "data": {"place": {"locale": "en-GB", "timeZone": "Europe/Berlin", "reference": {"user": {"id": "29:alex", "name": "Alex"}, "serviceUrl": "https://smba.trafficmanager.net/emea/", "conversation": {"id": "19:noc@thread.tacv2;messageid=7"}}}, "person": "alex", "attempt": 1, "firstAt": 1767323045000, "addresses": ["AA:BB:CC:DD:EE:FF"], "messageId": "m-1"}, "version": 1}, "name": "lookup", "state": "created", "policy": "standard", "blocked": false, "blocking": false, "priority": 0, "created_on": "2026-11-22T15:23:35.083+00:00", "keep_until": "2100-01-01T00:00:00.000Z", "dead_letter": "lookup-dead", "retry_count": 0, "retry_delay": 0, "retry_limit": 1000000, "start_after": "2026-11-22T15:23:35.083+00:00", "retry_backoff": false, "expire_seconds": 86400, "deletion_seconds": 86400, "heartbeat_seconds": 10, "pending_dependencies": 0}');
insert into pgboss.job select * from jsonb_populate_record(null::pgboss.job, '{"id": "c72446b7-90b0-54eb-9a44-80e5d39ad186", "data": {"key": "dead", "data": {"place": {"locale": "en-GB", "timeZone": "Europe/Berlin", "reference": {"user": {"id": "29:alex", "name": "Alex"}, "serviceUrl": "https://smba.trafficmanager.net/emea/", "conversation": {"id": "19:noc@thread.tacv2;messageid=7"}}}, "person": "alex", "attempt": 1, "firstAt": 1767323045000, "addresses": ["AA:BB:CC:DD:EE:FF"], "messageId": "m-1"}, "version": 1}, "name": "lookup", "state": "completed", "policy": "standard", "blocked": false, "blocking": false, "priority": 0, "created_on": "2026-11-22T15:23:34.606+00:00", "keep_until": "2100-01-01T00:00:00.000Z", "started_on": "2026-11-22T15:23:34.636+00:00", "dead_letter": "lookup-dead", "retry_count": 0, "retry_delay": 0, "retry_limit": 1000000, "start_after": "2026-11-22T15:23:34.606+00:00", "completed_on": "2026-11-22T15:23:34.696+00:00", "heartbeat_on": "2026-11-22T15:23:34.636+00:00", "retry_backoff": false, "expire_seconds": 86400, "deletion_seconds": 86400, "heartbeat_seconds": 10, "pending_dependencies": 0}');
insert into pgboss.job select * from jsonb_populate_record(null::pgboss.job, '{"id": "c93b9b1a-7121-5150-8c26-8fb2271d069a", "data": {"key": "under way", "data": {"place": {"locale": "en-GB", "timeZone": "Europe/Berlin", "reference": {"user": {"id": "29:alex", "name": "Alex"}, "serviceUrl": "https://smba.trafficmanager.net/emea/", "conversation": {"id": "19:noc@thread.tacv2;messageid=7"}}}, "person": "alex", "attempt": 1, "firstAt": 1767323045000, "addresses": ["AA:BB:CC:DD:EE:FF"], "messageId": "m-1"}, "version": 1}, "name": "lookup", "state": "active", "policy": "standard", "blocked": false, "blocking": false, "priority": 0, "created_on": "2026-11-22T15:23:34.907+00:00", "keep_until": "2100-01-01T00:00:00.000Z", "started_on": "2026-11-22T15:23:34.944+00:00", "dead_letter": "lookup-dead", "retry_count": 0, "retry_delay": 0, "retry_limit": 1000000, "start_after": "2026-11-22T15:23:34.907+00:00", "heartbeat_on": "2026-11-22T15:23:34.944+00:00", "retry_backoff": false, "expire_seconds": 86400, "deletion_seconds": 86400, "heartbeat_seconds": 10, "pending_dependencies": 0}');
insert into pgboss.job select * from jsonb_populate_record(null::pgboss.job, '{"id": "93f0ed78-0eb5-524f-aa34-027d47819b85", "data": {"key": "dead", "data": {"place": {"locale": "en-GB", "timeZone": "Europe/Berlin", "reference": {"user": {"id": "29:alex", "name": "Alex"}, "serviceUrl": "https://smba.trafficmanager.net/emea/", "conversation": {"id": "19:noc@thread.tacv2;messageid=7"}}}, "person": "alex", "attempt": 1, "firstAt": 1767323045000, "addresses": ["AA:BB:CC:DD:EE:FF"], "messageId": "m-1"}, "reason": "it was given up", "version": 1}, "name": "lookup-dead", "state": "created", "policy": "standard", "blocked": false, "blocking": false, "priority": 0, "created_on": "2026-11-22T15:23:34.671+00:00", "keep_until": "2100-01-01T00:00:00.000Z", "retry_count": 0, "retry_delay": 0, "retry_limit": 2, "start_after": "2026-11-22T15:23:34.671+00:00", "retry_backoff": false, "expire_seconds": 900, "deletion_seconds": 86400, "pending_dependencies": 0}');
insert into pgboss.job select * from jsonb_populate_record(null::pgboss.job, E'{"id": "1f652ed6-2a28-55ab-b25a-daef8456b012", "data": {"key": "under way", "data": {"text": "AA:BB:CC:DD:EE:FF\\nCorp_Wired_Access", "attempt": 3, "firstAt": 1767323045000}, "version": 1}, "name": "post", "state": "active", "policy": "standard", "blocked": false, "blocking": false, "priority": 0, "created_on": "2026-11-22T15:23:34.984+00:00", "keep_until": "2100-01-01T00:00:00.000Z", "started_on": "2026-11-22T15:23:35+00:00", "dead_letter": "post-dead", "retry_count": 0, "retry_delay": 0, "retry_limit": 1000000, "start_after": "2026-11-22T15:23:34.984+00:00", "heartbeat_on": "2026-11-22T15:23:35+00:00", "retry_backoff": false, "expire_seconds": 86400, "deletion_seconds": 86400, "heartbeat_seconds": 10, "pending_dependencies": 0}');
insert into pgboss.job select * from jsonb_populate_record(null::pgboss.job, E'{"id": "347d836b-3e2a-54c5-8090-67ae48c0b64f", "data": {"key": "waits", "data": {"text": "AA:BB:CC:DD:EE:FF\\nCorp_Wired_Access", "attempt": 3, "firstAt": 1767323045000}, "version": 1}, "name": "post", "state": "created", "policy": "standard", "blocked": false, "blocking": false, "priority": 0, "created_on": "2026-11-22T15:23:35.093+00:00", "keep_until": "2100-01-01T00:00:00.000Z", "dead_letter": "post-dead", "retry_count": 0, "retry_delay": 0, "retry_limit": 1000000, "start_after": "2026-11-22T15:23:35.093+00:00", "retry_backoff": false, "expire_seconds": 86400, "deletion_seconds": 86400, "heartbeat_seconds": 10, "pending_dependencies": 0}');
insert into pgboss.job select * from jsonb_populate_record(null::pgboss.job, E'{"id": "6edd3fd0-2870-5a52-8754-14e1eb67026f", "data": {"key": "dead", "data": {"text": "AA:BB:CC:DD:EE:FF\\nCorp_Wired_Access", "attempt": 3, "firstAt": 1767323045000}, "version": 1}, "name": "post", "state": "completed", "policy": "standard", "blocked": false, "blocking": false, "priority": 0, "created_on": "2026-11-22T15:23:34.698+00:00", "keep_until": "2100-01-01T00:00:00.000Z", "started_on": "2026-11-22T15:23:34.703+00:00", "dead_letter": "post-dead", "retry_count": 0, "retry_delay": 0, "retry_limit": 1000000, "start_after": "2026-11-22T15:23:34.698+00:00", "completed_on": "2026-11-22T15:23:34.768+00:00", "heartbeat_on": "2026-11-22T15:23:34.703+00:00", "retry_backoff": false, "expire_seconds": 86400, "deletion_seconds": 86400, "heartbeat_seconds": 10, "pending_dependencies": 0}');
insert into pgboss.job select * from jsonb_populate_record(null::pgboss.job, E'{"id": "4af88de5-091f-531b-aeb0-2fe98d69ffcd", "data": {"key": "dead", "data": {"text": "AA:BB:CC:DD:EE:FF\\nCorp_Wired_Access", "attempt": 3, "firstAt": 1767323045000}, "reason": "it was given up", "version": 1}, "name": "post-dead", "state": "created", "policy": "standard", "blocked": false, "blocking": false, "priority": 0, "created_on": "2026-11-22T15:23:34.721+00:00", "keep_until": "2100-01-01T00:00:00.000Z", "retry_count": 0, "retry_delay": 0, "retry_limit": 2, "start_after": "2026-11-22T15:23:34.721+00:00", "retry_backoff": false, "expire_seconds": 900, "deletion_seconds": 86400, "pending_dependencies": 0}');
insert into pgboss.job select * from jsonb_populate_record(null::pgboss.job, '{"id": "3450b645-8338-543b-b48d-a24471ddf7c4", "data": {"key": "under way", "data": {"text": "`AA:BB:CC:DD:EE:FF`: connected", "place": {"locale": "en-GB", "timeZone": "Europe/Berlin", "reference": {"user": {"id": "29:alex", "name": "Alex"}, "serviceUrl": "https://smba.trafficmanager.net/emea/", "conversation": {"id": "19:noc@thread.tacv2;messageid=7"}}}, "attempt": 0, "firstAt": 1767323045000, "summary": "connected"}, "version": 1}, "name": "reply", "state": "active", "policy": "standard", "blocked": false, "blocking": false, "priority": 0, "created_on": "2026-11-22T15:23:35.039+00:00", "keep_until": "2100-01-01T00:00:00.000Z", "started_on": "2026-11-22T15:23:35.048+00:00", "dead_letter": "reply-dead", "retry_count": 0, "retry_delay": 0, "retry_limit": 1000000, "start_after": "2026-11-22T15:23:35.039+00:00", "heartbeat_on": "2026-11-22T15:23:35.048+00:00", "retry_backoff": false, "expire_seconds": 86400, "deletion_seconds": 86400, "heartbeat_seconds": 10, "pending_dependencies": 0}');
insert into pgboss.job select * from jsonb_populate_record(null::pgboss.job, '{"id": "545d5c62-daa8-5353-9368-fc829591946f", "data": {"key": "waits", "data": {"text": "`AA:BB:CC:DD:EE:FF`: connected", "place": {"locale": "en-GB", "timeZone": "Europe/Berlin", "reference": {"user": {"id": "29:alex", "name": "Alex"}, "serviceUrl": "https://smba.trafficmanager.net/emea/", "conversation": {"id": "19:noc@thread.tacv2;messageid=7"}}}, "attempt": 0, "firstAt": 1767323045000, "summary": "connected"}, "version": 1}, "name": "reply", "state": "created", "policy": "standard", "blocked": false, "blocking": false, "priority": 0, "created_on": "2026-11-22T15:23:35.107+00:00", "keep_until": "2100-01-01T00:00:00.000Z", "dead_letter": "reply-dead", "retry_count": 0, "retry_delay": 0, "retry_limit": 1000000, "start_after": "2026-11-22T15:23:35.107+00:00", "retry_backoff": false, "expire_seconds": 86400, "deletion_seconds": 86400, "heartbeat_seconds": 10, "pending_dependencies": 0}');
insert into pgboss.job select * from jsonb_populate_record(null::pgboss.job, '{"id": "6bed581c-7d72-59f0-97ba-50723ad50ff3", "data": {"key": "dead", "data": {"text": "`AA:BB:CC:DD:EE:FF`: connected", "place": {"locale": "en-GB", "timeZone": "Europe/Berlin", "reference": {"user": {"id": "29:alex", "name": "Alex"}, "serviceUrl": "https://smba.trafficmanager.net/emea/", "conversation": {"id": "19:noc@thread.tacv2;messageid=7"}}}, "attempt": 0, "firstAt": 1767323045000, "summary": "connected"}, "version": 1}, "name": "reply", "state": "completed", "policy": "standard", "blocked": false, "blocking": false, "priority": 0, "created_on": "2026-11-22T15:23:34.779+00:00", "keep_until": "2100-01-01T00:00:00.000Z", "started_on": "2026-11-22T15:23:34.788+00:00", "dead_letter": "reply-dead", "retry_count": 0, "retry_delay": 0, "retry_limit": 1000000, "start_after": "2026-11-22T15:23:34.779+00:00", "completed_on": "2026-11-22T15:23:34.846+00:00", "heartbeat_on": "2026-11-22T15:23:34.788+00:00", "retry_backoff": false, "expire_seconds": 86400, "deletion_seconds": 86400, "heartbeat_seconds": 10, "pending_dependencies": 0}');
insert into pgboss.job select * from jsonb_populate_record(null::pgboss.job, '{"id": "3126cfe3-5040-5d06-bb7e-50ab98289236", "data": {"key": "dead", "data": {"text": "`AA:BB:CC:DD:EE:FF`: connected", "place": {"locale": "en-GB", "timeZone": "Europe/Berlin", "reference": {"user": {"id": "29:alex", "name": "Alex"}, "serviceUrl": "https://smba.trafficmanager.net/emea/", "conversation": {"id": "19:noc@thread.tacv2;messageid=7"}}}, "attempt": 0, "firstAt": 1767323045000, "summary": "connected"}, "reason": "it was given up", "version": 1}, "name": "reply-dead", "state": "created", "policy": "standard", "blocked": false, "blocking": false, "priority": 0, "created_on": "2026-11-22T15:23:34.812+00:00", "keep_until": "2100-01-01T00:00:00.000Z", "retry_count": 0, "retry_delay": 0, "retry_limit": 2, "start_after": "2026-11-22T15:23:34.812+00:00", "retry_backoff": false, "expire_seconds": 900, "deletion_seconds": 86400, "pending_dependencies": 0}');
insert into bot.autoreply select * from jsonb_populate_record(null::bot.autoreply, '{"conversation": "19:auto"}');
insert into bot.incident select * from jsonb_populate_record(null::bot.incident, '{"at": "2100-01-01T00:00:00.000Z", "id": "incident", "data": {"alert": "d-1", "since": 1767323045000, "state": "firing", "times": 2, "isKept": false, "posted": {}, "devices": {"AA:BB:CC:DD:EE:FF": "mark"}, "arrivedAt": 1767323045000, "messageId": "m-2"}, "held_until": "2026-11-22T15:23:34.536+00:00"}');
insert into bot.job_key select * from jsonb_populate_record(null::bot.job_key, '{"at": "2100-01-01T00:00:00.000Z", "id": "d4ddbe5e-039e-5975-8be7-334922fa26de", "data": {"key": "noted", "data": {"place": {"locale": "en-GB", "timeZone": "Europe/Berlin", "reference": {"user": {"id": "29:alex", "name": "Alex"}, "serviceUrl": "https://smba.trafficmanager.net/emea/", "conversation": {"id": "19:noc@thread.tacv2;messageid=7"}}}, "person": "alex", "attempt": 1, "firstAt": 1767323045000, "addresses": ["AA:BB:CC:DD:EE:FF"], "messageId": "m-1"}}}');
insert into bot.sealed_credential select * from jsonb_populate_record(null::bot.sealed_credential, E'{"owner": "alex", "until": "2100-01-01T00:00:00.000Z", "sealed": "\\\\x018f13295794d80a66aaacec3b9bd164265dbdd3da4e311576ae9a7952abe98c1deb6e7f0944e7c6829789e932348df2d04a6cfe7de66f2d87c8e435c7f6fb2183f8c85e5162eee78fc6c9fcddef9a5f2bc9c124b90b3c12dfb1c517dc9be44d0a3a9c7bf0a0492eb48b151659a676e0991e67071a6a33"}');
insert into bot.thread select * from jsonb_populate_record(null::bot.thread, '{"at": "2100-01-01T00:00:00.000Z", "name": "night", "place": {"locale": "en-GB", "timeZone": "Europe/Berlin", "reference": {"user": {"id": "29:alex", "name": "Alex"}, "serviceUrl": "https://smba.trafficmanager.net/emea/", "conversation": {"id": "19:noc@thread.tacv2;messageid=7"}}}}');
insert into bot.welcome select * from jsonb_populate_record(null::bot.welcome, '{"at": "2100-01-01T00:00:00.000Z", "conversation": "19:welcome"}');
