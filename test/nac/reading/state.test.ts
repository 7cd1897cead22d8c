import { expect, it } from 'vitest';
import { stateOf } from '../../../src/domain/session.ts';
import { timeOf } from '../../time-of.ts';
import { BEGUN, EARLIER, type Elements, LATER, recordOf, session } from './session.ts';

const STOP = { acct_status_type: 'Stop', acct_acs_timestamp: LATER };
const REDIRECT = 'Class=a:b; cisco-av-pair=url-redirect=https://nac.example.com:8443/portal?sessionId=0A';
const PAIR = 'cisco-av-pair=';
const CWA = { response: `{${REDIRECT}&amp;action=cwa; }` };
const RULE = 'AuthorizationPolicyMatchedRule';

function stateOfXml(xml: string) {
  const record = recordOf(xml);
  return { kind: stateOf(record), to: record.portal, ...record.quarantine, ...record.ended };
}

const stateWith = (elements: Elements, attributes?: string) =>
  stateOfXml(session({ passed: 'true', auth_acs_timestamp: BEGUN, ...elements }, attributes));

const ENDED = { kind: 'ended', at: LATER, cause: 'User Request' };
const CONNECTED = { kind: 'connected' };
const unzoned = (begun: string, end: string) => ({ auth_acs_timestamp: begun, acct_acs_timestamp: end });
const to = (portal: string) => ({ kind: 'redirected', to: portal });
const by = (name: string | undefined) => ({ kind: 'quarantined', by: name });
const act = (action: string) => ({ response: `{${REDIRECT}&amp;${action}&amp;token=1; }` });

it.each<[elements: Elements, state: object, attributes?: string]>([
  // An accounting stop after the authentication; `stopped` lies, and counts only if a time is missing.
  [{ ...STOP, acct_terminate_cause: 'User Request', stopped: 'false' }, ENDED],
  [{ ...STOP, acct_acs_timestamp: BEGUN }, { kind: 'ended' }],
  [{ ...STOP, acct_acs_timestamp: EARLIER, stopped: 'true' }, CONNECTED],
  [{ ...STOP, acct_acs_timestamp: '2026-01-15T04:11:12.358+02:00' }, CONNECTED],
  [{ acct_status_type: 'Stop' }, CONNECTED],
  [{ acct_status_type: 'Stop', stopped: 'true' }, { kind: 'ended' }],
  [{ ...STOP, acct_acs_timestamp: 'noon', stopped: '1' }, { kind: 'ended' }],
  [{ ...STOP, acct_status_type: 'Interim-Update' }, CONNECTED],
  [{ stopped: 'true' }, CONNECTED],
  // A stop ends the session of its own id.
  [{ ...STOP, audit_session_id: 'A1' }, CONNECTED, 'CPMSessionID=A2'],
  [{ ...STOP, audit_session_id: 'a1' }, { kind: 'ended' }, 'CPMSessionID=A1'],
  // How the authentication ended.
  [{ passed: 'false', message_code: '5411' }, { kind: 'did not finish' }],
  [{ passed: 'false', failure_reason: '5440 x' }, { kind: 'did not finish' }],
  [{ passed: 'false', failure_reason: '12935 x' }, { kind: 'did not finish' }],
  [{ passed: 'false', execution_steps: '11001,12935,5411' }, { kind: 'did not finish' }],
  [{ passed: 'false', execution_steps: '11001,12935,11003' }, { kind: 'rejected' }],
  [{ passed: 'false', failure_reason: '12935 x', message_code: '5400' }, { kind: 'rejected' }],
  [{ passed: 'false', failure_reason: '22056 x', message_code: '5449' }, { kind: 'suppressed' }],
  [{ passed: 'false', failure_reason: '11213 x', message_code: '5417' }, { kind: 'unknown' }],
  [{ message_code: '5205' }, CONNECTED],
  // Times without a zone are compared with one another alone.
  [{ ...STOP, ...unzoned('2026-01-15 02:11:12', '2026-01-15T03:00:00'), stopped: '0' }, { kind: 'ended' }],
  [{ ...STOP, ...unzoned('2026-01-15T02:11:12', '2026-01-15T02:11:11'), stopped: '1' }, CONNECTED],
  [{ ...STOP, auth_acs_timestamp: '2026-01-15T01:00:00', stopped: 'false' }, CONNECTED],
  [{ ...STOP, auth_acs_timestamp: '9999-12-31T23:59:59Z' }, CONNECTED],
  // Quarantine by policy, profile or rule.
  [{}, by('ANC_Quarantine'), 'ANC-Policy=ANC_Quarantine'],
  [{}, by('QUARANTINED'), 'EPSStatus=QUARANTINED:!:ANCPolicy=Isolate'],
  [{}, by('Quarantine'), `${RULE}=Quarantine`],
  [{ selected_azn_profiles: 'Quarantine_VLAN' }, by('Quarantine_VLAN')],
  [{ selected_azn_profiles: 'Corp_Access, Quarantine' }, by('Quarantine')],
  [{ cts_security_group: 'Quarantined_Systems' }, by('Quarantined_Systems')],
  [{}, CONNECTED, `EPSStatus=Unquarantine:!:ANCPolicy=ANC_UnQuarantine:!:${RULE}=No_Quarantine`],
  [{ selected_azn_profiles: 'Not-Quarantined, not quarantined' }, CONNECTED],
  [{ selected_azn_profiles: 'QuarantineBypass, Quarantine_Check_Passed' }, CONNECTED],
  [{}, CONNECTED, `${RULE}=Staff_In_Quarantine`],
  [{ identity_group: 'Endpoint Identity Groups:Profiled,Quarantine' }, by('Quarantine')],
  [{ user_name: 'quarantine' }, CONNECTED, 'ISEPolicySetName=Quarantine'],
  // A portal, by the redirection's action; an access list or a profile's name alone tells nothing.
  [act('action=CWA'), to('web login')],
  [act('action=cpp'), to('posture')],
  [act('action=nsp'), to('onboarding')],
  [act('amp;action=nsp'), to('onboarding')], // An entity that is written twice.
  [act('action=mdm'), to('device management')],
  [act('action=other'), to('portal')],
  [{ response: '{url-redirect=https://nac:8444/blockedportal/gateway?portal=1; }' }, to('blocked')],
  [{ response: `{${REDIRECT}; x=&amp;action=cwa; }` }, to('portal')],
  [{ response: 'URL-REDIRECT=https://nac/?action=cwa' }, to('web login')],
  [{}, to('posture'), 'a=b:!:cisco-av-pair=url-redirect=https://nac/?action=cpp'],
  [{}, to('web login'), `${PAIR}url-redirect-acl=A:!:${PAIR}url-redirect=https://n/?action=cwa`],
  [{ response: '{WISPr-Redirection-URL=https://block-2.example/; }' }, to('portal')],
  [{ response: '{Own-WebAuth-URL=https://n/; Own-Captive-Portal=Crew; }' }, to('portal')],
  [{ response: '{Arista-Captive-Portal=https://n/?action=cwa; }' }, to('web login')],
  [{ 'cisco-av-pair': 'url-redirect=https://n/?action=nsp' }, to('onboarding')],
  [{ response: '{Juniper-CWA-Redirect=https://n/?action=cwa; }' }, to('web login')],
  [{ response: '{url-redirect-acl=REDIRECT; }', selected_azn_profiles: 'Guest_Redirect' }, CONNECTED],
  // The first match wins.
  [{ ...STOP, passed: 'false', ...CWA }, { kind: 'rejected' }],
  [{ ...STOP, ...CWA }, { kind: 'ended' }, 'ANCPolicy=Quarantine'],
  [CWA, by('Quarantine'), 'ANCPolicy=Quarantine:!:PostureStatus=NonCompliant'],
  [CWA, to('web login'), 'PostureStatus=Pending'],
  [CWA, to('web login'), 'PostureStatus=Compliant'],
])('the state of a session %j is %j, with the attributes %s', (elements, expected, attributes) =>
  expect(stateWith(elements, attributes)).toMatchObject(expected),
);

it.each([
  [{ ...STOP, stopped: 'false' }, 'ended'],
  [{ ...STOP, stopped: 'false', acs_timestamp: STOP.acct_acs_timestamp }, 'ended'],
  [{ ...STOP, acct_status_type: 'Interim-Update' }, 'unknown'],
])('the state of a session of accounting alone, %j, is %s', (elements, kind) =>
  expect(stateOfXml(session(elements)).kind).toBe(kind),
);

it.each([
  ['Pending', 'posture pending'],
  ['NonCompliant', 'not compliant'],
  ['Non-Compliant', 'not compliant'],
  ['Not Compliant', 'not compliant'],
  ['Compliant', 'connected'],
  ['NotApplicable', 'connected'],
  ['Unknown', 'connected'],
])('the state of a session with the posture %s is %s', (posture, kind) => {
  expect(stateWith({}, `PostureStatus=${posture}`).kind).toBe(kind);
  expect(stateWith({}, `PostureAssessmentStatus=${posture}`).kind).toBe(kind);
  for (const name of ['posture_status', 'posture_assessment_status', 'nac_policy_compliance'])
    expect(stateWith({ [name]: posture }).kind).toBe(kind);
  const notYetPosted = kind === 'connected' ? 'unknown' : kind; // The NAC did not say that it let the device in.
  expect(stateWith({ passed: '', nac_policy_compliance: posture }).kind).toBe(notYetPosted);
});

it.each(['url-redirect=', 'url-redirect=&amp;', '&amp;', 'action='])(
  'the state of a session needs little time for a megabyte of %s',
  (piece) => {
    const response = piece.repeat(1_000_000 / piece.length);
    const xml = session({ response, execution_steps: ','.repeat(100_000) });
    expect(timeOf(() => recordOf(xml))).toBeLessThan(200);
  },
);
