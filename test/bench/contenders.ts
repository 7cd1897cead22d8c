import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../src/sandbox/listen.ts';
import { startProcess } from '../../src/sandbox/process.ts';

/** The programs to compare, each in its own process. */
export const CONTENDERS = {
  floor: { script: 'peers/floor.ts', settings: {}, upWith: 'port' },
  botbuilder: { script: 'peers/plain-botbuilder.ts', settings: {}, upWith: 'port' },
  'Agents SDK': { script: 'peers/agents-sdk.ts', settings: {}, upWith: 'port' },
  'Teams SDK': { script: 'peers/teams/teams-sdk.ts', settings: {}, upWith: 'port' },
  /** With every option on: metrics, log, a list of allowed tenants. */
  'nac-lookup-bot': {
    script: '../../src/main.ts',
    settings: { ALLOW_UNAUTHENTICATED: '1', PORT: '0', ALLOWED_TENANTS: 'bench', LOG_LEVEL: 'info' },
    upWith: 'database open',
  },
} as const;

export type Contender = keyof typeof CONTENDERS;

/** Measured only for its start time. */
const ECHO_BOT = { script: 'peers/echo-bot.ts', settings: {}, upWith: 'port' } as const;

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
  /** Options of Node itself, such as `--cpu-prof`. */
  nodeOptions?: readonly string[] | undefined;
};

/** Starts a contender and waits until it accepts messages and its database, if any, is open. */
export async function startContender(
  contender: Contender | 'echo bot',
  { environment, database, isUpEarly = false, nodeOptions = [] }: StartOptions,
): Promise<Running> {
  const { script, settings, upWith } = contender === 'echo bot' ? ECHO_BOT : CONTENDERS[contender];
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
    args: [...nodeOptions, '--import', new URL('probe.js', import.meta.url).href, pathOf(script)],
    env: { ...environment, ...settings, ...at, OPS_PORT: opsPort },
    upWhen(line) {
      port ??= /"port":(\d+)/.exec(line)?.[1];
      return isUpEarly || line.includes(upWith) ? port : undefined;
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

function pathOf(script: string): string {
  return fileURLToPath(new URL(script, import.meta.url));
}
