import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

/** Some GETs of the NAC change the network (`CoA/...`), so every path stands here. */
const PATHS = ['/admin/API/mnt/Session/MACAddress/<mac>', '/admin/API/mnt/Session/EndPointIPAddress/<ip>'];

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

it('the NAC is asked for these paths alone, and only with GET', () => {
  const code = globSync('src/nac/**/*.ts', { cwd: ROOT })
    .map((file) => readFileSync(`${ROOT}${file}`, 'utf8'))
    .join('\n');
  const paths = [...code.matchAll(/[`'](\/[^`'*]*API[^`']*)[`']/g)].map(([, path]) =>
    path?.replace(/\$\{formatMacAddress\(.*?\)\}/g, '<mac>').replace(/\$\{address\}/g, '<ip>'),
  );
  expect(paths).toEqual(PATHS);
  expect([...code.matchAll(/targetUnder\((.*)\),/g)].map(([, target]) => target)).toEqual([
    'base, pathOf(address, macForm)',
  ]);
  expect([...code.matchAll(/targetUnder\(/g)]).toHaveLength(1);
  expect([...code.matchAll(/upstream\s*\.call\(/g)]).toHaveLength(1);
  expect([...code.matchAll(/method: '(\w+)'/g)].map(([, method]) => method)).toEqual(['GET']);
});

it('no other code knows the API of the NAC', () => {
  const files = globSync('{src,dialogs}/**/*.ts', { cwd: ROOT }).filter(
    (file) => !file.startsWith('src/sandbox/') && readFileSync(`${ROOT}${file}`, 'utf8').includes('API/mnt'),
  );
  expect(files).toEqual(['src/nac/session-call.ts']);
});
