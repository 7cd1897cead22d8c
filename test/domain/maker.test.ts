import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import type { MacAddress } from '../../src/domain/mac-address.ts';
import { findMaker } from '../../src/domain/maker.ts';

const registry: Readonly<Record<string, string>> = createRequire(import.meta.url)('oui-data');

describe('the maker of a device', () => {
  it.each([
    ['00:1B:54:00:00:07', 'Cisco Systems, Inc'],
    ['F8:66:F2:00:10:20', 'Cisco Systems, Inc'],
  ])('of %s is %s', (address, maker) => {
    expect(findMaker(address as MacAddress)).toBe(maker);
  });

  it.each([
    ['made up by the device', '02:1B:54:00:00:07'],
    ['of a group', '01:00:5E:00:00:FB'],
    ['of all', 'FF:FF:FF:FF:FF:FF'],
    ['of none', '00:00:00:00:00:00'],
  ])('is not known for an address %s: %s', (_, address) => {
    expect(findMaker(address as MacAddress)).toBeUndefined();
  });

  it('is that of the longest block, for every block of the registry', () => {
    const devices = Object.keys(registry)
      .filter(isGlobal)
      .map((block) => `${block.padEnd(11, '0')}1`);
    const makerOf = (device: string) => {
      const entries = [9, 7, 6].map((length) => registry[device.slice(0, length)]);
      return entries.find((entry) => entry !== undefined)?.split('\n')[0];
    };
    expect(devices.length).toBeGreaterThan(50_000);
    expect(devices.filter((device) => findMaker(withColons(device)) !== makerOf(device))).toEqual([]);
  });

  it('is not known for a block that the registry does not hold', () => {
    const free = Array.from(
      { length: 0x100 },
      (_, third) => `FCFF${third.toString(16).padStart(2, '0').toUpperCase()}`,
    ).find((prefix) => !Object.keys(registry).some((each) => each.startsWith(prefix)));
    expect(findMaker(withColons(`${free}000007`))).toBeUndefined();
  });
});

function withColons(digits: string): MacAddress {
  return digits.replaceAll(/..(?!$)/g, '$&:') as MacAddress;
}

/** False for groups, and for addresses that devices make up themselves. */
function isGlobal(prefix: string): boolean {
  return (Number.parseInt(prefix.slice(0, 2), 16) & 3) === 0;
}
