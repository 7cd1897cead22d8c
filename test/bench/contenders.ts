import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../src/sandbox/listen.ts';
import { startProcess } from '../../src/sandbox/process.ts';

/** Who does the work, each as a process of its own. */
export const CONTENDERS = {
  floor: { script: 'peers/floor.ts', settings: {}, upWith: 'port' },
  botbuilder: { script: 'peers/plain-botbuilder.ts', settings: {}, upWith: 'port' },
  'Agents SDK': { script: 'peers/agents-sdk.ts', settings: {}, upWith: 'port' },
  'Teams SDK': { script: 'peers/teams-sdk.ts', settings: {}, upWith: 'port' },
  /** With everything on that can be on: the metrics, the log, a list of who is allowed. */
  'nac-lookup-bot': {
    script: '../../src/main.ts',
    settings: { ALLOW_UNAUTHENTICATED: '1', PORT: '0', ALLOWED_TENANTS: 'bench', LOG_LEVEL: 'info' },
    upWith: 'database open',
  },
} as const;

export type Contender = keyof typeof CONTENDERS;

export type Usage = { cpuMs: number; rssMb: number };

export type Running = {
  messagesUrl: string;
  /** What the process has used until now: milliseconds of CPU over all threads, and megabytes (10^6) of memory. */
  usage(): Promise<Usage>;
  stop(): Promise<void>;
};

/** @param nodeOptions options of Node itself, such as `--cpu-prof` */
export async function startContender(
  contender: Contender,
  environment: Readonly<Record<string, string>>,
  nodeOptions: readonly string[] = [],
): Promise<Running> {
  const { script, settings, upWith } = CONTENDERS[contender];
  const data = await mkdtemp(join(tmpdir(), 'nac-lookup-bot-bench-'));
  let port: string | undefined;
  const usages: Array<(usage: Usage) => void> = [];
  const running = await startProcess({
    args: [...nodeOptions, '--import', new URL('probe.ts', import.meta.url).href, pathOf(script)],
    env: { ...environment, ...settings, OPS_PORT: String(await freePort(9464)), DATA_DIR: data },
    upWhen(line) {
      port ??= /"port":(\d+)/.exec(line)?.[1];
      return line.includes(upWith) ? port : undefined;
    },
    onLine(line) {
      if (line.startsWith('{"cpuMs"')) usages.shift()?.(JSON.parse(line));
    },
  });
  return {
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

function pathOf(script: string): string {
  return fileURLToPath(new URL(script, import.meta.url));
}
