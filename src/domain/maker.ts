import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { isGroup, isLocallyAdministered, type MacAddress } from './mac-address.ts';

/** Returns who made a network card; undefined if the registries do not know, or if no maker assigned the address. */
export function findMaker(address: MacAddress): string | undefined {
  if (isGroup(address) || isLocallyAdministered(address)) return undefined;
  const digits = address.replaceAll(':', '');
  const owner = findEntry(digits.slice(0, 6));
  if (owner !== undefined && owner !== REGISTRAR) return owner;
  return findEntry(digits.slice(0, 9)) ?? findEntry(digits.slice(0, 7)) ?? owner;
}

/** Prefixes of virtual machines with the bit of private addresses: they are in no registry, and stay as they are. */
const HYPERVISORS: ReadonlyArray<readonly [prefix: string, name: string]> = [
  ['52:54:00', 'KVM'],
  ['FE:54:00', 'KVM'],
  ['FA:16:3E', 'OpenStack'],
  ['02:42', 'Docker'],
  ['0A:58', 'Kubernetes'],
  ['0A:00:27', 'VirtualBox'],
  ['56:6F', 'oVirt'],
  ['42:01', 'Google Compute Engine'],
  ['02:50:56', 'VMware'],
];

/** Returns the hypervisor of a virtual machine's address; undefined for any other address. */
export const findHypervisor = (address: MacAddress) =>
  HYPERVISORS.find(([prefix]) => address.startsWith(`${prefix}:`))?.[1];

/** Owns the large blocks that are given out in smaller ones. The registries lack a few of these. */
const REGISTRAR = 'IEEE Registration Authority';

/**
 * The IEEE's registries (MA-L, MA-M and MA-S), from `oui-data`: JSON with an entry on each line, short prefixes before long
 * ones, and prefixes of one length in order (a test checks this). Parsing it would cost 50 ms and 30 MB.
 */
const registry = readFileSync(createRequire(import.meta.url).resolve('oui-data'));

const [LINE_END, QUOTE] = [0x0a, 0x22]; // Node searches for a byte far faster than for a text.

/** Searches the lines by halves. A line looks like ` "001B54": "Cisco Systems, Inc\n...",`. */
function findEntry(prefix: string): string | undefined {
  let low = registry.indexOf(LINE_END) + 1; // The first and the last line are brackets.
  let high = registry.lastIndexOf(LINE_END);
  while (low < high) {
    const start = registry.lastIndexOf(LINE_END, ((low + high) >> 1) - 1) + 1;
    const end = registry.indexOf(LINE_END, start);
    const found = registry.toString('latin1', start + 2, registry.indexOf(QUOTE, start + 2));
    if (found === prefix) {
      const entry = registry.toString('utf8', start + found.length + 5, end);
      return JSON.parse(entry.replace(/(?:\\n.*|"),?$/, '"')); // Without the maker's postal address.
    }
    const isBefore = found.length === prefix.length ? found < prefix : found.length < prefix.length;
    if (isBefore) low = end + 1;
    else high = start;
  }
  return undefined;
}
