import { describe, expect, it } from 'vitest';
import { readFields, readRecord, stateOf } from '../../src/domain/record.ts';
import { sessionXml } from '../../src/sandbox/session-xml.ts';
import { timeOf } from '../time-of.ts';

const ALEX = '<user_name>alex</user_name>';
const EARLIER = '2026-01-15T02:11:12.358Z';
const BEGUN = '2026-01-15T02:11:12.359Z';
const LATER = '2026-01-15T03:00:00.000Z';

type Texts = Readonly<Record<string, string>>;

function session(elements: string, attributes: Texts = {}): string {
  const pairs = Object.entries(attributes).map((pair) => `:!:${pair.join('=')}`);
  const other = pairs.length > 0 ? `<other_attr_string>${pairs.join('')}:!:</other_attr_string>` : '';
  return `<sessionParameters>${elements}${other}</sessionParameters>`;
}

function elementsOf(texts: Texts): string {
  return Object.entries(texts)
    .map(([name, text]) => `<${name}>${text}</${name}>`)
    .join('');
}

describe('readRecord', () => {
  it('labels what a session says', () => {
    const xml = sessionXml({
      passed: 'false',
      user_name: 'R&amp;D &lt;alex&gt;',
      failure_reason: '15039 Rejected',
      other: {
        ISEPolicySetName: 'Campus: "A"; x=1',
        AuthorizationPolicyMatchedRule: 'Rule_1',
        PostureStatus: 'Unknown',
      },
    });
    expect(readRecord(xml)).toMatchObject({
      passed: false,
      user: 'R&D <alex>',
      ...{ ipAddress: '198.51.100.23', networkDevice: 'sw-floor2-17', port: 'GigabitEthernet1/0/15' },
      authorizationProfiles: 'Corp_Wired_Access',
      policySet: 'Campus: "A"; x=1',
      rule: 'Rule_1',
      endpointProfile: undefined,
      posture: undefined,
      failureReason: '15039 Rejected',
      since: '2026-01-15T02:11:12.359Z',
    });
  });

  const VLAN = 'Tunnel-Private-Group-ID=';
  const ACL = 'cisco-av-pair=ACS:CiscoSecure-Defined-ACL=';
  const MATCHED = { EndPointMatchedProfile: 'Cisco-Device' };

  it.each<[elements: Texts, attributes: Texts, said: object]>([
    [{ passed: '1' }, {}, { passed: true }],
    [{ passed: '0' }, {}, { passed: false }],
    [{ passed: 'maybe' }, {}, { passed: undefined }],
    [{ failed: '1' }, {}, { passed: false }],
    // IPv6 if there is no IPv4 address.
    [{ framed_ipv6_address: '<ipv6_address>2001:db8::1</ipv6_address>' }, {}, { ipAddress: '2001:db8::1' }],
    [{ response: `{Class=x; ${VLAN}(tag=1) 30; a=b}` }, {}, { vlan: '30', accessList: undefined }],
    [{ response: `{${VLAN}Guest Net}` }, {}, { vlan: 'Guest Net' }],
    [{ response: `{${VLAN}(tag=1) ; a=b}` }, {}, { vlan: undefined }],
    [{ response: `{${ACL}#ACSACL#-IP-Printers_Only-57f6b0d3; }` }, {}, { accessList: 'Printers_Only' }],
    [{ response: `{${ACL}Own_List; }` }, {}, { accessList: 'Own_List', vlan: undefined }],
    [{ location: 'Location#All Locations' }, {}, { location: undefined }],
    [{ location: 'Location#All Locations#Berlin#Floor 2' }, {}, { location: 'Berlin / Floor 2' }],
    [{ location: 'Berlin' }, {}, { location: 'Berlin' }],
    [{ endpoint_policy: 'HP-Printer' }, MATCHED, { endpointProfile: 'HP-Printer' }],
    [{ endpoint_policy: 'unknown' }, MATCHED, { endpointProfile: 'Cisco-Device' }],
    // The authentication is the beginning, else the record; the last sign of life counts accounting too.
    [{ acs_timestamp: EARLIER }, {}, { since: EARLIER, lastSignAt: Date.parse(EARLIER) }],
    [
      { acs_timestamp: EARLIER, auth_acs_timestamp: BEGUN },
      {},
      { since: BEGUN, lastSignAt: Date.parse(BEGUN) },
    ],
    [
      { acct_acs_timestamp: LATER, auth_acs_timestamp: BEGUN },
      {},
      { since: BEGUN, lastSignAt: Date.parse(LATER) },
    ],
  ])('reads the elements %j and the attributes %j as %j', (elements, attributes, said) =>
    expect(readRecord(session(elementsOf(elements), attributes))).toMatchObject(said),
  );

  const AP = 'F8-66-F2-00-10-20';

  it.each<[called: string, attributes: Texts, ssid: string | undefined]>([
    [`${AP}:Campus`, {}, 'Campus'],
    ['f8:66:f2:00:10:20:Campus', {}, 'Campus'],
    [`${AP}:Guest: floor 2`, {}, 'Guest: floor 2'],
    ...[AP, `${AP}:`, 'Campus', ''].map((called): [string, Texts, undefined] => [called, {}, undefined]),
    ['', { 'Called-Station-ID': `${AP}:Campus` }, 'Campus'],
    [AP, { 'cisco-wlan-ssid': 'Campus' }, 'Campus'],
    [`${AP}:Campus`, { 'cisco-wlan-ssid': 'Guest' }, 'Guest'],
  ])('reads the name of the wireless network of %s, %j: %s', (called_station_id, attributes, ssid) => {
    const texts = elementsOf({ called_station_id });
    const wireless = 'Wireless - IEEE 802.11';
    const typed = texts + elementsOf({ nas_port_type: wireless });
    expect(readRecord(session(typed, attributes)).ssid).toBe(ssid);
    expect(readRecord(session(texts, { ...attributes, 'NAS-Port-Type': wireless })).ssid).toBe(ssid);
    expect(readRecord(session(texts, attributes)).ssid).toBe(ssid); // Real wireless records have no port type.
    for (const nas_port_type of ['Ethernet', 'Virtual'])
      expect(readRecord(session(texts + elementsOf({ nas_port_type }), attributes)).ssid).toBeUndefined();
  });

  it('leaves out what is empty, in either spelling', () =>
    expect(readRecord(session('<user_name></user_name><location/>'))).toEqual({}));

  it.each(['other_attr_string', 'other_attributes'])('reads either form of %s past broken pairs', (name) => {
    for (const text of [
      ':!:A=1:!:broken, x:!:=2:!:ISEPolicySetName=A, b:!:PostureStatus=Pending:!:',
      'A=1,broken,=2,ISEPolicySetName=A, b,PostureStatus=Pending',
    ])
      expect(readRecord(session(`<${name}>${text}</${name}>`))).toMatchObject({
        policySet: 'A, b',
        posture: 'Pending',
      });
  });

  it.each([
    ['unbound prefixes', session('<q:user_name>alex</q:user_name>')],
    ['stray lines', `cache is cold\n${session(ALEX)}\nbye`],
    ['an element that is not closed', session(`${ALEX}<location>x`)],
    ['a neighbour that is not closed', session(`<location>x${ALEX}<nas_port_id>7</nas_port_id>`)],
    ['an empty neighbour that is not closed', session(`<posture_report>${ALEX}`)],
    ['a neighbour that another name closes', session(`<location>x</locatoin>${ALEX}`)],
    ['a value with a bare less-than sign', session(`<location>a < b</location>${ALEX}`)],
  ])('reads what it can from bad XML: %s', (_, xml) => expect(readRecord(xml).user).toBe('alex'));

  const BOMB = `<!ENTITY a "${'b'.repeat(1000)}"><!ENTITY c "${'&a;'.repeat(1000)}">`;
  const names = Array.from({ length: 100_000 }, (_, index) => `<a${index}>`);

  it.each([
    ['an entity bomb', `<!DOCTYPE x [${BOMB}]>${session('<user_name>&c;</user_name>')}`],
    ['a hundred thousand levels', `<sessionParameters>${'<a>'.repeat(100_000)}`],
    ['a hundred thousand names that are not closed', `<sessionParameters>${names.join('')}`],
    ['a hundred thousand ends', `<sessionParameters>${'</a>'.repeat(100_000)}`],
    [
      "names of JavaScript's own objects",
      session('<__proto__><user_name>x</user_name></__proto__><constructor>y</constructor>'),
    ],
    ['no XML', '\u0000\u0001 < > & '],
  ])('survives %s, quickly and without expanding anything', (_, xml) => {
    const record = readRecord(xml);
    expect(timeOf(() => readRecord(xml))).toBeLessThan(1000);
    expect(JSON.stringify(record).length).toBeLessThan(100);
    expect(({} as { user_name?: unknown }).user_name).toBeUndefined();
  });
});

const STOP = { acct_status_type: 'Stop', acct_acs_timestamp: LATER };
const REDIRECT = 'Class=a:b; cisco-av-pair=url-redirect=https://nac.example.com:8443/portal?sessionId=0A';
const CWA = `{${REDIRECT}&amp;action=cwa; }`;
const RULE = 'AuthorizationPolicyMatchedRule';

/** A session that passed, with these elements and the attributes `other`. */
function stateWith({ other = {}, ...more }: Record<string, string | Texts>) {
  const elements = { passed: 'true', auth_acs_timestamp: BEGUN, ...(more as Texts) };
  return stateOf(readRecord(session(elementsOf(elements), other as Texts)));
}

describe('the state of a session', () => {
  const ENDED = { kind: 'ended', at: LATER, cause: 'User Request' };
  const CONNECTED = { kind: 'connected' };
  const to = (portal: string) => ({ kind: 'redirected', to: portal });
  const by = (name: string | undefined) => ({ kind: 'quarantined', by: name });
  const act = (action: string) => ({ response: `{${REDIRECT}&amp;${action}&amp;token=1; }` });

  it.each<[texts: Record<string, string | Texts>, state: object]>([
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
    // Quarantine by policy, profile or rule.
    [{ other: { ANCPolicy: 'ANC_Quarantine' } }, by('ANC_Quarantine')],
    [{ other: { EPSStatus: 'Quarantine' } }, by(undefined)],
    [{ other: { EPSStatus: 'QUARANTINED', ANCPolicy: 'Isolate' } }, by('Isolate')],
    [{ other: { [RULE]: 'Quarantine' } }, by('Quarantine')],
    [{ selected_azn_profiles: 'Quarantine_VLAN' }, by('Quarantine_VLAN')],
    [{ selected_azn_profiles: 'Corp_Access, Quarantine' }, by('Quarantine')],
    [
      { other: { EPSStatus: 'Unquarantine', ANCPolicy: 'ANC_UnQuarantine', [RULE]: 'No_Quarantine' } },
      CONNECTED,
    ],
    [{ selected_azn_profiles: 'Not-Quarantined, not quarantined' }, CONNECTED],
    [{ user_name: 'quarantine', other: { ISEPolicySetName: 'Quarantine' } }, CONNECTED],
    // A portal, by the redirection's action; an access list or a profile's name alone tells nothing.
    [act('action=cwa'), to('web login')],
    [act('action=CWA'), to('web login')],
    [act('action=cpp'), to('posture')],
    [act('action=nsp'), to('onboarding')],
    [act('amp;action=nsp'), to('onboarding')], // An entity that is written twice.
    [act('action=mdm'), to('device management')],
    [act('action=other'), to('portal')],
    [{ response: `{${REDIRECT}; x=&amp;action=cwa; }` }, to('portal')],
    [{ response: 'URL-REDIRECT=https://nac/?action=cwa' }, to('web login')],
    [{ other: { a: 'b', 'cisco-av-pair': 'url-redirect=https://nac/?action=cpp' } }, to('posture')],
    [{ other: { a: 'url-redirect-acl=A:!:a=url-redirect=https://n/?action=cwa' } }, to('web login')],
    [
      { response: '{cisco-av-pair=url-redirect-acl=REDIRECT; }', selected_azn_profiles: 'Guest_Redirect' },
      CONNECTED,
    ],
    // The first match wins.
    [{ ...STOP, passed: 'false', response: CWA }, { kind: 'rejected' }],
    [{ ...STOP, response: CWA, other: { ANCPolicy: 'Quarantine' } }, { kind: 'ended' }],
    [{ response: CWA, other: { ANCPolicy: 'Quarantine', PostureStatus: 'NonCompliant' } }, by('Quarantine')],
    [{ response: CWA, other: { PostureStatus: 'Pending' } }, to('web login')],
  ])('%j is %j', (texts, expected) => expect(stateWith(texts)).toMatchObject(expected));

  it.each([
    ['Pending', 'posture pending'],
    ['NonCompliant', 'not compliant'],
    ['Non-Compliant', 'not compliant'],
    ['Not Compliant', 'not compliant'],
    ['Compliant', 'connected'],
    ['NotApplicable', 'connected'],
    ['Unknown', 'connected'],
  ])('with the posture %s is %s', (posture, kind) => {
    expect(stateWith({ other: { PostureStatus: posture } }).kind).toBe(kind);
    expect(stateWith({ nac_policy_compliance: posture }).kind).toBe(kind);
    const untold = kind === 'connected' ? 'unknown' : kind; // The NAC did not say that it let the device in.
    expect(stateWith({ passed: '', nac_policy_compliance: posture }).kind).toBe(untold);
  });

  it.each(['url-redirect=', 'url-redirect=&amp;', '&amp;', 'action='])(
    'needs little time for a megabyte of %s',
    (piece) => {
      const response = piece.repeat(1_000_000 / piece.length);
      const xml = session(elementsOf({ response, execution_steps: ','.repeat(100_000) }));
      expect(timeOf(() => readRecord(xml))).toBeLessThan(200);
    },
  );
});

describe('readFields', () => {
  it('returns every field under its own name, attributes last, the first of a name', () => {
    const xml = sessionXml({ other: { PostureStatus: 'Compliant' } });
    const fields = readFields(xml.replace(':!:PostureStatus', ':!:PostureStatus=Unknown:!:PostureStatus'));
    const read = fields.map(({ name, value }) => `${name}=${value}`);
    expect(read.slice(0, 3)).toEqual(['passed=true', 'failed=false', 'user_name=alex']);
    const last = ['Device IP Address=192.0.2.17', 'PostureStatus=Unknown', 'EndPointMatchedProfile=Unknown'];
    expect(read.slice(-3)).toEqual(last);
    expect(read).toContain('acs_server=nac-1');
    expect(fields.map(({ name }) => name)).not.toContain('other_attr_string');
  });

  it('returns a hundred fields at most', () => {
    const other = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`Field ${index}`, 'x']));
    const xml = sessionXml({ other });
    expect(readFields(xml)).toHaveLength(100);
    expect(readRecord(xml.replace('Profile=Unknown', 'Profile=Camera')).endpointProfile).toBe('Camera');
  });
});
