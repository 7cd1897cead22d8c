import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, inject, vi } from 'vitest';
import { type RunningBot, startBot } from '../../src/sandbox/sandbox.ts';
import { type PostgresServer, startPostgres } from '../store/postgres.ts';
import { type Channel, startChannel } from './channel.ts';
import { environmentOf, startUpstreams, type Upstreams } from './upstreams.ts';

/** A bot, what it uses and the chat service that it answers to. */
export type Stage = {
  readonly bot: RunningBot;
  channel: Channel;
  upstreams: Upstreams;
  /** Undefined: the embedded database. */
  postgres: PostgresServer | undefined;
  environment: Record<string, string>;
  kill(): Promise<void>;
  start(): Promise<void>;
  /** Waits until `/readyz` answers with this status. */
  readyIs(status: number, withinMs?: number): Promise<void>;
  close(): Promise<void>;
};

export type Engine = 'the embedded database' | 'a Postgres server';

/** @param delayMs how long the NAC takes for an address */
export async function openStage(engine: Engine, delayMs: (address: string) => number): Promise<Stage> {
  const upstreams = await startUpstreams(delayMs);
  const postgres = engine === 'a Postgres server' ? await startPostgres() : undefined;
  const directory = await mkdtemp(join(tmpdir(), 'faults-'));
  await cp(inject('databaseTemplate'), directory, { recursive: true });
  const environment = {
    ...environmentOf(upstreams),
    ...(postgres ? { DATABASE_URL: postgres.url } : { DATA_DIR: directory }),
  };
  let bot = await startBot(environment);
  const channel = await startChannel(() => bot.url);
  const stage: Stage = {
    get bot() {
      return bot;
    },
    channel,
    upstreams,
    postgres,
    environment,
    kill: () => bot.kill(),
    async start() {
      bot = await startBot(environment);
    },
    async readyIs(status, withinMs = 20_000) {
      await vi.waitFor(async () => expect((await fetch(`${bot.url}/readyz`)).status).toBe(status), {
        timeout: withinMs,
        interval: 50,
      });
    },
    async close() {
      await bot.kill();
      await Promise.all([channel.close(), upstreams.close(), postgres?.close()]);
      await rm(directory, { recursive: true, force: true });
    },
  };
  await stage.readyIs(200);
  return stage;
}

/** A NAC's time that is longer than a turn: 9 to 12 s, always the same for an address. */
export const slowMs = (address: string) => 9000 + (Number.parseInt(address.slice(-2), 16) % 31) * 100;
