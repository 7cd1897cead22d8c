import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createChat, messageActivity, textOf } from '../../src/sandbox/chat.ts';
import { listen } from '../../src/sandbox/listen.ts';
import { type ProcessOptions, startProcess } from '../../src/sandbox/process.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts';
import { accept } from '../settings.ts';
import { untilOpen } from '../stage.ts';
import { newDatabase } from '../store/postgres.ts';

const TOP = fileURLToPath(new URL('../..', import.meta.url));
const README = readFileSync(join(TOP, 'README.md'), 'utf8');
/** The Node of this process stands for the host's own. */
const PATH = [dirname(process.execPath), process.env.PATH].join(delimiter);

const runFile = promisify(execFile);

type Settings = Readonly<Record<string, string>>;
type Ran = { code: number; stdout: string; stderr: string };

let clone: string;
let sandbox: Sandbox;
let databaseUrl: string;
/** What each command of {@link COMMANDS} has done. */
let ran: ReadonlyMap<string, Ran>;

/** Commands that run to their end, literally as the README has them: their settings, and what shows that they work. */
const COMMANDS: Readonly<Record<string, { settings(): Settings; check(ran: Ran): void }>> = {
  'npm run -s credential -- key': {
    settings: () => sandbox.environment,
    check: ({ stdout }) => expect(stdout).toMatch(/^[0-9a-f-]{36}\n$/),
  },
  'npm run -s credential -- ticket': {
    settings: () => sandbox.environment,
    check: ({ stdout }) => expect(stdout).toMatch(/^ST-[0-9a-f-]{36}\n$/),
  },
  'npm run doctor': {
    settings: () => sandbox.environment,
    check: ({ stdout }) => expect(stdout).toContain('NAC'),
  },
  'npm run backup -- FILE': {
    settings: () => sandbox.environment, // The bot of `node src/main.ts` made the database.
    check({ stdout }) {
      expect(stdout).toContain('was copied to');
      expect(statSync(join(clone, 'FILE')).mode & 0o777).toBe(0o600);
    },
  },
  'npm run import -- FILE': {
    settings: () => ({ DATABASE_URL: databaseUrl }),
    check: ({ stdout }) => expect(stdout).toContain('Imported from'),
  },
  'npm run manifest': {
    settings: () => ({
      MicrosoftAppId: '00000000-0000-0000-0000-000000000001',
      PUBLIC_HOST: 'bot.example.com',
    }),
    check: () => expect(existsSync(join(clone, 'manifest/nac-lookup-bot.zip'))).toBe(true),
  },
  'openssl rand -base64 32': {
    settings: () => ({}),
    check: ({ stdout }) => expect(Buffer.from(stdout, 'base64')).toHaveLength(32),
  },
  'openssl rand -hex 24': {
    settings: () => ({}),
    check: ({ stdout }) =>
      expect(accept({ ALERTS_TOKEN: stdout.trim() }).alertsToken?.reveal()).toHaveLength(48),
  },
};

const SERVE = 'node src/main.ts';
const INSTALL = 'npm ci --omit=dev';

/** These stand below, in `process.test.ts`, or run for minutes. */
const ELSEWHERE = [
  INSTALL,
  SERVE,
  'npm start',
  'npm test',
  'npm run test:long',
  'npm run sandbox',
  'npm run sandbox -- "lookup AA:BB:CC:DD:EE:FF"',
  'npm run sandbox -- --alert alertmanager',
];

describe('in a clone with the packages of `npm ci --omit=dev`', { timeout: 150_000 }, () => {
  beforeAll(async () => {
    clone = mkdtempSync(join(tmpdir(), 'nac-lookup-bot-clone-'));
    const { stdout } = spawnSync('git', ['ls-files', '-z', '--', ':!test'], { cwd: TOP, encoding: 'utf8' });
    for (const file of stdout.split('\0').filter(Boolean)) cpSync(join(TOP, file), join(clone, file));
    await inClone(INSTALL);
    [sandbox, databaseUrl] = await Promise.all([startSandbox(), newDatabase()]);
  }, 300_000);
  afterAll(async () => {
    await sandbox.close();
    rmSync(clone, { recursive: true, force: true });
  });

  it(`${SERVE} takes the alert that the README sends`, async () => {
    expect(existsSync(join(clone, 'node_modules/vitest'))).toBe(false);
    const bot = await startProcess({
      program: 'bash',
      args: ['-c', `exec ${SERVE}`],
      cwd: clone,
      env: { ...sandbox.environment, PORT: '3978', ALERTS_TOKEN: 'token-for-alerts', PATH },
      upWhen: (line) => /"msg":"database open"/.exec(line)?.[0],
    });
    try {
      const alert = blocks().find((block) => block.startsWith('curl -X POST')) ?? '';
      const here = alert.replace('<ALERTS_TOKEN>', 'token-for-alerts').replace('/alerts/NAME', '/alerts');
      const { stdout } = await inClone(`${here.trim()} --silent`);
      expect(JSON.parse(stdout)).toMatchObject({ lookups: [{ mac: 'AA:BB:CC:DD:EE:FF' }] });
    } finally {
      await bot.stop();
    }
    expect(bot.child.exitCode).toBe(0);
  });

  describe('after that', () => {
    beforeAll(async () => {
      ran = await runAll();
    }, 150_000);

    it.each(Object.entries(COMMANDS))('%s works', (command, { check }) => {
      const done = ran.get(command);
      expect(done).toMatchObject({ code: 0 });
      if (done) check(done);
    });
  });

  it('each command of the README is tried', () => {
    const inBlocks = blocks().flatMap((block) => block.replaceAll('\\\n', '').split('\n').filter(Boolean));
    const inWords = [...README.matchAll(/`((?:npm|node|openssl) [^`]+)`/g)].map(
      ([, command = '']) => command,
    );
    const commands = new Set([...inBlocks, ...inWords].filter((command) => !command.startsWith('curl ')));
    expect([...commands].toSorted()).toEqual([...Object.keys(COMMANDS), ...ELSEWHERE].toSorted());
  });
});

/** The README's blocks of commands. */
function blocks(): string[] {
  return [...README.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block);
}

async function inClone(script: string): Promise<{ stdout: string }> {
  return runFile('bash', ['-c', script], { cwd: clone, env: { ...process.env, PATH } });
}

/** Runs all {@link COMMANDS} in one shell, one after the other. */
async function runAll(): Promise<Map<string, Ran>> {
  const lines = Object.entries(COMMANDS).map(([command, { settings }], at) => {
    const exports = Object.entries(settings()).map(([name, value]) => `export ${name}='${value}'`);
    return `(${[...exports, command].join('; ')}) >${at}.out 2>${at}.err; echo $? >${at}.code`;
  });
  await inClone(lines.join('\n'));
  const text = (name: string) => readFileSync(join(clone, name), 'utf8');
  return new Map(
    Object.keys(COMMANDS).map((command, at) => [
      command,
      { code: Number(text(`${at}.code`)), stdout: text(`${at}.out`), stderr: text(`${at}.err`) },
    ]),
  );
}

describe('the sandbox command', () => {
  const MAIN = join(TOP, 'src/sandbox/main.ts');

  it('sends one message through the running bot, shows reply and post, and exits 0, also behind a proxy', async () => {
    const away = 'http://127.0.0.1:9';
    const { stdout } = await runFile(process.execPath, [MAIN, 'lookup AA:BB:CC:DD:EE:FF'], {
      env: { ...process.env, HTTPS_PROXY: away, HTTP_PROXY: away, https_proxy: away, http_proxy: away },
    });
    expect(stdout).toMatch(/The bot replies:\n {2}connected\. .*, AA:BB:CC:DD:EE:FF\n/);
    expect(stdout).toMatch(
      /received \(v2\):\n {2}AA:BB:CC:DD:EE:FF\n {2}Corp_Wired_Access\n {2}Basic_Authenticated_Access\n/,
    );
  });

  it('sends a sample alert, shows the answer and the post, and exits 0', async () => {
    const { stdout } = await runFile(process.execPath, [MAIN, '--alert', 'alertmanager']);
    expect(stdout).toMatch(/The bot answers 202:\n {2}\{"lookups":\[\{"mac":"00:1B:54:00:00:03"/);
    expect(stdout).toMatch(
      /received \(v2\):\n {2}Alert firing: Ports on sw-floor2-17 are down\n[\s\S]*:03: rejected/,
    );
  }, 120_000);

  const start = (onLine: NonNullable<ProcessOptions<true>['onLine']>) =>
    startProcess({
      args: [MAIN],
      env: { PORT: '0' },
      onLine,
      upWhen: (line) => line === 'Ctrl+C stops it.' || undefined,
    });

  it('without a message starts everything, says where to type and look, and stops on SIGTERM', async () => {
    const lines: string[] = [];
    const sandbox = await start((line) => lines.push(line));
    const pages = lines.flatMap((line) => /^ {2}(?:Type|Look) here: {2}(\S+)/.exec(line)?.[1] ?? []);
    const titles = await Promise.all(
      pages.map(async (page) => /<title>(.*?)<\/title>/.exec(await (await fetch(page)).text())?.[1]),
    );
    expect(titles).toEqual([expect.stringContaining('Playground'), "The team's room"]);
    const curl = lines.find((line) => line.startsWith('  curl ')) ?? '';
    const url = / (http:\S+)\/api\/alerts$/.exec(curl)?.[1] ?? '';
    await untilOpen(url);
    const { stdout } = await runFile('bash', ['-c', curl]);
    expect(stdout).toContain('{"lookups":[{"mac":"00:1B:54:00:00:03"');
    expect(await answerOf(url, 'alerts help')).toContain(`${url}/api/alerts/NAME`);
    await sandbox.stop();
    expect(sandbox.child.exitCode).toBe(0);
  });

  it.runIf(process.platform === 'linux')('says that the bot has died, and exits 1', async () => {
    const lines: string[] = [];
    const sandbox = await start((line) => lines.push(line));
    const exited = once(sandbox.child, 'exit');
    const { pid } = sandbox.child;
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
    const isBot = (child: string) => readFileSync(`/proc/${child}/cmdline`, 'utf8').includes('src/main.ts');
    process.kill(Number(children.find(isBot)), 'SIGKILL');
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
