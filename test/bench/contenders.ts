import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import autocannon from 'autocannon';
import { freePort } from '../../src/sandbox/listen.ts';
import { startProcess } from '../../src/sandbox/sandbox.ts';
import { openBenchStage } from './stage.ts';

/** The programs to compare, each in its own process. */
export const CONTENDERS = {
  floor: 'peers/floor.ts',
  botbuilder: 'peers/plain-botbuilder.ts',
  'Agents SDK': 'peers/agents-sdk.ts',
  'Teams SDK': 'peers/teams/teams-sdk.ts',
  'nac-lookup-bot': '../../src/main.ts',
  'nac-lookup-bot, as in the image': '../../src/main.ts',
} as const;

export type Contender = keyof typeof CONTENDERS;

/** The bot has every option on: metrics, log, a list of allowed tenants. */
const OWN_SETTINGS = { ALLOW_UNAUTHENTICATED: '1', PORT: '0', ALLOWED_TENANTS: 'bench', LOG_LEVEL: 'info' };

/** What the image and the unit set (docs/operations.md, "Memory"). With a compile cache, Node loads no TypeScript compiler. */
const IMAGE_SETTINGS = {
  NODE_OPTIONS: '--max-semi-space-size=16',
  MALLOC_MMAP_THRESHOLD_: '32768',
  NODE_COMPILE_CACHE: fileURLToPath(new URL('../../node_modules/.cache/bench-image/', import.meta.url)),
};

/** What a process took so far: milliseconds of CPU over all threads, and megabytes (10^6) of memory, now and at most. */
type Usage = { cpuMs: number; rssMb: number; peakMb: number };

export type Running = Awaited<ReturnType<typeof startContender>>;

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
) {
  const isOurs = contender.startsWith('nac-lookup-bot');
  const isAsImage = contender === 'nac-lookup-bot, as in the image';
  const isEcho = contender === 'echo bot'; // Measured only for its start time.
  const script = CONTENDERS[isEcho ? 'botbuilder' : contender];
  const upWith = isOurs && !isUpEarly ? 'database open' : 'port';
  const data = await newFolder();
  const folder = database && 'folder' in database ? database.folder : data;
  const at = database && 'url' in database ? { DATABASE_URL: database.url } : { DATA_DIR: folder };
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
      ...(isEcho ? ['echo'] : []),
    ],
    env: {
      ...environment,
      ...(isOurs && OWN_SETTINGS),
      ...(isAsImage && IMAGE_SETTINGS),
      ...at,
      OPS_PORT: opsPort,
    },
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
    /** When the process was started, by this process's clock (performance.now). */
    startedAt,
    /** Resolves when the database is open, with that time by this process's clock. Never without a database. */
    opened,
    messagesUrl: `http://127.0.0.1:${running.up}/api/messages`,
    usage(): Promise<Usage> {
      const { promise, resolve } = Promise.withResolvers<Usage>();
      usages.push(resolve);
      running.child.kill('SIGUSR2');
      return promise;
    },
    async stop(): Promise<void> {
      await running.stop();
      await rm(data, { recursive: true, force: true });
    },
  };
}

/** A folder for the files of a database. */
export const newFolder = () => mkdtemp(join(tmpdir(), 'nac-lookup-bot-bench-'));

/** One contender's cost of its lookups. */
export type Figures = {
  /** Milliseconds of CPU per lookup, over all threads of the process. */
  cpuMs: number;
  lookupsPerSecond: number;
  /** Milliseconds from a message to its acknowledgement: the median and the 99th percentile. */
  p50Ms: number;
  p99Ms: number;
  /** Megabytes (10^6) of memory at the end. */
  rssMb: number;
};

/**
 * Starts a contender, lets it do the work, and ends it.
 * @param options.warmUp messages before the measurement, while code is compiled and connections open
 * @throws Error if any answer was wrong, missing or extra
 */
export async function measure(
  contender: Contender,
  { warmUp, messages, connections }: { warmUp: number; messages: number; connections: number },
): Promise<Figures> {
  const run = await openRun(contender, { connections });
  try {
    await run.load(warmUp);
    const before = await run.usage();
    const { latency, seconds } = await run.load(messages);
    const after = await run.usage();
    return {
      cpuMs: (after.cpuMs - before.cpuMs) / messages,
      lookupsPerSecond: messages / seconds,
      p50Ms: latency.p50,
      p99Ms: latency.p99,
      rssMb: after.rssMb,
    };
  } finally {
    await run.close();
  }
}

/** Opens a running contender, and the systems that it calls. @param options.connections messages in flight at once */
export async function openRun(
  contender: Contender,
  { connections, database }: { connections: number; database?: StartOptions['database'] },
) {
  const stage = await openBenchStage();
  const running = await startContender(contender, { environment: stage.environment, database });
  return {
    /**
     * Sends messages and waits for their replies; the time counts from the first message to the last reply.
     * @throws Error if any answer was wrong, missing or extra
     */
    async load(amount: number) {
      const begun = performance.now();
      const ended = stage.replied(amount).then(() => performance.now());
      const { latency, errors, timeouts, non2xx } = await autocannon({
        url: running.messagesUrl,
        connections,
        amount,
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        sampleInt: 100, // The run ends with a sample; the default interval of 1 s would add waiting.
        requests: [{ setupRequest: (request) => ({ ...request, body: stage.nextActivity() }) }],
      });
      if (errors + timeouts + non2xx > 0)
        throw new Error(`${errors} errors, ${timeouts} time-outs, ${non2xx} refusals of ${amount}`);
      const seconds = ((await ended) - begun) / 1000;
      const faults = stage.faults();
      if (faults.length > 0)
        throw new Error(`${contender} did not do the work:\n${faults.slice(0, 10).join('\n')}`);
      return { latency, seconds };
    },
    usage: running.usage,
    async close(): Promise<void> {
      await running.stop();
      await stage.close();
    },
  };
}
