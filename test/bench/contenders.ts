import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../src/sandbox/listen.ts';
import { startProcess } from '../../src/sandbox/sandbox.ts';

/** The programs to compare, each in its own process. */
export const CONTENDERS = {
  floor: 'peers/floor.ts',
  botbuilder: 'peers/plain-botbuilder.ts',
  'Agents SDK': 'peers/agents-sdk.ts',
  'Teams SDK': 'peers/teams/teams-sdk.ts',
  'nac-lookup-bot': '../../src/main.ts',
} as const;

export type Contender = keyof typeof CONTENDERS;

/** The bot has every option on: metrics, log, a list of allowed tenants. */
const OWN_SETTINGS = { ALLOW_UNAUTHENTICATED: '1', PORT: '0', ALLOWED_TENANTS: 'bench', LOG_LEVEL: 'info' };

/** Measured only for its start time. */
const ECHO_BOT = 'peers/echo-bot.ts';

type Usage = { cpuMs: number; rssMb: number; peakMb: number };

export type Running = {
  messagesUrl: string;
  /** When the process was started, by this process's clock (performance.now). */
  startedAt: number;
  /** Resolves when the database is open, with that time by this process's clock. Never without a database. */
  opened: Promise<number>;
  /** The process's usage so far: milliseconds of CPU over all threads, and megabytes (10^6) of memory, now and at most. */
  usage(): Promise<Usage>;
  stop(): Promise<void>;
};

export type StartOptions = {
  /** The settings with the other systems' addresses. */
  environment: Readonly<Record<string, string>>;
  /** A server's address, or the folder of the embedded database, which stays. By default, a new folder. */
  database?: { url: string } | { folder: string } | undefined;
  /** Whether it counts as up as soon as it accepts messages. */
  isUpEarly?: boolean;
};

/** Starts a contender and waits until it accepts messages and its database, if any, is open. */
export async function startContender(
  contender: Contender | 'echo bot',
  { environment, database, isUpEarly = false }: StartOptions,
): Promise<Running> {
  const isOurs = contender === 'nac-lookup-bot';
  const script = contender === 'echo bot' ? ECHO_BOT : CONTENDERS[contender];
  const upWith = isOurs && !isUpEarly ? 'database open' : 'port';
  const data = await newFolder();
  const folder = database && 'folder' in database ? database.folder : data;
  const at: Record<string, string> =
    database && 'url' in database ? { DATABASE_URL: database.url } : { DATA_DIR: folder };
  const { promise: opened, resolve: setOpened } = Promise.withResolvers<number>();
  const usages: Array<(usage: Usage) => void> = [];
  let port: string | undefined;
  const opsPort = String(await freePort(9464));
  const startedAt = performance.now();
  const running = await startProcess({
    args: [
      '--import',
      new URL('probe.js', import.meta.url).href,
      fileURLToPath(new URL(script, import.meta.url)),
    ],
    env: { ...environment, ...(isOurs && OWN_SETTINGS), ...at, OPS_PORT: opsPort },
    upWhen(line) {
      port ??= /"port":(\d+)/.exec(line)?.[1];
      return line.includes(upWith) ? port : undefined;
    },
    onLine(line) {
      if (line.includes('database open')) setOpened(performance.now());
      if (line.startsWith('{"cpuMs"')) usages.shift()?.(JSON.parse(line));
    },
  });
  return {
    startedAt,
    opened,
    messagesUrl: `http://127.0.0.1:${running.up}/api/messages`,
    usage() {
      const { promise, resolve } = Promise.withResolvers<Usage>();
      usages.push(resolve);
      running.child.kill('SIGUSR2');
      return promise;
    },
    async stop() {
      await running.stop();
      await rm(data, { recursive: true, force: true });
    },
  };
}

/** A folder for the files of a database. */
export function newFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'nac-lookup-bot-bench-'));
}
