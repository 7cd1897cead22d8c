import { type SpawnOptions, spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { freePort, jsonServer, listen } from './listen.ts';
import { createNac, PERSONAL_ACCOUNT, type SandboxAccount, SERVICE_ACCOUNT } from './nac.ts';

/** Starts the five endpoints on loopback. `room`: the preferred port of the room page; `pace`: of the NAC's slow answers. */
export async function startSandbox({ room, pace = 1 }: { room?: number; pace?: number } = {}) {
  const data = await mkdtemp(join(tmpdir(), 'nac-lookup-bot-'));
  const accounts = [SERVICE_ACCOUNT, PERSONAL_ACCOUNT];
  const nac = createNac(accounts, pace);
  const webhook = createWebhook();
  const [nacAt, exchangesAt, webhookAt] = await Promise.all([
    listen(nac.server),
    listen(createExchanges(accounts)),
    listen(webhook.server, room),
  ]);
  const urls = { NAC: nacAt, ENDPOINTS: nacAt, AUTHORIZE: exchangesAt, TICKET: exchangesAt };
  const settings = Object.entries(urls).flatMap(([system, { url }]) => [
    [`${system}_URL`, url],
    [`${system}_USERNAME`, SERVICE_ACCOUNT.username],
    [`${system}_PASSWORD`, SERVICE_ACCOUNT.password],
  ]);
  const environment: Readonly<Record<string, string>> = {
    ...Object.fromEntries(settings),
    ALLOW_UNAUTHENTICATED: '1',
    OPS_PORT: '0',
    WEBHOOK_URL: webhookAt.url,
    WEBHOOK_TOKEN: 'sandbox-room',
    AUTHORIZE_SDK_PREFIX: 'vedsdk',
    PERSONAL_SIGN_IN: '1',
    SECRET_KEY: randomBytes(32).toString('base64'),
    DATA_DIR: data,
  };
  return {
    /** The posts that the webhook received, in order of arrival. */
    posts: webhook.posts,
    roomUrl: webhookAt.url,
    /** The session calls that the NAC received, and its other calls. */
    nacCalls: nac.calls,
    nacOtherCalls: nac.otherCalls,
    environment,
    async close(): Promise<void> {
      await Promise.all([nacAt.close(), exchangesAt.close(), webhookAt.close()]);
      await rm(data, { recursive: true, force: true });
    },
  };
}

/** The exchanges for an API key (under `/vedsdk`) and a ticket. */
export function createExchanges(accounts: readonly SandboxAccount[]) {
  return jsonServer((route, { Username, Password, username = Username, password = Password }) => {
    const isKnown = accounts.some((each) => each.username === username && each.password === password);
    if (route === 'POST /vedsdk/Authorize/') {
      if (!Username || !Password) return [400, { Error: 'Username and Password are needed' }];
      const ValidUntil = `/Date(${Date.now() + 600_000})/`;
      return isKnown ? [200, { APIKey: randomUUID(), ValidUntil }] : [401, { Error: 'Invalid credentials' }];
    }
    if (route !== 'POST /api/v1/ticket') return [404, { Error: 'no such endpoint' }];
    const serviceTicket = `ST-${randomUUID()}`;
    return isKnown
      ? [200, { response: { serviceTicket, idleTimeout: 1800, sessionTimeout: 21_600 }, version: '1.0' }]
      : [401, { response: { errorCode: 'INVALID_CREDENTIALS' }, version: '1.0' }];
  });
}

const NOT_FOUND = { status: 'error', message: 'Webhook not found!', error: 'Webhook not found!' };

/** The webhook in both forms, and the team's room: a page that asks for `/posts` again and again, and shows the new ones. */
export function createWebhook() {
  const posts: Array<{ at: string; form: 'v2' | 'legacy'; text: string }> = [];
  const server = jsonServer((route, { text }) => {
    const page = PAGES.get(route.split('?', 1)[0] ?? '');
    if (page) return [200, page.body, { ...HEADERS, 'content-type': page.type }];
    if (route === 'GET /posts') return [200, posts, HEADERS];
    const [, v2, token] = /^POST \/webhook\/(v2\/)?([^/]+)$/.exec(route) ?? [];
    if (token === undefined) return [404, { message: 'Not Found' }];
    if (typeof text !== 'string') return [400, { status: 'error', message: 'text is needed' }];
    if (token === 'answers-500') return [500, 'Internal Server Error'];
    if (token !== 'sandbox-room') return [200, NOT_FOUND];
    posts.push({ at: new Date().toISOString(), form: v2 ? 'v2' : 'legacy', text });
    return [200, { status: 'OK' }];
  });
  return { server, posts };
}

const PAGES = new Map(
  Object.entries({ '': 'html', 'room.css': 'css', 'room.js': 'javascript' }).map(([file, type]) => {
    const body = readFileSync(new URL(file || 'room.html', import.meta.url), 'utf8');
    return [`GET /${file}`, { type: `text/${type}; charset=utf-8`, body }];
  }),
);

const HEADERS = {
  'content-security-policy':
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
};

const MAIN = fileURLToPath(new URL('../main.ts', import.meta.url));

export type RunningBot = Awaited<ReturnType<typeof startBot>>;

/** Starts the bot as in production: as its own process, with only these settings. */
export async function startBot(
  env: ProcessOptions['env'],
  onLine?: ProcessOptions['onLine'],
  command: Omit<ProcessOptions, 'env' | 'upWhen'> = { args: [MAIN] },
) {
  const bot = await startProcess({ ...command, env, upWhen: /"port":(\d+),"msg":"listening"/, onLine });
  return { ...bot, url: `http://127.0.0.1:${bot.up}` };
}

/**
 * Starts the Microsoft 365 Agents Playground as a chat page for a bot. It writes its logs into `devTools` in the directory.
 * @param options.port the preferred port; any free port is taken if it is in use, and for 0
 */
export async function startPlayground(options: { botUrl: string; port: number; directory: string }) {
  const port = await freePort(options.port);
  const { resolve } = createRequire(import.meta.url);
  const program = ['--require', resolve('./loopback.cjs'), resolve('@microsoft/m365agentsplayground/cli.js')];
  const bot = ['-e', `${options.botUrl}/api/messages`, '-c', 'msteams'];
  const own = ['-p', String(port), '--su', `http://127.0.0.1:${port}/_connector`, '--dt'];
  const playground = await startProcess({
    args: [...program, 'start', ...bot, ...own],
    env: { TEAMSAPPTESTER_BROWSER: 'none' },
    cwd: options.directory,
    upWhen: /Listening on (\d+)/,
  });
  return { ...playground, url: `http://127.0.0.1:${playground.up}` };
}

/** `program`: this process's own Node by default. The first group of `upWhen`, if any, is the result's `up`. */
type ProcessOptions = Pick<SpawnOptions, 'cwd' | 'detached'> & {
  program?: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  upWhen: RegExp;
  onLine?: ((line: string) => void) | undefined;
};

/**
 * Starts a Node program and waits until a line of its stdout says that it is up. Rejects if the program ends first.
 * Its `stop` sends SIGTERM, `kill` sends SIGKILL; both wait until the process ends.
 */
export async function startProcess(options: ProcessOptions) {
  const { program = process.execPath, args, env, upWhen, onLine, ...place } = options;
  const { PATH, HOME, SystemRoot } = process.env;
  const allowed = { PATH, HOME, SystemRoot, ...env };
  const child = spawn(program, args, { ...place, env: allowed, stdio: ['ignore', 'pipe', 'pipe'] });
  const exited = once(child, 'exit');
  const killWithParent = () => child.kill();
  process.once('exit', killWithParent);
  child.once('exit', () => process.off('exit', killWithParent));
  let errors = '';
  createInterface(child.stderr).on('line', (line) => {
    errors += `${line}\n`;
    onLine?.(line);
  });
  const up = new Promise<string>((resolve, reject) => {
    createInterface(child.stdout).on('line', (line) => {
      onLine?.(line);
      const isUp = upWhen.exec(line);
      if (isUp) resolve(isUp[1] ?? '');
    });
    child.once('error', reject);
    child.once('close', (code) => reject(new Error(`${args[0]} ended with ${code}:\n${errors}`)));
  });
  const end = async (signal: 'SIGTERM' | 'SIGKILL') => {
    child.kill(signal);
    await exited;
  };
  return { child, up: await up, stop: () => end('SIGTERM'), kill: () => end('SIGKILL') };
}
