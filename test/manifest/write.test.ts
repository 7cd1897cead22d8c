import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { buildPackage } from '../../manifest/package.ts';

const command = fileURLToPath(new URL('../../manifest/write.ts', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'manifest-'));
const out = join(folder, 'app.zip');
const appId = '12345678-abcd-4321-8888-0123456789ab';

afterAll(() => rmSync(folder, { recursive: true }));

test('with nothing set, the command names both settings, writes nothing and exits with 2', () => {
  const { status, stdout, stderr } = run({}, '--out', out);
  expect([status, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(/^ {2}MicrosoftAppId is missing/m);
  expect(stderr).toMatch(/^ {2}PUBLIC_HOST is missing/m);
  expect(readdirSync(folder)).toEqual([]);
});

test('an unknown argument is named together with the wrong settings', () => {
  const { status, stderr } = run({ MicrosoftAppId: appId }, 'not a host', 'more', '--zip', '--out', out);
  expect(status).toBe(2);
  for (const name of ['PUBLIC_HOST', '--zip', 'The command']) expect(stderr).toContain(`  ${name} `);
  expect(existsSync(out)).toBe(false);
});

test('with settings, the command writes the package, and says in one line where it is and what comes next', () => {
  const { status, stdout, stderr } = run(
    { MicrosoftAppId: appId, PUBLIC_HOST: 'bot.example.com' },
    '--out',
    out,
  );
  expect([status, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/^Wrote .*app\.zip for bot\.example\.com\. Next: .*manifest\/README\.md.*\n$/);
  expect(readFileSync(out).equals(buildPackage({ appId, host: 'bot.example.com' }))).toBe(true);
});

test('in another time zone, the command writes the same bytes', () => {
  const zoned = ['America/New_York', 'Asia/Kolkata'].map((TZ) => {
    run({ TZ, MicrosoftAppId: appId, PUBLIC_HOST: 'bot.example.com' }, '--out', out);
    return readFileSync(out).toString('base64');
  });
  expect(new Set(zoned).size).toBe(1);
});

test('the host can be an argument, or a pasted address', () => {
  const { stdout } = run({ MicrosoftAppId: appId }, 'https://bot.example.com/api/messages', '--out', out);
  expect(stdout).toContain('for bot.example.com.');
});

test('a file that cannot be written is named, and the command exits with 1', () => {
  const file = join(folder, 'no such folder', 'app.zip');
  const { status, stdout, stderr } = run({ MicrosoftAppId: appId }, 'bot.example.com', '--out', file);
  expect([status, stdout]).toEqual([1, '']);
  expect(stderr).toBe(`${file} could not be written (ENOENT).\n`);
});

function run(env: NodeJS.ProcessEnv, ...args: string[]) {
  return spawnSync(process.execPath, [command, ...args], { env, encoding: 'utf8' });
}
