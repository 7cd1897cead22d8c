import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { messageActivity } from '../../src/sandbox/chat.ts';
import { freePort } from '../../src/sandbox/listen.ts';
import { startProcess, startSandbox } from '../../src/sandbox/sandbox.ts';
import { sendAsCurl } from '../send-as-curl.ts';
import { ALERTS_TOKEN } from '../speaker.ts';
import { untilOpen } from '../start-bot.ts';
import { newDatabase } from '../store/postgres.ts';

const TOP = fileURLToPath(new URL('../..', import.meta.url));
const PAGES = ['README.md', 'docs/settings.md'].map((page) => readFileSync(join(TOP, page), 'utf8')).join('');
const BLOCKS = [...PAGES.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block);
const PATH = [dirname(process.execPath), process.env.PATH].join(delimiter);

const runFile = promisify(execFile);

type Settings = Readonly<Record<string, string>>;
type Ran = { code: number; stdout: string; stderr: string };

let clone: string;
let sandbox: Awaited<ReturnType<typeof startSandbox>>;

async function inClone(command: string, settings: Settings = {}): Promise<Ran> {
  const npm = { npm_config_prefer_offline: 'true', npm_config_audit: 'false' };
  const env = { ...process.env, ...npm, PATH, ...settings };
  const ran = runFile('bash', ['-c', command], { cwd: clone, env });
  return { code: 0, ...(await ran.catch((error: Ran) => error)) };
}

const DOCTOR = 'npm run doctor';
const INSTALL = 'npm ci --omit=dev';
const SERVE = 'node src/main.ts';
const WRONG = { LOG_LEVEL: 'canary', DATABASE_URL: 'canary' };

/** Commands literally as the pages have them: the exit code, settings beside the sandbox's, and what is printed. */
const COMMANDS: ReadonlyArray<[string, number, Settings | (() => Promise<Settings>), RegExp]> = [
  ['npm run -s credential -- key', 0, {}, /^[0-9a-f-]{36}\n$/],
  ['npm run -s credential -- ticket', 0, {}, /^ST-[0-9a-f-]{36}\n$/],
  [DOCTOR, 0, {}, /^works {4}settings .*^works {4}NAC .*^works {4}webhook .*^works {4}database /ms],
  [DOCTOR, 1, { NAC_PASSWORD: 'canary-nac' }, /^FAILS {4}NAC /m],
  [DOCTOR, 2, WRONG, /^FAILS {4}settings {15}DATABASE_URL must be.*\n.*LOG_LEVEL must be/m],
  ['npm run backup -- FILE', 0, {}, /was copied to/], // The bot of `node src/main.ts` made the database.
  ['npm run import -- FILE', 0, async () => ({ DATABASE_URL: await newDatabase() }), /Imported from/],
  ['npm run erase -- OBJECT_ID', 0, {}, /^The database does not name OBJECT_ID\.\n/m],
  ['openssl rand -base64 32', 0, {}, /^[\w+/]{43}=\n$/],
  ['openssl rand -hex 24', 0, {}, /^[0-9a-f]{48}\n$/],
];

/** These stand below, in `process.test.ts`, or run for minutes. */
const SANDBOX = ['', ' -- "lookup AA:BB:CC:DD:EE:FF"', ' -- --alert alertmanager'];
const ELSEWHERE = [INSTALL, SERVE, 'npm test', ...SANDBOX.map((more) => `npm run sandbox${more}`)];

describe('in a clone with the packages of `npm ci --omit=dev`', () => {
  beforeAll(async () => {
    clone = mkdtempSync(join(tmpdir(), 'nac-lookup-bot-clone-'));
    const { stdout } = spawnSync('git', ['ls-files', '-z', '--', ':!test'], { cwd: TOP, encoding: 'utf8' });
    for (const file of stdout.split('\0').filter(Boolean)) cpSync(join(TOP, file), join(clone, file));
    expect(await inClone(INSTALL)).toMatchObject({ code: 0 });
    sandbox = await startSandbox();
  }, 300_000);
  afterAll(async () => {
    await sandbox.close();
    rmSync(clone, { recursive: true, force: true });
  }, 300_000);

  it(`${SERVE} takes the alert that the README sends`, async () => {
    expect(existsSync(join(clone, 'node_modules/vitest'))).toBe(false);
    const port = String(await freePort(0));
    const bot = await startProcess({
      program: 'bash',
      args: ['-c', `exec ${SERVE}`],
      cwd: clone,
      env: { ...sandbox.environment, PORT: port, ALERTS_TOKEN, PATH },
      upWhen: /"msg":"listening"/,
    });
    onTestFinished(bot.stop);
    const curl = BLOCKS.find((block) => block.startsWith('curl -X POST')) ?? '';
    const address = `${port}/api/alerts`;
    const here = curl.replace('<ALERTS_TOKEN>', ALERTS_TOKEN).replace('3978/api/alerts/NAME', address);
    const answer = await (await sendAsCurl(here)).json();
    expect(answer).toMatchObject({ lookups: [{ mac: 'AA:BB:CC:DD:EE:FF' }] });
    await bot.stop();
    expect(bot.child.exitCode).toBe(0);
  });

  it.each(COMMANDS)('%s works, and exits with %i', async (command, code, changes, printed) => {
    const settings = typeof changes === 'function' ? await changes() : changes;
    const ran = await inClone(command, { ...sandbox.environment, ...settings });
    expect(ran, ran.stderr).toMatchObject({ code, stdout: expect.stringMatching(printed) });
    expect(ran.stdout + ran.stderr).not.toContain('canary');
  });

  it('each command of the pages is tried', () => {
    const inBlocks = BLOCKS.flatMap((block) => block.replaceAll('\\\n', '').split('\n').filter(Boolean));
    const inWords = [...PAGES.matchAll(/`((?:npm|node|openssl) [^`]+)`/g)].map(([, command = '']) => command);
    const commands = [...inBlocks, ...inWords].filter((command) => !command.startsWith('curl '));
    expect(new Set(commands)).toEqual(new Set([...COMMANDS.map(([command]) => command), ...ELSEWHERE]));
  });
});

describe('the sandbox command', () => {
  const MAIN = join(TOP, 'src/sandbox/main.ts');

  it.each<[what: string, args: string[], ...shown: RegExp[]]>([
    [
      'one message',
      ['lookup AA:BB:CC:DD:EE:FF'],
      /The bot replies:\n {2}connected\. .*, AA:BB:CC:DD:EE:FF\n/,
      /received \(v2\):\n {2}AA:BB:CC:DD:EE:FF connected, .*\n {2}Corp_Wired_Access\n {2}Basic_Authenticated_Access\n/,
    ],
    [
      'a sample alert',
      ['--alert', 'alertmanager'],
      /The bot answers 202:\n {2}\{"lookups":\[\{"mac":"00:1B:54:00:00:03"/,
      /received \(v2\):\n {2}Alert firing: Ports on sw-floor2-17 are down\n[\s\S]*:03 rejected/,
    ],
  ])('sends %s, shows answer and post, and exits 0, also behind a proxy', async (_, args, ...shown) => {
    const away = 'http://127.0.0.1:9';
    const env = { ...process.env, HTTPS_PROXY: away, HTTP_PROXY: away, https_proxy: away, http_proxy: away };
    const { stdout } = await runFile(process.execPath, [MAIN, ...args], { env });
    for (const each of shown) expect(stdout).toMatch(each);
  });

  async function start() {
    const lines: string[] = [];
    const sandbox = await startProcess({
      args: [MAIN],
      env: { PORT: '0' },
      onLine: (line) => lines.push(line),
      upWhen: /^Ctrl\+C stops it\.$/,
    });
    return { ...sandbox, lines };
  }

  it('without a message starts everything, and stops on SIGTERM', async () => {
    const { child, lines, stop } = await start();
    const pages = lines.flatMap((line) => /^ {2}(?:Type|Look) here: {2}(\S+)/.exec(line)?.[1] ?? []);
    const titles = await Promise.all(
      pages.map(async (page) => /<title>(.*?)<\/title>/.exec(await (await fetch(page)).text())?.[1]),
    );
    expect(titles).toEqual([expect.stringContaining('Playground'), "The team's room"]);
    const curl = lines.find((line) => line.startsWith('  curl ')) ?? '';
    const url = / (http:\S+)\/api\/alerts$/.exec(curl)?.[1] ?? '';
    await untilOpen(url);
    expect(await (await sendAsCurl(curl)).text()).toContain('{"lookups":[{"mac":"00:1B:54:00:00:03"');
    const help = { ...messageActivity(url, 'alerts help'), deliveryMode: 'expectReplies' };
    const headers = { 'content-type': 'application/json' };
    const sent = { method: 'POST', headers, body: JSON.stringify(help) };
    expect(await (await fetch(`${url}/api/messages`, sent)).text()).toContain(`${url}/api/alerts/NAME`);
    await stop();
    expect(child.exitCode).toBe(0);
  });

  it.runIf(process.platform === 'linux')('says that the bot has died, and exits 1', async () => {
    const { child, lines } = await start();
    const exited = once(child, 'exit');
    const children = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim().split(' ');
    const isBot = (pid: string) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('src/main.ts');
    process.kill(Number(children.find(isBot)), 'SIGKILL');
    expect(await exited).toEqual([1, null]);
    expect(lines).toContain('The bot has ended (SIGKILL), so the sandbox stops too.');
  });
});
