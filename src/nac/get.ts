import { type DeviceAddress, isMacAddress } from '../domain/device-address.ts';
import { formatMacAddress, type MacAddress, type MacForm } from '../domain/mac-address.ts';
import type { Secret } from '../domain/secret.ts';
import { type HttpOutcome, targetUnder, type Upstream } from '../http.ts';

/**
 * A path under the NAC's base address. This file alone makes them, because some GETs of Cisco ISE's monitoring API change
 * the network (`CoA/...`): `test/nac/get.test.ts` lists every path.
 */
export type NacPath = string & { readonly kind: unique symbol };

/** The session of one device. `Session/IPAddress` would be the switch's own address. */
export function sessionPath(address: DeviceAddress, form: MacForm): NacPath {
  return under(
    isMacAddress(address)
      ? `Session/MACAddress/${formatMacAddress(address, form)}`
      : `Session/EndPointIPAddress/${address}`,
  );
}

/** The window of {@link attemptsPath} (seconds). */
const ATTEMPTS_SECONDS = 86_400;
const MOST_ATTEMPTS = 10;

/** The last ten authentications of one device within 24 hours, passed and failed. */
export function attemptsPath(address: MacAddress, form: MacForm): NacPath {
  return under(
    `AuthStatus/MACAddress/${formatMacAddress(address, form)}/${ATTEMPTS_SECONDS}/${MOST_ATTEMPTS}/All`,
  );
}

function under(rest: string): NacPath {
  return `/admin/API/mnt/${rest}` as NacPath;
}

/** Asks a NAC for one path, with GET alone. @param authorization the `Authorization` header's value */
export function get(
  upstream: Upstream,
  base: URL,
  path: NacPath,
  authorization: Secret,
): Promise<HttpOutcome> {
  return upstream.call({
    method: 'GET',
    url: targetUnder(base, path),
    headers: { authorization: authorization.reveal(), accept: 'application/xml' },
  });
}
