import type { Known, NetworkDevice } from './session.ts';

/** The most attempts that the NAC is asked for. */
export const MAX_ATTEMPTS = 10;
/** The longest that a call for attempts may take (milliseconds). */
export const HISTORY_MS = 2500;

/** One authentication of a device. Missing: the NAC did not say it. Texts are untrusted. */
export type Attempt = { passed: boolean } & NetworkDevice &
  Known<{
    /** Milliseconds since 1970. */
    at: number;
    /** The code of the NAC's message, such as 5400. */
    messageCode: string;
    /** A code and words, or either. */
    failureReason: string;
    /** Codes of the NAC's steps, in order. */
    steps: readonly string[];
    user: string;
    port: string;
    /** The NAC's own node that answered. */
    node: string;
    method: string;
    /** Its serial number, else its common name. */
    certificate: string;
    authorizationProfiles: string;
  }>;

export type Change = 'place' | 'node' | 'method' | 'user' | 'certificate';

/**
 * Compares two attempts of a device that worked before: the last that passed, and the first after it that failed. Undefined if
 * the newest attempt passed, or none did. @param attempts the newest first
 */
export function turnOf(attempts: readonly Attempt[]) {
  const index = attempts.findIndex((attempt) => attempt.passed);
  const [passed, failed] = [attempts[index], attempts[index - 1]];
  if (passed === undefined || failed === undefined) return undefined;
  const isOther = (name: keyof Attempt) =>
    passed[name] !== undefined && failed[name] !== undefined && passed[name] !== failed[name];
  const changed = {
    place: isElsewhere(passed, failed) || isOther('port'),
    method: isOther('method'),
    user: isOther('user'),
    certificate: isOther('certificate'),
    node: isOther('node'),
  };
  return { passed, failed, changed: (Object.keys(changed) as Change[]).filter((name) => changed[name]) };
}

/** A name and an address are not compared. Devices that are defined by their subnet share a name. */
function isElsewhere(one: NetworkDevice, other: NetworkDevice): boolean {
  const [address, otherAddress] = [one.networkAddress, other.networkAddress];
  if (address !== undefined && otherAddress !== undefined) return address !== otherAddress;
  const isNamed = ({ networkDevice, networkAddress }: NetworkDevice) =>
    networkDevice !== undefined && networkDevice !== networkAddress;
  return isNamed(one) && isNamed(other) && one.networkDevice !== other.networkDevice;
}
