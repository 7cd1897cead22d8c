import { exec, execFile } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it, vi } from 'vitest';
import { createChat, messageActivity, textOf } from '../../src/sandbox/chat.ts';
import { listen } from '../../src/sandbox/listen.ts';
import { startProcess } from '../../src/sandbox/process.ts';

const MAIN = fileURLToPath(new URL('../../src/sandbox/main.ts', import.meta.url));

describe('the sandbox command', () => {
  it('sends one message through the running bot, shows reply and post, and exits 0, also behind a proxy', async () => {
    const away = 'http://127.0.0.1:9';
    const { stdout } = await promisify(execFile)(process.execPath, [MAIN, 'lookup AA:BB:CC:DD:EE:FF'], {
      env: { ...process.env, HTTPS_PROXY: away, HTTP_PROXY: away, https_proxy: away, http_proxy: away },
    });
    expect(stdout).toMatch(/The bot replies:\n {2}connected\. .*, AA:BB:CC:DD:EE:FF\n/);
    expect(stdout).toMatch(
      /received \(v2\):\n {2}AA:BB:CC:DD:EE:FF\n {2}Corp_Wired_Access\n {2}Basic_Authenticated_Access\n/,
    );
  });

  it('sends a sample alert, shows the answer and the post, and exits 0', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [MAIN, '--alert', 'alertmanager']);
    expect(stdout).toMatch(/The bot answers 202:\n {2}\{"lookups":\[\{"mac":"00:1B:54:00:00:03"/);
    expect(stdout).toMatch(
      /received \(v2\):\n {2}Alert firing: Ports on sw-floor2-17 are down\n[\s\S]*:03: rejected/,
    );
  }, 120_000);

  it('names the samples that there are, and exits 2', async () => {
    const ended = promisify(execFile)(process.execPath, [MAIN, '--alert', 'pager']);
    await expect(ended).rejects.toMatchObject({ code: 2, stderr: '--alert needs one of: alertmanager\n' });
  });

  it('without a message starts everything, says where to type and look, and stops on SIGTERM', async () => {
    const pages: string[] = [];
    let curl = '';
    const sandbox = await startProcess({
      args: [MAIN],
      env: { PORT: '0' },
      upWhen(line) {
        const page = /^ {2}(?:Type|Look) here: {2}(\S+)/.exec(line)?.[1];
        if (page !== undefined) pages.push(page);
        if (line.startsWith('  curl ')) curl = line.trim();
        return line === 'Ctrl+C stops it.' || undefined;
      },
    });
    const titles = await Promise.all(
      pages.map(async (page) => /<title>(.*?)<\/title>/.exec(await (await fetch(page)).text())?.[1]),
    );
    expect(titles).toEqual([expect.stringContaining('Playground'), "The team's room"]);
    await vi.waitFor(async () => {
      const { stdout } = await promisify(exec)(curl);
      expect(stdout).toContain('{"lookups":[{"mac":"00:1B:54:00:00:03"');
    }, 40_000);
    const url = / (http:\S+)\/api\/alerts$/.exec(curl)?.[1] ?? '';
    expect(await answerOf(url, 'alerts help')).toContain(`${url}/api/alerts/NAME`);
    await sandbox.stop();
    expect(sandbox.child.exitCode).toBe(0);
  });

  it('says that the bot has died, stops the rest, and exits 1', async () => {
    const lines: string[] = [];
    const sandbox = await startProcess({
      args: [MAIN],
      env: { PORT: '0' },
      upWhen: (line) => line === 'Ctrl+C stops it.' || undefined,
      onLine: (line) => lines.push(line),
    });
    const exited = once(sandbox.child, 'exit');
    const parent = ['-P', String(sandbox.child.pid)];
    const { stdout: pid } = await promisify(execFile)('pgrep', [...parent, '-f', 'src/main.ts']);
    process.kill(Number(pid), 'SIGKILL');
    expect(await exited).toEqual([1, null]);
    expect(lines).toContain('The bot has ended (SIGKILL), so the sandbox stops too.');
  });
});

/** Sends a message to the bot at this address, as another chat service. Returns the answer's text. */
async function answerOf(url: string, text: string): Promise<string> {
  const chat = createChat();
  const { url: serviceUrl, close } = await listen(chat.server);
  await fetch(`${url}/api/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(messageActivity(serviceUrl, text)),
  });
  await close();
  return chat.replies.map(textOf).join('\n');
}
