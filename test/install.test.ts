import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { runInNewContext } from 'node:vm';
import { expect, it, onTestFinished } from 'vitest';

const TOP = fileURLToPath(new URL('..', import.meta.url));
const INSTALL = join(TOP, 'src/install.cjs');

async function run(program: string, args: string[], cwd: string): Promise<string> {
  const shell = program === 'npm' && process.platform === 'win32';
  return (await promisify(execFile)(program, args, { cwd, shell })).stderr;
}

it('install.cjs installs what is missing, native parts too, and says so', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'install-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const write = (at: string, content: object) => {
    mkdirSync(join(folder, at), { recursive: true });
    writeFileSync(join(folder, at, 'package.json'), JSON.stringify({ version: '1.0.0', ...content }));
  };
  write('plain', {});
  write('native', { os: [process.platform], cpu: [process.arch] });
  write('.', {
    dependencies: { plain: 'file:plain' },
    optionalDependencies: { native: 'file:native' },
    scripts: { setup: `node "${INSTALL}"` },
  });
  const install = () => run('npm', ['run', '--silent', 'setup'], folder);
  await run('npm', ['install', '--package-lock-only'], folder);
  expect(await install()).toMatch(/^Installing packages into .* \(missing: \d\)\. This takes .*\n/);
  expect(await install()).toBe('');
  for (const part of ['native', '.package-lock.json']) {
    rmSync(join(folder, 'node_modules', part), { recursive: true });
    expect(await install(), part).toContain('Installing');
  }
});

it('install.cjs asks for no package of another platform', async () => {
  expect(await run(process.execPath, [INSTALL], TOP)).toBe('');
});

const CHECK = readFileSync(join(TOP, 'src/check-node.cjs'), 'utf8');

it.each([
  ['20.20.2', 2],
  ['24.14.0', 2],
  ['24.15.0', undefined],
  ['26.0.0', undefined],
])('Node %s ends with %j', (node, exitCode) => {
  const said: string[] = [];
  const codes: number[] = [];
  const process = {
    versions: { node },
    stderr: { write: (text: string) => said.push(text) },
    exit: (code: number) => codes.push(code),
  };
  runInNewContext(CHECK, { process });
  const sentence = `This bot needs Node 24.15 or newer, and this is Node ${node}. Please install a newer Node.\n`;
  expect([said, codes]).toEqual(exitCode === undefined ? [[], []] : [[sentence], [exitCode]]);
});

it('docs/service.md installs the pinned Node', () => {
  const read = (file: string) => readFileSync(join(TOP, file), 'utf8');
  const { devDependencies } = JSON.parse(read('package.json'));
  expect(read('docs/service.md')).toContain(` node@${devDependencies.node}\n`);
});
