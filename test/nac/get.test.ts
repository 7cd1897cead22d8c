import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import type { MacAddress } from '../../src/domain/mac-address.ts';
import { attemptsPath, sessionPath } from '../../src/nac/get.ts';

/** Some GETs of the NAC change the network (`CoA/...`), so every path stands here. */
const PATHS = [
  '/admin/API/mnt/AuthStatus/MACAddress/AA:BB:CC:DD:EE:FF/86400/10/All',
  '/admin/API/mnt/Session/EndPointIPAddress/192.0.2.7',
  '/admin/API/mnt/Session/EndPointIPAddress/2001:db8::7',
  '/admin/API/mnt/Session/MACAddress/AA:BB:CC:DD:EE:FF',
];

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const read = (file: string) => readFileSync(`${ROOT}${file}`, 'utf8');
const filesWith = (pattern: RegExp, folders = 'src/nac') =>
  globSync(`${folders}/**/*.ts`, { cwd: ROOT })
    .filter((file) => !file.startsWith('src/sandbox/') && pattern.test(read(file)))
    .toSorted();

it('the NAC is asked for these paths alone', () => {
  const addresses = ['AA:BB:CC:DD:EE:FF', '192.0.2.7', '2001:db8::7'] as const;
  const made = [
    attemptsPath('AA:BB:CC:DD:EE:FF' as MacAddress, 'colon'),
    ...addresses.map((address) => sessionPath(address as MacAddress, 'colon')),
  ];
  expect(made.toSorted()).toEqual(PATHS);
});

it('the NAC is asked in one place, and only with GET', () => {
  expect(filesWith(/\bupstream\s*\.\s*call\b|targetUnder|method: '/)).toEqual(['src/nac/get.ts']);
  expect(read('src/nac/get.ts').match(/upstream\.call\(|targetUnder\([^)]*\)|method: .*/g)).toEqual([
    'upstream.call(',
    "method: 'GET',",
    'targetUnder(base, path)',
  ]);
});

it('no other code makes a path, or knows the API of the NAC', () => {
  expect(filesWith(/as NacPath|API\/mnt/, '{src,dialogs}')).toEqual(['src/nac/get.ts']);
});
