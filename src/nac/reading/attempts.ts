import type { Attempt } from '../../domain/attempts.ts';
import { isAttempt, timeOf, unzoned } from '../../domain/session.ts';
import { readAttributes } from './attributes.ts';
import { readNetworkDevice } from './place.ts';
import { readPassed, readSteps, readUser } from './record.ts';
import { completeTest, readItems, rootElement, type Texts } from './xml.ts';

/** The root in older builds, too. */
const ROOTS = ['authStatusOutputList', 'restAuthStatusOutputList'];

/**
 * Reads the attempts of a device that passed or failed (Cisco ISE's AuthStatus/MACAddress). The newest come first, in whatever
 * order the NAC lists them; those without a time come last. Undefined if the text is no whole list: a page can come with
 * status 200.
 */
export function readAttempts(xml: string): readonly Attempt[] | undefined {
  const root = rootElement(xml) ?? '';
  if (!ROOTS.includes(root) || !completeTest(root)(xml)) return undefined;
  const attempts = readItems(xml, 'authStatusElements', 20).flatMap((texts) => {
    const passed = readPassed(texts);
    const time = texts.get('acs_timestamp');
    const order = timeOf(time) ?? unzoned(time) ?? 0;
    return passed === undefined ? [] : [{ order, attempt: readAttempt(passed, texts) }];
  });
  return attempts
    .toSorted((one, other) => other.order - one.order)
    .map(({ attempt }) => attempt)
    .filter(isAttempt);
}

function readAttempt(passed: boolean, texts: Texts): Attempt {
  const attributes = readAttributes(texts);
  return {
    passed,
    messageCode: texts.get('message_code'),
    at: timeOf(texts.get('acs_timestamp')),
    failureReason: passed ? undefined : texts.get('failure_reason'),
    steps: passed ? undefined : readSteps(texts),
    user: readUser(texts),
    ...readNetworkDevice(texts),
    port: texts.get('nas_port_id'),
    node: texts.get('acs_server'),
    method: texts.get('authentication_method'),
    certificate: attributes.get('serial number') ?? attributes.get('subject - common name'),
    authorizationProfiles: texts.get('selected_azn_profiles'),
  };
}
