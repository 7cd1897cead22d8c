import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { isLocallyAdministered, kindOf, type MacAddress } from './mac-address.ts';

/**
 * The IEEE's three registries (MA-L, MA-M and MA-S), from the package `oui-data`. The JSON has an entry on each line, short
 * prefixes before long ones, and prefixes of one length in order (a test checks this). The text is searched unparsed:
 * parsing would cost 50 ms and 30 MB, a search through the whole text 4 ms for each device.
 */
const registry = readFileSync(createRequire(import.meta.url).resolve('oui-data'));

/** Returns who made a network card; undefined if the registries do not know, or if no maker assigned the address. */
export function findMaker(address: MacAddress): string | undefined {
  if (kindOf(address) !== 'device' || isLocallyAdministered(address)) return undefined;
  const digits = address.replaceAll(':', '');
  const find = (length: number) => findEntry(digits.slice(0, length));
  const entry = find(9) ?? find(7) ?? find(6); // The registrants of large blocks give out smaller ones.
  return entry?.split('\n', 1)[0];
}

/** Searches the lines by halves. A line looks like ` "001B54": "Cisco Systems, Inc\n...",`. */
function findEntry(prefix: string): string | undefined {
  let low = registry.indexOf('\n') + 1; // The first and the last line are brackets.
  let high = registry.lastIndexOf('\n');
  while (low < high) {
    const start = registry.lastIndexOf('\n', ((low + high) >> 1) - 1) + 1;
    const end = registry.indexOf('\n', start);
    const line = registry.toString('utf8', start, end);
    const found = line.slice(2, line.indexOf('"', 2));
    if (found === prefix) return JSON.parse(line.slice(found.length + 5).replace(/,$/, ''));
    const isBefore = found.length === prefix.length ? found < prefix : found.length < prefix.length;
    if (isBefore) low = end + 1;
    else high = start;
  }
  return undefined;
}
