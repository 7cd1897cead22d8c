import { readFlag, timeOf } from './session-state.ts';
import { readItems } from './xml.ts';

/** One authentication of a device; a field is undefined if the NAC did not say it. Texts are foreign. */
export type Attempt = {
  passed: boolean;
  /** Milliseconds since 1970. */
  at?: number | undefined;
  /** Why it failed: a code and words, or either. */
  failureReason?: string | undefined;
  user?: string | undefined;
  /** The switch, access point or controller. */
  networkDevice?: string | undefined;
  port?: string | undefined;
  authorizationProfiles?: string | undefined;
};

/** More than the NAC is asked for. */
const MOST_ATTEMPTS = 20;

/**
 * Reads the attempts of an `<authStatusOutputList>`, in its order, newest first; element names are Cisco ISE's
 * (AuthStatus/MACAddress of its monitoring API). Leaves out those that neither passed nor failed.
 */
export function readAttempts(xml: string): Attempt[] {
  return readItems(xml, 'authStatusElements', MOST_ATTEMPTS).flatMap(({ texts }) => {
    const failed = readFlag(texts.get('failed'));
    const passed = readFlag(texts.get('passed')) ?? (failed === undefined ? undefined : !failed);
    return passed === undefined ? [] : [attemptOf(passed, texts)];
  });
}

function attemptOf(passed: boolean, texts: ReadonlyMap<string, string>): Attempt {
  return {
    passed,
    at: timeOf(texts.get('acs_timestamp')),
    failureReason: passed ? undefined : texts.get('failure_reason'),
    user: texts.get('user_name'),
    networkDevice: texts.get('network_device_name') ?? texts.get('nas_ip_address'),
    port: texts.get('nas_port_id'),
    authorizationProfiles: texts.get('selected_azn_profiles'),
  };
}
