import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../src/sandbox/listen.ts';
import { startProcess } from '../../src/sandbox/sandbox.ts';
import { type BenchStage, openBenchStage } from './stage.ts';

/** Every option is on: metrics, log, a list of allowed tenants. */
const BOT_SETTINGS = { ALLOW_UNAUTHENTICATED: '1', PORT: '0', ALLOWED_TENANTS: 'bench', LOG_LEVEL: 'info' };

/** The settings of the image and the unit (docs/operations.md, "Memory"). With a compile cache, Node loads no TypeScript compiler. */
const IMAGE_SETTINGS = {
  NODE_OPTIONS: '--max-semi-space-size=16',
  MALLOC_MMAP_THRESHOLD_: '32768',
  NODE_COMPILE_CACHE: fileURLToPath(new URL('../../node_modules/.cache/bench-image/', import.meta.url)),
};

type Program = { script: string; args?: string[]; settings?: Record<string, string> };

const bot = (settings: Record<string, string> = {}): Program => ({
  script: '../../src/main.ts',
  settings: { ...BOT_SETTINGS, ...settings },
});

const PROGRAMS = {
  floor: { script: 'peers/floor.ts' },
  botbuilder: { script: 'peers/plain-botbuilder.ts' },
  'Agents SDK': { script: 'peers/agents-sdk.ts' },
  'Teams SDK': { script: 'peers/teams-sdk.ts' },
  'nac-lookup-bot': bot(),
  'nac-lookup-bot, 64 places': bot({ NAC_CONCURRENCY: '64' }), // The other bots have no bound.
  'nac-lookup-bot, as in the image': bot(IMAGE_SETTINGS),
  'echo bot': { script: 'peers/plain-botbuilder.ts', args: ['echo'] },
} satisfies Record<string, Program>;

/** A program that does the work, in a process of its own. */
export type Contender = Exclude<keyof typeof PROGRAMS, 'echo bot'>;

/** The contenders in the order of the table. The echo bot does no lookups: its start alone is measured. */
export const CONTENDERS = Object.keys(PROGRAMS).filter((name): name is Contender => name !== 'echo bot');

/** A process's usage so far: milliseconds of CPU over all threads, and megabytes (10^6) of memory. */
type Usage = { cpuMs: number; rssMb: number };
/** `startedAt`: when its process was started, by this process's clock (performance.now). */
type Running = { messagesUrl: string; startedAt: number; usage(): Promise<Usage> };

const PROBE = new URL('probe.js', import.meta.url).href;

/** Makes a folder for a database. */
export const newFolder = () => mkdtemp(join(tmpdir(), 'nac-lookup-bot-bench-'));

/** Starts a contender with the systems that it calls, and stops both when `use` has ended. */
export async function withContender<Result>(
  name: keyof typeof PROGRAMS,
  environment: Readonly<Record<string, string>>,
  use: (running: Running, stage: BenchStage) => Promise<Result>,
): Promise<Result> {
  const { script, args = [], settings }: Program = PROGRAMS[name];
  const [stage, DATA_DIR] = [await openBenchStage(), await newFolder()];
  const OPS_PORT = String(await freePort(9464));
  const usages: Array<(usage: Usage) => void> = [];
  const startedAt = performance.now();
  const running = await startProcess({
    args: ['--import', PROBE, fileURLToPath(new URL(script, import.meta.url)), ...args],
    env: { ...stage.environment, ...environment, ...settings, DATA_DIR, OPS_PORT },
    upWhen: /"port":(\d+)/,
    onLine(line) {
      if (line.startsWith('{"cpuMs"')) usages.shift()?.(JSON.parse(line));
    },
  });
  try {
    const usage = () =>
      new Promise<Usage>((resolve) => {
        usages.push(resolve);
        running.child.kill('SIGUSR2');
      });
    const messagesUrl = `http://127.0.0.1:${running.up}/api/messages`;
    return await use({ messagesUrl, startedAt, usage }, stage);
  } finally {
    await running.stop();
    await stage.close();
    await rm(DATA_DIR, { recursive: true, force: true });
  }
}

/**
 * Sends messages and waits for their replies; the time counts from the first message to the last reply.
 * @param connections messages in flight at once
 * @throws Error if any answer was wrong, missing or extra
 */
export async function load(running: Running, stage: BenchStage, amount: number, connections = 32) {
  const { default: autocannon } = await import('autocannon'); // The bench's own package: the tests run without.
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
  if (faults.length > 0) throw new Error(`the work was not done:\n${faults.slice(0, 10).join('\n')}`);
  return { latency, seconds };
}
