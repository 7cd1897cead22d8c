import { readAttributes, readItems, type Texts } from './nac-body.ts';
import { readFlag, readNetworkDevice, timeOf, unzoned } from './record.ts';

/** The most attempts that the NAC is asked for. */
export const MOST_ATTEMPTS = 10;
/** The longest that a call for attempts may take (milliseconds). */
export const HISTORY_MS = 2500;

/** One authentication of a device; a field is undefined if the NAC did not say it. Texts are foreign. */
export type Attempt = Partial<ReturnType<typeof readAttempt>> & { passed: boolean };

/**
 * Reads the attempts of an `<authStatusOutputList>` (Cisco ISE's AuthStatus/MACAddress) that passed or failed. The newest come
 * first, in whatever order the NAC lists them; those without a time come last.
 */
export function readAttempts(xml: string): Attempt[] {
  const attempts = readItems(xml, 'authStatusElements', 20).flatMap((texts) => {
    const failed = readFlag(texts.get('failed'));
    const passed = readFlag(texts.get('passed')) ?? (failed === undefined ? undefined : !failed);
    const time = texts.get('acs_timestamp');
    const order = timeOf(time) ?? unzoned(time) ?? 0;
    return passed === undefined ? [] : [{ order, attempt: readAttempt(passed, texts) }];
  });
  return attempts.toSorted((one, other) => other.order - one.order).map(({ attempt }) => attempt);
}

/** `at`: milliseconds since 1970. `failureReason`: a code and words, or either. */
function readAttempt(passed: boolean, texts: Texts) {
  const attributes = readAttributes(texts);
  return {
    passed,
    at: timeOf(texts.get('acs_timestamp')),
    failureReason: passed ? undefined : texts.get('failure_reason'),
    user: texts.get('user_name'),
    ...readNetworkDevice(texts),
    port: texts.get('nas_port_id'),
    /** The NAC's own node that answered. */
    node: texts.get('acs_server'),
    method: texts.get('authentication_method'),
    /** Its serial number, else its common name. */
    certificate: attributes.get('Serial Number') ?? attributes.get('Subject - Common Name'),
    authorizationProfiles: texts.get('selected_azn_profiles'),
  };
}

export type Change = 'place' | 'node' | 'method' | 'user' | 'certificate';

/**
 * What changed since a device last worked: the last attempt that passed, and the first after it that failed. Undefined if the
 * newest attempt passed, or none did. @param attempts the newest first
 */
export function turnOf(attempts: readonly Attempt[]) {
  const index = attempts.findIndex((attempt) => attempt.passed);
  const [passed, failed] = [attempts[index], attempts[index - 1]];
  if (passed === undefined || failed === undefined) return undefined;
  const isOther = (name: keyof Attempt) =>
    passed[name] !== undefined && failed[name] !== undefined && passed[name] !== failed[name];
  const changed = {
    place: isOther('networkDevice') || isOther('port'),
    method: isOther('method'),
    user: isOther('user'),
    certificate: isOther('certificate'),
    node: isOther('node'),
  };
  return { passed, failed, changed: (Object.keys(changed) as Change[]).filter((name) => changed[name]) };
}
