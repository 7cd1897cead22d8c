import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { createChat, messageActivity, textOf } from '../../src/sandbox/chat.ts';
import { listen } from '../../src/sandbox/listen.ts';
import { startProcess, startSandbox } from '../../src/sandbox/sandbox.ts';

/**
 * Runs the image that `build-image` made: root read-only, no capability, against the sandbox's servers. Asks for its health,
 * stops it with a lookup in flight, and expects the answer, exit code 0, and all code compiled while the image was built.
 * Needs root, podman and runc.
 */
const IMAGE = 'localhost/nac-lookup-bot';
const NAME = `nac-lookup-bot-${process.pid}`;
const PORT = '39781';
const SLOW = '00:1B:54:00:00:05'; // Takes 3 s.

const podman = (...args: string[]) =>
  promisify(execFile)('podman', ['--runtime', 'runc', '--cgroup-manager', 'cgroupfs', ...args]);

const sandbox = await startSandbox();
const chat = createChat();
const chatAt = await listen(chat.server);
const { DATA_DIR: _, ...environment } = sandbox.environment;
const settings = { ...environment, PORT, OPS_PORT: '0', NODE_DEBUG_NATIVE: 'COMPILE_CACHE' };
/** What Node says of its compile cache. */
const cached: string[] = [];
const begun = performance.now();
const container = await startProcess({
  program: 'podman',
  args: [
    ...['--runtime', 'runc', '--cgroup-manager', 'cgroupfs', 'run', '--name', NAME, '--network', 'host'],
    ...['--ulimit', 'nofile=4096:4096', '--ulimit', 'nproc=4096:4096'],
    ...['--read-only', '--cap-drop', 'all', '--security-opt', 'no-new-privileges', '--memory', '512m'],
    ...Object.entries(settings).flatMap(([name, value]) => ['--env', `${name}=${value}`]),
    IMAGE,
  ],
  env: {},
  upWhen: /"msg":"listening"/,
  onLine: (line) => (line.includes('[compile cache]') ? cached.push(line) : print(line)),
});
try {
  say(`listening with an open database after ${Math.round(performance.now() - begun)} ms`);
  await podman('healthcheck', 'run', NAME); // Rejects unless healthy.
  say('healthy');
  const { components } = JSON.parse((await podman('exec', NAME, 'cat', '/app/sbom.json')).stdout);
  const licensed = components.filter((component: { licenses?: unknown[] }) => component.licenses);
  say(`packages in the SBOM: ${components.length}, with a licence: ${licensed.length}`);
  const asked = fetch(`http://127.0.0.1:${PORT}/api/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(messageActivity(chatAt.url, `lookup ${SLOW}`)),
  });
  while (sandbox.nacCalls.length === 0) await new Promise((resolve) => setTimeout(resolve, 50));
  const exit = once(container.child, 'exit');
  await podman('kill', '--signal', 'SIGTERM', NAME);
  const [code] = await exit;
  say(`stopped with a lookup in flight: HTTP ${(await asked).status}, exit code ${code}`);
  for (const reply of chat.replies) say(`answer: ${textOf(reply).split('\n')[0]}`);
  // Threads write into one another's lines.
  const modules = [...cached.join('\n').matchAll(/code cache for (.+?) was (.+?),/g)];
  const missing = modules.filter(([, , state]) => state !== 'accepted');
  say(`modules: ${modules.length}, of which not compiled while the image was built: ${missing.length}`);
  for (const [, name] of missing) say(`not compiled: ${name}`);
  const isListed = licensed.length > 100 && components.length - licensed.length < 3; // One package names no licence.
  const isCompiled = modules.length > 1000 && missing.length === 0;
  const last = chat.replies.at(-1); // A progress message can stand before it.
  const isAnswered = last !== undefined && textOf(last).startsWith('connected');
  if (code !== 0 || !isAnswered || !isCompiled || !isListed) process.exitCode = 1;
} finally {
  await podman('rm', '--force', NAME);
  await Promise.all([chatAt.close(), sandbox.close()]);
}

function say(line: string): void {
  print(`# ${line}`);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
