import type { SessionRecord } from './session.ts';

/** The most attempts that the NAC is asked for. */
export const MAX_ATTEMPTS = 10;

/** The record of one authentication of a device. */
export type Attempt = SessionRecord & {
  passed: boolean;
  /** Milliseconds since 1970. Missing: the NAC did not say it. */
  at?: number | undefined;
};

export type Change = 'place' | 'node' | 'method' | 'user' | 'certificate';

/**
 * Compares two attempts of a device that worked before: the last that passed, and the first after it that failed. Undefined if
 * the newest attempt passed, or none did. @param attempts the newest first
 */
export function turnOf(attempts: readonly Attempt[]) {
  const index = attempts.findIndex((attempt) => attempt.passed);
  const [passed, failed] = [attempts[index], attempts[index - 1]];
  if (passed === undefined || failed === undefined) return undefined;
  const changed = {
    place:
      isElsewhere(passed, failed) ||
      isOther(shortPort(passed), shortPort(failed)) ||
      isOther(passed.wifi?.ssid, failed.wifi?.ssid),
    method: isOther(passed.method, failed.method),
    user: isOther(passed.user, failed.user),
    certificate: isOther(passed.certificate, failed.certificate),
    node: isOther(passed.node, failed.node),
  };
  return { passed, failed, changed: (Object.keys(changed) as Change[]).filter((name) => changed[name]) };
}

/** Nobody knows whether a missing text differs. */
const isOther = (one = '', other = '') =>
  one !== '' && other !== '' && one.toLowerCase() !== other.toLowerCase();

/** Interfaces are written long and short (`GigabitEthernet1/0/3`, `Gi1/0/3`). On Wi-Fi, it is a new one each time. */
const shortPort = ({ port, wifi }: SessionRecord) =>
  wifi ? undefined : port?.replace(/^([a-z]{2})[a-z]*(?=\d)/i, '$1');

/**
 * Compares like with like: no name with an address, and no IPv4 address with one of IPv6. Devices that are defined by their
 * subnet share a name.
 */
function isElsewhere(one: SessionRecord, other: SessionRecord): boolean {
  const [address = '', otherAddress = ''] = [one.networkAddress, other.networkAddress];
  const isAlike = address.includes(':') === otherAddress.includes(':');
  if (address !== '' && otherAddress !== '' && isAlike) return isOther(address, otherAddress);
  return isOther(hostOf(one), hostOf(other));
}

const hostOf = ({ networkDevice, networkAddress }: SessionRecord) =>
  networkDevice === networkAddress ? undefined : networkDevice?.split('.', 1)[0];
