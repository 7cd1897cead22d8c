import { describe, expect, it } from 'vitest';
import { readRecord } from '../../src/domain/record.ts';
import { stateOf } from '../../src/domain/session-state.ts';
import { type SessionFields, sessionXml } from '../../src/sandbox/session-xml.ts';
import { timeOf } from '../time-of.ts';

const BEGUN = '2026-01-15T02:11:12.359Z';
const LATER = '2026-01-15T03:00:00.000Z';
const EARLIER = '2026-01-15T02:11:12.358Z';
const STOP = { acct_status_type: 'Stop', acct_acs_timestamp: LATER };

describe('a session that has ended', () => {
  it('is told by an accounting stop after the authentication, with its time and cause', () => {
    const more = { ...STOP, acct_terminate_cause: 'User Request', stopped: 'false' };
    expect(state({ more })).toEqual({ kind: 'ended', at: LATER, cause: 'User Request' });
  });

  it.each([
    ['at the same time', { ...STOP, acct_acs_timestamp: BEGUN }, 'ended'],
    ['of the session before', { ...STOP, acct_acs_timestamp: EARLIER, stopped: 'true' }, 'connected'],
    ['in another zone', { ...STOP, acct_acs_timestamp: '2026-01-15T04:11:12.358+02:00' }, 'connected'],
    ['without a time', { acct_status_type: 'Stop' }, 'connected'],
    ['without a time, but stopped', { acct_status_type: 'Stop', stopped: 'true' }, 'ended'],
    ['without a readable time, but stopped', { ...STOP, acct_acs_timestamp: 'noon', stopped: '1' }, 'ended'],
    ['of another kind', { ...STOP, acct_status_type: 'Interim-Update' }, 'connected'],
    ['only as "stopped", which lies', { stopped: 'true' }, 'connected'],
  ])('is compared with the authentication: a stop %s', (_, more, kind) => {
    expect(state({ more }).kind).toBe(kind);
  });
});

describe('a device that is held', () => {
  const act = (action: string) => ({ more: { response: `{${REDIRECT}&amp;${action}&amp;token=1; }` } });

  it.each([
    [act('action=cwa'), 'web login'],
    [act('action=CWA'), 'web login'],
    [act('action=cpp'), 'posture'],
    [act('action=nsp'), 'onboarding'],
    [act('amp;action=nsp'), 'onboarding'], // An entity that is written twice.
    [act('action=mdm'), 'device management'],
    [act('action=other'), 'portal'],
    [{ more: { response: `{${REDIRECT}; x=&amp;action=cwa; }` } }, 'portal'],
    [{ other: { a: 'b', 'cisco-av-pair': 'url-redirect=https://nac/?action=cpp' } }, 'posture'],
  ])('by %j waits: %s', (fields, to) => {
    expect(state(fields)).toEqual({ kind: 'redirected', to });
  });

  it('is told by the second of two attributes of one name', () => {
    const other = {
      'cisco-av-pair': 'url-redirect-acl=REDIRECT:!:cisco-av-pair=url-redirect=https://n/?action=cwa',
    };
    expect(state({ other })).toEqual({ kind: 'redirected', to: 'web login' });
  });

  it("is not told by an access list or a profile's name alone", () => {
    const more = { response: '{cisco-av-pair=url-redirect-acl=REDIRECT; }' };
    expect(state({ more, selected_azn_profiles: 'Guest_Redirect' })).toEqual({ kind: 'connected' });
  });
});

describe('posture', () => {
  it.each([
    ['Pending', 'posture pending'],
    ['NonCompliant', 'not compliant'],
    ['Non-Compliant', 'not compliant'],
    ['Compliant', 'connected'],
    ['NotApplicable', 'connected'],
    ['Unknown', 'connected'],
  ])('%s: %s', (PostureStatus, kind) => {
    expect(state({ other: { PostureStatus } }).kind).toBe(kind);
    expect(state({ more: { nac_policy_compliance: PostureStatus }, other: {} }).kind).toBe(kind);
  });

  it('tells of the device, though the NAC did not say that it let the device in', () => {
    const xml = '<nac_policy_compliance>Pending</nac_policy_compliance>';
    const record = readRecord(`<sessionParameters>${xml}</sessionParameters>`);
    expect(stateOf(record).kind).toBe('posture pending');
  });
});

it('the first match wins', () => {
  const response = `{${REDIRECT}&amp;action=cwa; }`;
  const everything: Partial<SessionFields> = {
    passed: 'false',
    more: { ...STOP, response },
    other: { ANCPolicy: 'Quarantine', PostureStatus: 'NonCompliant' },
  };
  const passed: Partial<SessionFields> = { ...everything, passed: 'true' };
  const kinds = [
    everything,
    passed,
    { ...passed, more: { response } },
    { more: { response }, other: { PostureStatus: 'Pending' } },
  ].map((fields) => state(fields).kind);
  expect(kinds).toEqual(['rejected', 'ended', 'quarantined', 'redirected']);
});

it.each(['url-redirect=', 'url-redirect=&amp;', '&amp;', 'action='])(
  'needs little time for a megabyte of %s',
  (piece) => {
    const more = { response: piece.repeat(1_000_000 / piece.length), execution_steps: ','.repeat(100_000) };
    const xml = sessionXml({ more });
    expect(timeOf(() => readRecord(xml))).toBeLessThan(200);
  },
);

const REDIRECT = 'Class=a:b; cisco-av-pair=url-redirect=https://nac.example.com:8443/portal?sessionId=0A';

function state(fields: Partial<SessionFields>) {
  return stateOf(readRecord(sessionXml({ auth_acs_timestamp: BEGUN, ...fields })));
}
