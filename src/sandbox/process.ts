import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';

/** `stop` sends SIGTERM, `kill` sends SIGKILL; both wait until the process ends. */
export type RunningProcess = { child: ChildProcess; stop(): Promise<void>; kill(): Promise<void> };

/** `program`: this process's own Node by default. `detached`: whether it leads a process group of its own. */
export type ProcessOptions<T> = {
  program?: string;
  detached?: boolean;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  cwd?: string;
  /** Reads each line of stdout; any result but undefined means that the process is up. */
  upWhen(line: string): T | undefined;
  /** Receives each line of stdout and stderr. */
  onLine?(line: string): void;
};

/** Starts a Node program and waits until a line of its stdout says that it is up. Rejects if the program ends first. */
export async function startProcess<T>(options: ProcessOptions<T>): Promise<RunningProcess & { up: T }> {
  const { program = process.execPath, detached = false, args, env, cwd, upWhen, onLine = () => {} } = options;
  const { PATH, HOME, SystemRoot } = process.env;
  const child = spawn(program, args, {
    cwd,
    detached,
    env: { PATH, HOME, SystemRoot, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit');
  const killWithParent = () => child.kill();
  process.once('exit', killWithParent);
  child.once('exit', () => process.off('exit', killWithParent));
  let errors = '';
  createInterface(child.stderr).on('line', (line) => {
    errors += `${line}\n`;
    onLine(line);
  });
  const up = new Promise<T>((resolve, reject) => {
    createInterface(child.stdout).on('line', (line) => {
      onLine(line);
      const value = upWhen(line);
      if (value !== undefined) resolve(value);
    });
    child.once('error', reject);
    child.once('close', (code) => reject(new Error(`${args[0]} ended with ${code}:\n${errors}`)));
  });
  async function end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    child.kill(signal);
    await exited;
  }
  return { child, up: await up, stop: () => end('SIGTERM'), kill: () => end('SIGKILL') };
}

/**
 * Starts the Microsoft 365 Agents Playground as a chat page for a bot. It writes its logs into `devTools` in the directory.
 * @param options.port the preferred port; the Playground takes another if it is in use, and any free port for 0
 */
export async function startPlayground({
  messagesUrl,
  port,
  directory,
}: {
  messagesUrl: string;
  port: number;
  directory: string;
}): Promise<RunningProcess & { url: string }> {
  const cli = createRequire(import.meta.url).resolve('@microsoft/m365agentsplayground/cli.js');
  const playground = await startProcess({
    args: [cli, 'start', '-e', messagesUrl, '-c', 'msteams', '-p', String(port), '--dt'],
    env: { TEAMSAPPTESTER_BROWSER: 'none' },
    cwd: directory,
    upWhen: (line) => /Listening on (\d+)/.exec(line)?.[1],
  });
  return { ...playground, url: `http://localhost:${playground.up}` };
}
