import * as ip from './ip-address.ts';
import * as mac from './mac-address.ts';
import {
  type AddressFault,
  asDigits,
  completeTail,
  findFaults,
  findTails,
  guessMacAddresses,
} from './mistyped.ts';
import { type Reach, type Standing, standingsOf } from './standing.ts';

/** The device in a user's latest session. Without a domain; no dots alone, which a path would take for a folder. */
export type UserQuery = `user ${string}`;
/** A MAC address, an IP address or a user. Their forms differ, so a stored text shows which one it is. */
export type DeviceAddress = mac.MacAddress | ip.IpAddress | UserQuery;
/** The meaning of an address; only a `device` can have a session. */
export type AddressKind = mac.MacKind | ip.IpKind;

export type FoundAddresses = {
  /** To be looked up, each once, in order. */
  addresses: readonly DeviceAddress[];
  /** To be offered: digits that may be any number, likely corrections, and IP addresses that nobody asked for. */
  suspects: readonly DeviceAddress[];
  /** Neither: infrastructure beside a device, and IP addresses beside MAC addresses. `role`: in our words. */
  leftOut: ReadonlyArray<{ address: DeviceAddress; role: string }>;
  /** Words that are nearly an address. */
  faults: readonly AddressFault[];
  /** Whether the text holds nothing but addresses. */
  isList: boolean;
};

export const NO_ADDRESSES: FoundAddresses = {
  addresses: [],
  suspects: [],
  leftOut: [],
  faults: [],
  isList: false,
};

/** Most questions are this and nothing else. */
const ONE_MAC = /^\s*[\da-f]{2}([:-])(?:[\da-f]{2}\1){4}[\da-f]{2}\s*$/i;

/**
 * Sorts the addresses of a text by {@link standingsOf}. Takes linear time. IP addresses count behind a command or alone;
 * beside MAC addresses only in a list, because pasted log lines name switches and servers too.
 */
export function readAddresses(text: string, reach: Reach): FoundAddresses {
  if (text === '') return NO_ADDRESSES;
  const only = ONE_MAC.test(text) && (text.trim().toUpperCase().replaceAll('-', ':') as mac.MacAddress);
  if (only && reach !== 'overheard' && mac.gatewayRole(only) === undefined)
    return { ...NO_ADDRESSES, addresses: [only], isList: true };
  const plain = mac.plainText(text);
  const words = ip.findIpAddresses(plain);
  const ipSightings = words.flatMap((each) => (each.address ? { ...each, address: each.address } : []));
  const withoutIps = blank(plain, ipSightings);
  const sightings = mac.findSightings(withoutIps);
  const rest = blank(withoutIps, sightings);
  const ips = addressesIn(ipSightings);
  const isList = sightings.length + ips.length > 0 && !hasWords(rest);
  const isAsked = reach === 'asked' || isList;
  const macs = sortMacs(plain, sightings, isList && reach === 'addressed' ? 'list' : reach);
  if (reach === 'overheard') return { ...NO_ADDRESSES, addresses: macs.single };
  const hasMacs = macs.devices.length + macs.leftOut.length > 0;
  const countsIps = isAsked && (isList || !hasMacs);
  const found = new Set<DeviceAddress>([...macs.devices, ...(countsIps ? ips : [])]);
  const addresses = addressesIn<DeviceAddress>([...sightings, ...ipSightings]).filter((each) =>
    found.has(each),
  );
  const suspects = [
    ...macs.suspects,
    ...(isAsked && !hasMacs ? macs.others : []),
    ...(countsIps || hasMacs ? [] : ips),
    ...guessMacAddresses(rest, isAsked || /^\s*\S+\s*$/.test(plain)),
    ...(isAsked ? guessIpAddresses(rest) : []),
    ...findTails(addresses[0] ? rest : '').flatMap((tail) => completeTail(addresses[0] ?? '', tail)),
  ];
  const ipsBeside = isAsked && hasMacs && !countsIps ? ips : [];
  return {
    addresses,
    suspects: [...new Set(suspects)].filter((address) => !found.has(address)),
    leftOut: [...macs.leftOut, ...ipsBeside.map((address) => ({ address, role: 'an IP address' }))],
    faults: [...(isAsked && !hasMacs ? words.filter(({ address }) => !address) : []), ...findFaults(rest)],
    isList,
  };
}

const hasWords = (rest: string) => /[\p{L}\p{N}]/u.test(rest.replace(/\b(?:and|or|please|pls)\b/gi, ''));

/** Returns the IP addresses of a text without clear ones, whose numbers hold letters or zeros too many. */
function guessIpAddresses(rest: string): ip.IpAddress[] {
  const digits = asDigits(rest).replace(/(?<!\w)0+(?=\d)/g, '');
  return ip.findIpAddresses(digits).flatMap(({ address = [] }) => address);
}

function addressesIn<Address>(all: ReadonlyArray<{ address: Address; start: number }>): Address[] {
  const sorted = all.toSorted((one, other) => one.start - other.start);
  return [...new Set(sorted.map(({ address }) => address))];
}

function blank(text: string, parts: ReadonlyArray<{ start: number; end: number }>): string {
  let end = 0;
  const pieces = parts.map((part) => {
    const before = text.slice(end, part.start);
    end = part.end;
    return before + ' '.repeat(part.end - part.start);
  });
  return pieces.join('') + text.slice(end);
}

/** Parts devices from other things. If nothing but infrastructure or groups is there, somebody asks for them. */
function sortMacs(plain: string, sightings: readonly mac.Sighting[], reach: Reach | 'list') {
  const standings = standingsOf(plain, sightings, reach);
  const all = (standing: Standing) =>
    addressesIn(sightings.filter((_, index) => standings[index] === standing));
  const [single, equipment] = [all('device'), all('infrastructure')];
  const devices = [single, equipment, all('group')].find(({ length }) => length > 0) ?? [];
  const beside = equipment.filter((address) => !devices.includes(address));
  const leftOut = [
    ...all('gateway').map((address) => ({ address, role: mac.gatewayRole(address) ?? '' })),
    ...beside.map((address) => ({ address, role: 'an access point or a switch' })),
  ];
  return { single, devices, leftOut, suspects: all('suspect'), others: all('other') };
}

export function isMacAddress(address: DeviceAddress): address is mac.MacAddress {
  return /^(?:[0-9A-F]{2}:){5}[0-9A-F]{2}$/.test(address);
}

export const isUserQuery = (address: DeviceAddress): address is UserQuery => address.startsWith('user ');

/** Reads an address that was stored; empty if there is none. */
export function readDeviceAddress(stored: string): DeviceAddress[] {
  if (isUserQuery(stored as DeviceAddress)) return [stored as UserQuery];
  if (isMacAddress(stored as DeviceAddress)) return [stored as mac.MacAddress];
  const read = ip.readIpWord(stored);
  return read === undefined || read === 'fault' ? [] : [read];
}

export function addressKindOf(address: DeviceAddress): AddressKind {
  if (isUserQuery(address)) return 'device';
  return isMacAddress(address) ? mac.kindOf(address) : ip.ipKindOf(address);
}
