import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { isLocallyAdministered, kindOf, type MacAddress } from './mac-address.ts';

/**
 * The IEEE's three registries (MA-L, MA-M and MA-S), as the package `oui-data` holds them: JSON with an entry on each line,
 * short prefixes before long ones, and those in order (a test holds it to that). It is searched as it stands: to parse it
 * would take 50 ms of the first lookup, and 30 MB.
 */
const registry = readFileSync(createRequire(import.meta.url).resolve('oui-data'));

/**
 * Who made the device's network card; undefined where the registries do not know it, and for addresses that no maker gave.
 */
export function findMaker(address: MacAddress): string | undefined {
  if (kindOf(address) !== 'device' || isLocallyAdministered(address)) return undefined;
  const digits = address.replaceAll(':', '');
  const block = findEntry(digits.slice(0, 6));
  const entry = (block ?? DIVIDED).startsWith(DIVIDED)
    ? (findEntry(digits.slice(0, 9)) ?? findEntry(digits.slice(0, 7)) ?? block)
    : block;
  return entry?.split('\n', 1)[0];
}

/** Whose blocks are given out in smaller ones. */
const DIVIDED = 'IEEE Registration Authority';

/** Halves the lines that may hold it, until it is found or none is left. Each is as ` "001B54": "Cisco Systems, Inc\n...",`. */
function findEntry(prefix: string): string | undefined {
  let low = registry.indexOf(NEWLINE) + 1; // The first and the last line are brackets.
  let high = registry.lastIndexOf(NEWLINE);
  while (low < high) {
    const middle = (low + high) >> 1;
    const start = registry.lastIndexOf(NEWLINE, middle - 1) + 1;
    const end = registry.indexOf(NEWLINE, middle);
    const [found = ''] = registry.toString('latin1', start + 2, start + 2 + LONGEST).split('"', 1);
    if (found === prefix) {
      const entry = registry.toString('utf8', start + prefix.length + 5, end);
      return JSON.parse(entry.replace(/,$/, ''));
    }
    if (isBefore(found, prefix)) low = end + 1;
    else high = start;
  }
  return undefined;
}

const NEWLINE = 10;
const LONGEST = 9;

function isBefore(one: string, other: string): boolean {
  return one.length === other.length ? one < other : one.length < other.length;
}
