import { createRequire } from 'node:module';
import { expect, it } from 'vitest';
import { type MacAddress, toMacAddress } from '../../src/domain/mac-address.ts';
import { findMaker } from '../../src/domain/maker.ts';

const registry: Readonly<Record<string, string>> = createRequire(import.meta.url)('oui-data');

it.each([
  ['00:1B:54:00:00:07', 'Cisco Systems, Inc'],
  ['AA:00:03:00:00:07', undefined], // Made up by the device, though the block is a maker's.
  ['01:00:5E:00:00:FB', undefined], // A group's.
  ['FF:FF:FF:FF:FF:FF', undefined],
  ['00:00:00:00:00:00', undefined],
])('the maker of a device of %s is %s', (address, maker) =>
  expect(findMaker(address as MacAddress)).toBe(maker),
);

it('the maker of a device is that of the longest block, for each block', () => {
  const devices = Object.keys(registry)
    .filter((prefix) => (Number.parseInt(prefix.slice(0, 2), 16) & 3) === 0) // A maker's, and no group's.
    .map((block) => `${block.padEnd(11, '0')}1`);
  const makerOf = (device: string) => {
    const entries = [9, 7, 6].map((length) => registry[device.slice(0, length)]);
    return entries.find((entry) => entry !== undefined)?.split('\n')[0];
  };
  expect(devices.length).toBeGreaterThan(50_000);
  expect(devices.filter((device) => findMaker(toMacAddress(device)) !== makerOf(device))).toEqual([]);
});
