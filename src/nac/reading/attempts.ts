import type { Attempt } from '../../domain/attempts.ts';
import { isAttempt, timeOf, unzoned } from '../../domain/session.ts';
import { readNetworkDevice, readPassed } from './record.ts';
import { isWhole, readItems, readTexts, rootElement } from './texts.ts';

/**
 * Reads the attempts of a device that passed or failed (Cisco ISE's AuthStatus/MACAddress). The newest come first, in whatever
 * order the NAC lists them; those without a time come last. Undefined if the text is no whole list: a page can come with
 * status 200.
 */
export function readAttempts(xml: string): readonly Attempt[] | undefined {
  const root = rootElement(xml) ?? '';
  if (!/^(?:rest)?authstatus/i.test(root) || !isWhole(xml, root)) return undefined; // Builds name it differently.
  const orderOf = (elements: ReadonlyMap<string, string>) => {
    const time = elements.get('acs_timestamp');
    return timeOf(time) ?? unzoned(time) ?? 0;
  };
  return readItems(xml, 'authStatusElements', 20)
    .toSorted((one, other) => orderOf(other) - orderOf(one))
    .flatMap(readAttempt)
    .filter(isAttempt);
}

function readAttempt(elements: Map<string, string>): Attempt | [] {
  const { session, attributes } = readTexts(elements);
  const passed = readPassed(session);
  if (passed === undefined) return [];
  return {
    passed,
    messageCode: session.get('message_code'),
    at: timeOf(session.get('acs_timestamp')),
    failureReason: passed ? undefined : session.get('failure_reason'),
    steps: passed ? undefined : session.get('execution_steps')?.split(/[\s,]+/),
    user: session.get('user_name'),
    ...readNetworkDevice(session),
    port: session.get('nas_port_id'),
    node: session.get('acs_server'),
    method: session.get('authentication_method'),
    certificate: attributes.get('serial number') ?? attributes.get('subject - common name'),
    authorizationProfiles: session.get('selected_azn_profiles'),
  };
}
