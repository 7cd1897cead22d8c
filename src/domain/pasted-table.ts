import { addressKindOf, type DeviceAddress } from './device-address.ts';
import { findMacAddresses, type MacAddress } from './mac-address.ts';

/** A virtual address that routers share, and whose it is in our words: `HSRP group 1`. */
export type Gateway = { address: MacAddress; role: string };

/** First-hop redundancy: Cisco's HSRP (RFC 2281; version 2; IPv6) and GLBP, and VRRP (RFC 9568, section 7.3). */
const GATEWAYS: ReadonlyArray<readonly [pattern: RegExp, protocol: string]> = [
  [/^00:00:0C:07:AC:(..)$/, 'HSRP'],
  [/^00:00:0C:9F:F(.:..)$/, 'HSRP'],
  [/^00:05:73:A0:0(.:..)$/, 'HSRP'],
  [/^00:00:5E:00:0[12]:(..)$/, 'VRRP'],
  [/^00:07:B4:0(.:..):..$/, 'GLBP'],
];

function gatewayOf(address: DeviceAddress): Gateway[] {
  return GATEWAYS.flatMap(([pattern, protocol]) => {
    const group = pattern.exec(address)?.[1]?.replace(':', '');
    const role = `${protocol} group ${Number.parseInt(group ?? '', 16)}`;
    return group === undefined ? [] : [{ address: address as MacAddress, role }];
  });
}

/** A line of `show mac address-table` about the switch itself (`All  0100.0ccc.cccc  STATIC  CPU`). */
const OWN_LINE = /^.*\bSTATIC\s+CPU\b.*$/gim;

/**
 * Parts the devices of a pasted table from what stands for none: the switch's own addresses, groups and virtual gateways. If
 * nothing but groups is there, they stay: somebody asks for them.
 */
export function sortPasted(text: string, addresses: readonly DeviceAddress[]) {
  const gateways = addresses.flatMap(gatewayOf);
  const own = new Set<string>((text.match(OWN_LINE) ?? []).flatMap((line) => findMacAddresses(line, 'wide')));
  const isGateway = new Set<string>(gateways.map(({ address }) => address));
  const others = addresses.filter((address) => !isGateway.has(address));
  const devices = others.filter((address) => !own.has(address) && addressKindOf(address) === 'device');
  return { devices: devices.length > 0 ? devices : others, gateways };
}
