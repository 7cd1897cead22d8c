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
    expect(state({ more: { ...STOP, acct_terminate_cause: 'User Request', stopped: 'false' } })).toEqual({
      kind: 'ended',
      at: LATER,
      cause: 'User Request',
    });
  });

  it.each([
    ['at the same time', { ...STOP, acct_acs_timestamp: BEGUN }, 'ended'],
    [
      'before it, of the session before',
      { ...STOP, acct_acs_timestamp: EARLIER, stopped: 'true' },
      'connected',
    ],
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
  it.each([
    ['cwa', 'web login'],
    ['cpp', 'posture'],
    ['nsp', 'onboarding'],
    ['mdm', 'device management'],
    ['CWA', 'web login'],
    ['other', 'portal'],
  ])('by action=%s waits: %s', (action, why) => {
    const more = { response: `{${REDIRECT}&amp;action=${action}&amp;token=1; }` };
    expect(state({ more })).toEqual({ kind: 'redirected', to: why });
  });

  it.each([
    ['a portal without an action', { more: { response: `{${REDIRECT}; x=&amp;action=cwa; }` } }, 'portal'],
    [
      'an attribute',
      { other: { a: 'b', 'cisco-av-pair': 'url-redirect=https://nac/?action=cpp' } },
      'posture',
    ],
    ['entities written twice', { more: { response: `{${REDIRECT}&amp;amp;action=nsp}` } }, 'onboarding'],
  ])('is told by %s', (_, fields, why) => {
    expect(state(fields)).toEqual({ kind: 'redirected', to: why });
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
  const everything: Partial<SessionFields> = {
    passed: 'false',
    more: { ...STOP, response: `{${REDIRECT}&amp;action=cwa; }` },
    other: { ANCPolicy: 'Quarantine', PostureStatus: 'NonCompliant' },
  };
  expect(state(everything).kind).toBe('rejected');
  expect(state({ ...everything, passed: 'true' }).kind).toBe('ended');
  const { response } = everything.more ?? {};
  expect(state({ ...everything, passed: 'true', more: { response: response ?? '' } }).kind).toBe(
    'quarantined',
  );
  expect(state({ more: { response: response ?? '' }, other: { PostureStatus: 'Pending' } }).kind).toBe(
    'redirected',
  );
});

it('since is the authentication, else the record; the last sign of life counts accounting too', () => {
  const read = (texts: string) => readRecord(`<sessionParameters>${texts}</sessionParameters>`);
  const acs = `<acs_timestamp>${EARLIER}</acs_timestamp>`;
  const auth = `<auth_acs_timestamp>${BEGUN}</auth_acs_timestamp>`;
  expect(read(acs)).toMatchObject({ since: EARLIER, lastSignAt: Date.parse(EARLIER) });
  expect(read(acs + auth)).toMatchObject({ since: BEGUN, lastSignAt: Date.parse(BEGUN) });
  const acct = `<acct_acs_timestamp>${LATER}</acct_acs_timestamp>`;
  expect(read(auth + acct)).toMatchObject({ since: BEGUN, lastSignAt: Date.parse(LATER) });
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
