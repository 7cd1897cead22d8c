import { createRequire } from 'node:module';
import { type RunningProcess, startProcess } from './process.ts';

/**
 * Starts the Microsoft 365 Agents Playground as a chat page for a bot.
 * @param directory where the Playground writes its logs, in a folder `devTools`
 * @param port the preferred port; the Playground takes another if it is in use, and any free port for 0
 * @returns the process, and the page's address as `url`
 */
export async function startPlayground(options: {
  messagesUrl: string;
  port: number;
  directory: string;
}): Promise<RunningProcess & { url: string }> {
  const cli = createRequire(import.meta.url).resolve('@microsoft/m365agentsplayground/cli.js');
  const { messagesUrl, port, directory } = options;
  const playground = await startProcess({
    args: [cli, 'start', '-e', messagesUrl, '-c', 'msteams', '-p', String(port), '--dt'],
    env: { TEAMSAPPTESTER_BROWSER: 'none' },
    cwd: directory,
    upWhen: (line) => /Listening on (\d+)/.exec(line)?.[1],
  });
  return { ...playground, url: `http://localhost:${playground.up}` };
}
