import { type DeviceAddress, isMacAddress, isUserQuery } from '../domain/device-address.ts';
import type { MacAddress } from '../domain/mac-address.ts';
import { type Account, basicAuthorization } from '../domain/secret.ts';
import { MAX_ATTEMPTS } from '../domain/session.ts';
import { type HttpRequest, targetUnder } from '../http.ts';

/**
 * A path under the base address of one of the NAC's nodes. This file alone makes them, because some GETs of Cisco ISE change
 * the network (`CoA/...`): `test/nac/paths.test.ts` lists every path.
 */
export type NacPath = string & { readonly kind: unique symbol };

/** How a MAC address is written in a path: `AA:BB:CC:DD:EE:FF` or `AA-BB-CC-DD-EE-FF`. */
export type MacForm = 'colon' | 'hyphen';
const write = (address: MacAddress, form: MacForm) =>
  form === 'colon' ? address : address.replaceAll(':', '-');

/** No device has this address, so that every NAC must say "no session". */
export const NOBODY = '00:00:00:00:00:00' as MacAddress;

const MNT = '/admin/API/mnt';

/** The session of one device. `Session/IPAddress` would be the switch's own address. */
export function sessionPath(address: DeviceAddress, form: MacForm): NacPath {
  if (isUserQuery(address)) {
    const name = address.slice('user '.length).toWellFormed();
    return `${MNT}/Session/UserName/${encodeURIComponent(name)}` as NacPath;
  }
  if (!isMacAddress(address)) return `${MNT}/Session/EndPointIPAddress/${address}` as NacPath;
  return `${MNT}/Session/MACAddress/${write(address, form)}` as NacPath;
}

/** The last authentications of one device within 24 hours (86,400 s), passed and failed. */
export function attemptsPath(address: MacAddress, form: MacForm): NacPath {
  return `${MNT}/AuthStatus/MACAddress/${write(address, form)}/86400/${MAX_ATTEMPTS}/All` as NacPath;
}

/** How many sessions a node knows. */
export const activeCountPath = () => `${MNT}/Session/ActiveCount` as NacPath;

/** Which release a node runs, and whether it keeps sessions. */
export const versionPath = () => `${MNT}/Version` as NacPath;

/** A device's own record, on the administration node of Cisco ISE 3.1 and newer. */
export const endpointPath = (address: MacAddress) => `/api/v1/endpoint/${address}` as NacPath;

/** The same on an older node, or where the newer interface is off. */
export const ersEndpointPath = (address: MacAddress) => `/ers/config/endpoint/name/${address}` as NacPath;

/** @param id letters, digits and hyphens alone */
export const groupPath = (id: string) => `/ers/config/endpointgroup/${id}` as NacPath;

/** A GET of one path at a node of the NAC, the only method there is. */
export function getRequest(
  base: URL,
  path: NacPath,
  account: Account,
  accept = 'application/xml',
): HttpRequest {
  const headers = { authorization: basicAuthorization(account), accept };
  return { method: 'GET', url: targetUnder(base, path), headers };
}
