import { createRequire } from 'node:module';
import { isLocallyAdministered, kindOf, type MacAddress } from './mac-address.ts';

const require = createRequire(import.meta.url);

/**
 * Who made the device's network card, by the IEEE's three registries (MA-L, MA-M and MA-S), as the package `oui-data`
 * holds them; undefined where they do not know it, and for addresses that no maker gave. The registry is read into
 * memory (about 30 MB, 50 ms) when it is first needed.
 */
export function findMaker(address: MacAddress): string | undefined {
  if (kindOf(address) !== 'device' || isLocallyAdministered(address)) return undefined;
  const registry: Readonly<Record<string, string>> = require('oui-data');
  const digits = address.replaceAll(':', '');
  // The smaller blocks lie inside larger ones that belong to the registry itself, so the longest prefix counts.
  const entry = [9, 7, 6]
    .map((length) => registry[digits.slice(0, length)])
    .find((each) => each !== undefined);
  return entry?.split('\n', 1)[0];
}
