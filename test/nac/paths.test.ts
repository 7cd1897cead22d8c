import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { MacAddress } from '../../src/domain/mac-address.ts';
import * as paths from '../../src/nac/paths.ts';

const FILE = 'src/nac/paths.ts';
const MAC = 'AA:BB:CC:DD:EE:FF' as MacAddress;
const { sessionPath, attemptsPath, activeCountPath, versionPath, ...records } = paths;
const { endpointPath, ersEndpointPath, groupPath, ...others } = records;

const read = (file: string) => readFileSync(file, 'utf8');
const filesWith = (pattern: RegExp, files: string) =>
  globSync(files).filter((file) => !file.startsWith('src/sandbox/') && pattern.test(read(file)));

/** Some GETs of the NAC change the network (`CoA/...`), so every path is listed here. */
it('the NAC is asked for these paths alone', () => {
  const addresses = [MAC, '192.0.2.7', '2001:db8::7', 'user ../a b?\ud800'] as MacAddress[];
  const sessions = addresses.map((address) => sessionPath(address, 'colon'));
  const node = [attemptsPath(MAC, 'colon'), activeCountPath(), versionPath()];
  const devices = [endpointPath(MAC), ersEndpointPath(MAC), groupPath('5f2c-11ee')];
  expect([...sessions, ...node, ...devices]).toEqual([
    '/admin/API/mnt/Session/MACAddress/AA:BB:CC:DD:EE:FF',
    '/admin/API/mnt/Session/EndPointIPAddress/192.0.2.7',
    '/admin/API/mnt/Session/EndPointIPAddress/2001:db8::7',
    '/admin/API/mnt/Session/UserName/..%2Fa%20b%3F%EF%BF%BD',
    '/admin/API/mnt/AuthStatus/MACAddress/AA:BB:CC:DD:EE:FF/86400/10/All',
    '/admin/API/mnt/Session/ActiveCount',
    '/admin/API/mnt/Version',
    '/api/v1/endpoint/AA:BB:CC:DD:EE:FF',
    '/ers/config/endpoint/name/AA:BB:CC:DD:EE:FF',
    '/ers/config/endpointgroup/5f2c-11ee',
  ]);
  expect(Object.keys(others).toSorted()).toEqual(['NOBODY', 'getRequest']);
});

it('the NAC is asked with GET alone, for paths of one file', () => {
  const files = globSync('src/nac{,/**/*}.ts').filter((file) => file !== FILE);
  const calls = files.flatMap((file) => read(file).match(/upstream\.call\(\w+/g) ?? []);
  expect(new Set(calls)).toEqual(new Set(['upstream.call(getRequest']));
  expect(filesWith(/targetUnder|method: '/, 'src/nac{,/**/*}.ts')).toEqual([FILE]);
  const made = read(FILE).match(/targetUnder\([^)]*\)|method: '\w+'/g);
  expect(made).toEqual(["method: 'GET'", 'targetUnder(base, path)']);
});

it('no other code makes a path, or knows the API of the NAC', () => {
  expect(filesWith(/as NacPath|API\/mnt|\/ers\/|api\/v1\/endpoint/, '{src,dialogs}/**/*.ts')).toEqual([FILE]);
});
