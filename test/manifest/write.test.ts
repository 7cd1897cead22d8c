import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { buildPackage } from '../../manifest/package.ts';
import { write } from '../../manifest/write.ts';

const folder = mkdtempSync(join(tmpdir(), 'manifest-'));
const out = join(folder, 'app.zip');
const MicrosoftAppId = '12345678-abcd-4321-8888-0123456789ab';
const PACKAGE = { appId: MicrosoftAppId, host: 'bot.example.com' };

afterAll(() => rmSync(folder, { recursive: true }));

test('with nothing set, the command names both settings, writes nothing and exits with 2', () => {
  const { code, said } = write(['--out', out], {});
  expect(code).toBe(2);
  expect(said).toMatch(/^ {2}MicrosoftAppId is missing/m);
  expect(said).toMatch(/^ {2}PUBLIC_HOST is missing/m);
  expect(readdirSync(folder)).toEqual([]);
});

test('an unknown argument is named together with the wrong settings', () => {
  const { code, said } = write(['not a host', 'more', '--zip', '--out', out], { MicrosoftAppId });
  expect(code).toBe(2);
  for (const name of ['PUBLIC_HOST', '--zip', 'The command']) expect(said).toContain(`  ${name} `);
  expect(existsSync(out)).toBe(false);
});

test('with settings, the command writes the package, and says in one line where it is and what comes next', () => {
  const { code, said } = write(['--out', out], { MicrosoftAppId, PUBLIC_HOST: 'bot.example.com' });
  expect(code).toBe(0);
  expect(said).toMatch(/^Wrote .*app\.zip for bot\.example\.com\. Next: .*manifest\/README\.md.*\n$/);
  expect(readFileSync(out).equals(buildPackage(PACKAGE))).toBe(true);
});

test('the host can be an argument, or a pasted address', () => {
  const { said } = write(['https://bot.example.com/api/messages', '--out', out], { MicrosoftAppId });
  expect(said).toContain('for bot.example.com.');
});

test('a file that cannot be written is named, and the command exits with 1', () => {
  const file = join(folder, 'no such folder', 'app.zip');
  const written = write(['bot.example.com', '--out', file], { MicrosoftAppId });
  expect(written).toEqual({ code: 1, said: `${file} could not be written (ENOENT).\n` });
});
