import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { newFolder } from '../store/engines.ts';

const COMMAND = fileURLToPath(new URL('../../src/cli/nac-lookup-bot.cjs', import.meta.url));

function run(args: readonly string[], env: Record<string, string> = {}) {
  const options = { encoding: 'utf8', env: { PATH: process.env.PATH, ...env } } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, [COMMAND, ...args], options);
  return { status, stdout, stderr };
}

it.each([
  [[], 2],
  [['toString'], 2],
  [['doctor', '--settings'], 2],
  [['doctor', '--other'], 2],
  [['--help'], 0],
] as const)('%j prints the commands, and exits with %i', (args, status) => {
  const { stdout, stderr, ...ended } = run(args);
  expect(ended.status).toBe(status);
  expect(stdout + stderr).toMatch(/^nac-lookup-bot COMMAND \[--settings FILE\]\n( {2}\S.* {2}\w.*\n){7}$/);
});

it.runIf(process.platform === 'linux')('a command whose output nobody reads ends without a stack', () => {
  const script = 'set -o pipefail; "$0" "$1" --help | :';
  const { status, stderr } = spawnSync('bash', ['-c', script, process.execPath, COMMAND]);
  expect([status, String(stderr)]).toEqual([1, '']);
});

it('settings of a file go before those of the environment', async () => {
  const folder = await newFolder();
  const file = join(folder, 'settings.env');
  mkdirSync(join(folder, 'bot'));
  writeFileSync(file, `DATA_DIR=${folder}/bot\nNODE_EXTRA_CA_CERTS=${folder}/none.pem\n`, { mode: 0o600 });
  const { status, stderr } = run(['backup', '--settings', file, 'copy.db'], { DATA_DIR: '/nonexistent' });
  expect(status).toBe(2);
  expect(stderr).toContain(`there is no database in ${folder}/bot`);
  expect(stderr).toContain(`Ignoring extra certs from \`${folder}/none.pem\``);
});

it('a file that cannot be used ends a command with 2, before anything else', () => {
  const { status, stdout, stderr } = run(['doctor', '--settings', '/nonexistent']);
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  expect(stderr).toMatch(/^The settings in \/nonexistent cannot be read \(ENOENT\): .*\n$/);
});
