import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { LRUCache } from 'lru-cache';
import { isLocallyAdministered, kindOf, type MacAddress } from './mac-address.ts';

/**
 * The IEEE's three registries (MA-L, MA-M and MA-S), from the package `oui-data`. The JSON has an entry on each line, short
 * prefixes before long ones, and prefixes of one length in order (a test checks this). The text is searched unparsed:
 * parsing would cost the first lookup 50 ms, and 30 MB.
 */
const registry = readFileSync(createRequire(import.meta.url).resolve('oui-data'));

/** Returns who made a network card; undefined if the registries do not know, or if no maker assigned the address. */
export function findMaker(address: MacAddress): string | undefined {
  if (kindOf(address) !== 'device' || isLocallyAdministered(address)) return undefined;
  const digits = address.replaceAll(':', '');
  const block = findBlock(digits.slice(0, 6));
  const entry = (block ?? DIVIDED).startsWith(DIVIDED)
    ? (findEntry(digits.slice(0, 9)) ?? findEntry(digits.slice(0, 7)) ?? block)
    : block;
  return entry?.split('\n', 1)[0];
}

/** This registrant's blocks are given out in smaller blocks. */
const DIVIDED = 'IEEE Registration Authority';

/** A team's devices come from a few blocks. An empty text stands for a block that the registry does not know. */
const blocks = new LRUCache<string, string>({ max: 1000 });

function findBlock(prefix: string): string | undefined {
  let block = blocks.get(prefix);
  if (block === undefined) {
    block = findEntry(prefix) ?? '';
    blocks.set(prefix, block);
  }
  return block || undefined;
}

/** Searches the lines by halves. A line looks like ` "001B54": "Cisco Systems, Inc\n...",`. */
function findEntry(prefix: string): string | undefined {
  const wanted = Buffer.from(prefix);
  let low = registry.indexOf(NEWLINE) + 1; // The first and the last line are brackets.
  let high = registry.lastIndexOf(NEWLINE);
  while (low < high) {
    const middle = (low + high) >> 1;
    const start = registry.lastIndexOf(NEWLINE, middle - 1) + 1;
    const end = registry.indexOf(NEWLINE, middle);
    const order = compare(start + 2, wanted);
    if (order === 0) {
      const entry = registry.toString('utf8', start + prefix.length + 5, end);
      return JSON.parse(entry.replace(/,$/, ''));
    }
    if (order < 0) low = end + 1;
    else high = start;
  }
  return undefined;
}

const NEWLINE = 0x0a;
const QUOTE = 0x22;

/** Returns below 0 if the prefix at `at` comes before the wanted prefix in the registry, 0 if they are equal. */
function compare(at: number, wanted: Buffer): number {
  const { length } = wanted;
  return registry.indexOf(QUOTE, at) - at - length || registry.compare(wanted, 0, length, at, at + length);
}
