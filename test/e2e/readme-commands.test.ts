import { execFile, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startProcess } from '../../src/sandbox/process.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts';
import { accept } from '../settings.ts';
import { startPostgres } from '../store/postgres.ts';

const TOP = fileURLToPath(new URL('../..', import.meta.url));
const README = readFileSync(join(TOP, 'README.md'), 'utf8');

/** These install what developers need, and run for minutes: `.ci/run`, and `test/e2e/sandbox-command.test.ts`. */
const ELSEWHERE = [
  'npm test',
  'npm run sandbox',
  'npm run sandbox -- "lookup AA:BB:CC:DD:EE:FF"',
  'npm run sandbox -- --alert alertmanager',
];

let clone: string;
let sandbox: Sandbox;
let run: (command: string, settings?: Readonly<Record<string, string>>) => Promise<Ran>;

type Ran = { code: number; stdout: string; stderr: string };

beforeAll(async () => {
  clone = mkdtempSync(join(tmpdir(), 'nac-lookup-bot-clone-'));
  const { stdout } = spawnSync('git', ['ls-files', '-z', '--', ':!test'], { cwd: TOP, encoding: 'utf8' });
  for (const file of stdout.split('\0').filter(Boolean)) cpSync(join(TOP, file), join(clone, file));
  // The Node of this process stands for the host's own.
  const path = [dirname(process.execPath), process.env.PATH].join(delimiter);
  const inherited = { ...process.env, PATH: path };
  run = async (command, settings = {}) => {
    const options = { cwd: clone, env: { ...inherited, ...settings }, timeout: 120_000 };
    const { stdout, stderr, code } = await promisify(execFile)('bash', ['-c', command], options).then(
      (ended) => ({ ...ended, code: 0 }),
      (error: Ran) => error,
    );
    return { stdout, stderr, code };
  };
  sandbox = await startSandbox();
  expect(await run('npm ci --omit=dev')).toMatchObject({ code: 0 });
}, 300_000);

afterAll(async () => {
  await sandbox.close();
  rmSync(clone, { recursive: true, force: true });
});

/** Each command of the README, literally, and what shows that it works. */
const COMMANDS: Readonly<Record<string, (command: string) => Promise<void>>> = {
  async 'npm ci --omit=dev'() {
    expect(existsSync(join(clone, 'node_modules/undici'))).toBe(true);
    expect(existsSync(join(clone, 'node_modules/vitest'))).toBe(false);
  },
  async 'node src/main.ts'(command) {
    const nothingSet = await run(command);
    expect(nothingSet.code).toBe(2);
    expect(nothingSet.stderr).toContain('NAC_URL');
    const bot = await startProcess({
      program: 'bash',
      args: ['-c', `exec ${command}`],
      cwd: clone,
      env: { ...sandbox.environment, PORT: '3978', ALERTS_TOKEN: 'token-for-alerts', PATH: pathOfNode() },
      upWhen: (line) => /"msg":"database open"/.exec(line)?.[0],
    });
    try {
      const alert = shellOf('curl -X POST')
        .replace('<ALERTS_TOKEN>', 'token-for-alerts')
        .replace('/alerts/NAME', '/alerts');
      const { stdout } = await run(`${alert} --silent`);
      expect(JSON.parse(stdout)).toMatchObject({ lookups: [{ mac: 'AA:BB:CC:DD:EE:FF' }] });
    } finally {
      await bot.stop();
    }
    expect(bot.child.exitCode).toBe(0);
  },
  async 'npm start'(command) {
    expect(await run(command)).toMatchObject({ code: 2, stderr: expect.stringContaining('NAC_URL') });
  },
  async 'npm run -s credential -- key'(command) {
    expect(await run(command, sandbox.environment)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^[0-9a-f-]{36}\n$/),
    });
  },
  async 'npm run -s credential -- ticket'(command) {
    expect(await run(command, sandbox.environment)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^ST-[0-9a-f-]{36}\n$/),
    });
  },
  async 'npm run doctor'(command) {
    const { code, stdout } = await run(command, sandbox.environment);
    expect(stdout).toContain('NAC');
    expect(code).toBe(0);
  },
  async 'npm run backup -- FILE'(command) {
    const copied = await run(command, sandbox.environment); // The bot of `node src/main.ts` made the database.
    expect(copied).toMatchObject({ code: 0, stdout: expect.stringContaining('was copied to') });
    expect(statSync(join(clone, 'FILE')).mode & 0o777).toBe(0o600);
  },
  async 'npm run import -- FILE'(command) {
    const postgres = await startPostgres();
    const imported = await run(command, { DATABASE_URL: postgres.url });
    expect(imported).toMatchObject({ code: 0, stdout: expect.stringContaining('Imported from') });
    await postgres.close();
  },
  async 'npm run manifest'(command) {
    const settings = {
      MicrosoftAppId: '00000000-0000-0000-0000-000000000001',
      PUBLIC_HOST: 'bot.example.com',
    };
    expect(await run(command, settings)).toMatchObject({ code: 0 });
    expect(existsSync(join(clone, 'manifest/nac-lookup-bot.zip'))).toBe(true);
  },
  async 'openssl rand -base64 32'(command) {
    const { stdout } = await run(command);
    expect(Buffer.from(stdout, 'base64')).toHaveLength(32);
  },
  async 'openssl rand -hex 24'(command) {
    const { stdout } = await run(command);
    expect(accept({ ALERTS_TOKEN: stdout.trim() }).alertsToken?.reveal()).toHaveLength(48);
  },
};

describe('in a clone with the packages of `npm ci --omit=dev`', { timeout: 150_000 }, () => {
  it.each(Object.entries(COMMANDS))('%s works', (command, tried) => tried(command));

  it('each command of the README is tried', () => {
    const inBlocks = [...README.matchAll(/^```sh\n(.*?)^```$/gms)].flatMap(([, block = '']) =>
      block.replaceAll('\\\n', '').split('\n').filter(Boolean),
    );
    const inWords = [...README.matchAll(/`((?:npm|node|openssl) [^`]+)`/g)].map(
      ([, command = '']) => command,
    );
    const commands = new Set([...inBlocks, ...inWords].filter((command) => !command.startsWith('curl ')));
    expect([...commands].toSorted()).toEqual([...Object.keys(COMMANDS), ...ELSEWHERE].toSorted());
  });
});

/** The command of the README's only block that begins so. */
function shellOf(beginning: string): string {
  const block = [...README.matchAll(/^```sh\n(.*?)^```$/gms)].find(([, each = '']) =>
    each.startsWith(beginning),
  );
  return block?.[1]?.trim() ?? '';
}

function pathOfNode(): string {
  return [dirname(process.execPath), process.env.PATH].join(delimiter);
}
