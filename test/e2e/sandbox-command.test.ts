import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { startProcess } from '../../src/sandbox/process.ts';

const MAIN = fileURLToPath(new URL('../../src/sandbox/main.ts', import.meta.url));

describe('the sandbox command', () => {
  it('sends one message through the running bot, shows reply and post, and exits 0', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [MAIN, 'lookup AA:BB:CC:DD:EE:FF']);
    expect(stdout).toMatch(/The bot replies:\n {2}AA:BB:CC:DD:EE:FF: connected\./);
    expect(stdout).toMatch(
      /received \(v2\):\n {2}AA:BB:CC:DD:EE:FF\n {2}Corp_Wired_Access\n {2}Basic_Authenticated_Access\n/,
    );
  });

  it('without a message starts everything, says where to type and look, and stops on SIGTERM', async () => {
    const pages: string[] = [];
    const sandbox = await startProcess({
      args: [MAIN],
      env: { PORT: '0' },
      upWhen(line) {
        const page = /^ {2}(?:Type|Look) here: {2}(\S+)/.exec(line)?.[1];
        if (page !== undefined) pages.push(page);
        return line === 'Ctrl+C stops it.' || undefined;
      },
    });
    const titles = await Promise.all(
      pages.map(async (page) => /<title>(.*?)<\/title>/.exec(await (await fetch(page)).text())?.[1]),
    );
    expect(titles).toEqual([expect.stringContaining('Playground'), "The team's room"]);
    await sandbox.stop();
    expect(sandbox.child.exitCode).toBe(0);
  });
});
