import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

/** Some GETs of the NAC change the network (`CoA/...`), so every path stands here. */
const PATHS = ['/admin/API/mnt/Session/MACAddress/<mac>'];

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

it('the NAC is asked for these paths alone, and only with GET', () => {
  const code = globSync('src/nac/**/*.ts', { cwd: ROOT })
    .map((file) => readFileSync(`${ROOT}${file}`, 'utf8'))
    .join('\n');
  const targets = [...code.matchAll(/targetUnder\(\s*\w+,\s*[`']([^`']*)[`'],?\s*\)/g)].map(([, path]) =>
    path?.replace(/\$\{formatMacAddress\(.*?\)\}/g, '<mac>'),
  );
  expect(targets).toEqual(PATHS);
  expect([...code.matchAll(/targetUnder\(/g)]).toHaveLength(PATHS.length);
  expect([...code.matchAll(/upstream\s*\.call\(/g)]).toHaveLength(PATHS.length);
  expect([...code.matchAll(/method: '(\w+)'/g)].map(([, method]) => method)).toEqual(PATHS.map(() => 'GET'));
});

it('no other code knows the API of the NAC', () => {
  const files = globSync('{src,dialogs}/**/*.ts', { cwd: ROOT }).filter(
    (file) => !file.startsWith('src/sandbox/') && readFileSync(`${ROOT}${file}`, 'utf8').includes('API/mnt'),
  );
  expect(files).toEqual(['src/nac/session-call.ts']);
});
