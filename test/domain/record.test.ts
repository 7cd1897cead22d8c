import { describe, expect, it } from 'vitest';
import { readAttempts, readFields, readRecord } from '../../src/domain/record.ts';
import { attemptsXml, sessionXml } from '../../src/sandbox/session-xml.ts';
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

  const WIRELESS = { nas_port_type: 'Wireless - IEEE 802.11' };
  const CAMPUS = { called_station_id: 'F8-66-F2-00-10-20:Campus' };
  const VLAN = 'Tunnel-Private-Group-ID=';
  const ACL = 'cisco-av-pair=ACS:CiscoSecure-Defined-ACL=';
  const AUTH = { auth_acs_timestamp: BEGUN };
  const MATCHED = { EndPointMatchedProfile: 'Cisco-Device' };

  it.each<[elements: Texts, attributes: Texts, said: object]>([
    [{ passed: 'true' }, {}, { passed: true }],
    [{ passed: '1' }, {}, { passed: true }],
    [{ passed: 'false' }, {}, { passed: false }],
    [{ passed: '0' }, {}, { passed: false }],
    [{ passed: 'maybe' }, {}, { passed: undefined }],
    [{ failed: '1' }, {}, { passed: false }],
    // IPv6 if there is no IPv4 address.
    [{ framed_ipv6_address: '<ipv6_address>2001:db8::1</ipv6_address>' }, {}, { ipAddress: '2001:db8::1' }],
    // The wireless network: behind the called station, and only if the port is wireless.
    [{ ...WIRELESS, called_station_id: 'F8-66-F2-00-10-20:Campus' }, {}, { ssid: 'Campus' }],
    [{ ...WIRELESS, called_station_id: 'f8:66:f2:00:10:20:Campus' }, {}, { ssid: 'Campus' }],
    [{ ...WIRELESS, called_station_id: 'F8-66-F2-00-10-20:Guest: floor 2' }, {}, { ssid: 'Guest: floor 2' }],
    [{ ...WIRELESS, called_station_id: 'F8-66-F2-00-10-20' }, {}, { ssid: undefined }],
    [{ ...WIRELESS, called_station_id: 'F8-66-F2-00-10-20:' }, {}, { ssid: undefined }],
    [{ ...WIRELESS, called_station_id: 'Campus' }, {}, { ssid: undefined }],
    [WIRELESS, {}, { ssid: undefined }],
    [WIRELESS, { 'Called-Station-ID': 'F8-66-F2-00-10-20:Campus' }, { ssid: 'Campus' }],
    [WIRELESS, { 'cisco-wlan-ssid': 'Campus' }, { ssid: 'Campus' }],
    [{ ...WIRELESS, called_station_id: 'F8-66-F2-00-10-20' }, { 'cisco-wlan-ssid': 'C' }, { ssid: 'C' }],
    [{ ...WIRELESS, ...CAMPUS }, { 'cisco-wlan-ssid': 'Guest' }, { ssid: 'Campus' }],
    [{ ...CAMPUS, nas_port_type: 'Ethernet' }, {}, { ssid: undefined }],
    [CAMPUS, {}, { ssid: undefined }],
    [CAMPUS, { 'NAS-Port-Type': 'Wireless - IEEE 802.11' }, { ssid: 'Campus' }],
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
    // A device is in quarantine by policy, profile or rule.
    [{}, { ANCPolicy: 'ANC_Quarantine' }, { quarantine: { by: 'ANC_Quarantine' } }],
    [{}, { EPSStatus: 'Quarantine' }, { quarantine: { by: undefined } }],
    [{}, { EPSStatus: 'Quarantine', ANCPolicy: 'Isolate' }, { quarantine: { by: 'Isolate' } }],
    [{}, { EPSStatus: 'QUARANTINED' }, { quarantine: { by: undefined } }],
    [{}, { AuthorizationPolicyMatchedRule: 'Quarantine' }, { quarantine: { by: 'Quarantine' } }],
    [{ selected_azn_profiles: 'Quarantine_VLAN' }, {}, { quarantine: { by: 'Quarantine_VLAN' } }],
    [{ selected_azn_profiles: 'Corp_Access, Quarantine' }, {}, { quarantine: { by: 'Quarantine' } }],
    [{}, { EPSStatus: 'Unquarantine' }, { quarantine: undefined }],
    [{}, { ANCPolicy: 'ANC_UnQuarantine' }, { quarantine: undefined }],
    [{ selected_azn_profiles: 'No_Quarantine' }, {}, { quarantine: undefined }],
    [{ selected_azn_profiles: 'Not-Quarantined' }, {}, { quarantine: undefined }],
    [{ selected_azn_profiles: 'not quarantined' }, {}, { quarantine: undefined }],
    [{ user_name: 'quarantine' }, { ISEPolicySetName: 'Quarantine' }, { quarantine: undefined }],
    // The authentication is the beginning, else the record; the last sign of life counts accounting too.
    [{ acs_timestamp: EARLIER }, {}, { since: EARLIER, lastSignAt: Date.parse(EARLIER) }],
    [{ acs_timestamp: EARLIER, ...AUTH }, {}, { since: BEGUN, lastSignAt: Date.parse(BEGUN) }],
    [{ acct_acs_timestamp: LATER, ...AUTH }, {}, { since: BEGUN, lastSignAt: Date.parse(LATER) }],
  ])('reads the elements %j and the attributes %j as %j', (elements, attributes, said) => {
    expect(readRecord(session(elementsOf(elements), attributes))).toMatchObject(said);
  });

  it('leaves out what is empty, in either spelling', () => {
    expect(readRecord(session('<user_name></user_name><location/>'))).toEqual({});
  });

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
  ])('reads what it can from bad XML: %s', (_, xml) => {
    expect(readRecord(xml).user).toBe('alex');
  });

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

const MAC = 'AA:BB:CC:DD:EE:FF';

describe('the attempts of a device', () => {
  it('are read in their order, with when, why, who and where', () => {
    const begun = Date.now();
    const attempts = readAttempts(
      attemptsXml(MAC, [
        { passed: false, minutesAgo: 5, user_name: 'alex', failure_reason: '22040 Wrong &amp; old password' },
        { passed: true, minutesAgo: 60, selected_azn_profiles: 'Corp_Access' },
      ]),
    );
    expect(attempts).toMatchObject([
      { passed: false, failureReason: '22040 Wrong & old password', user: 'alex' },
      { passed: true, authorizationProfiles: 'Corp_Access', networkDevice: 'sw-floor2-17' },
    ]);
    expect(attempts[0]?.port).toBe('GigabitEthernet1/0/15');
    expect(attempts[0]?.at).toBeGreaterThan(begun - 5 * 60_000 - 1000);
    expect(attempts[0]?.at).toBeLessThanOrEqual(Date.now() - 5 * 60_000);
  });

  it.each([
    ['<passed>1</passed><failed>0</failed>', [true]],
    ['<passed>0</passed>', [false]],
    ['<failed>true</failed>', [false]],
    ['<failed xmlns:xs="x" xs:type="y">false</failed>', [true]],
    ['<passed>perhaps</passed>', []],
    ['', []],
  ])('passed or failed in each form of the NAC: %s', (flags, passed) => {
    expect(readAttempts(list(flags)).map((each) => each.passed)).toEqual(passed);
  });

  it.each([
    ['2026-04-29T11:00:00.000+03:00', Date.UTC(2026, 3, 29, 8)],
    ['2012-05-08T05:42:21.409Z', Date.UTC(2012, 4, 8, 5, 42, 21, 409)],
    ['yesterday', undefined],
  ])('were at %s', (time, at) => {
    expect(readAttempts(list(`<passed>true</passed><acs_timestamp>${time}</acs_timestamp>`))[0]?.at).toBe(at);
  });

  it('have no failure reason if they passed', () => {
    const [attempt] = readAttempts(list('<passed>true</passed><failure_reason>x</failure_reason>'));
    expect(attempt).toMatchObject({ passed: true, failureReason: undefined });
  });

  it.each([
    attemptsXml(MAC, []),
    '<authStatusOutputList><authStatusList key="x"/></authStatusOutputList>',
    '',
  ])('are none in the empty list "%s"', (xml) => {
    expect(readAttempts(xml)).toEqual([]);
  });

  it('are at most twenty, however many the NAC sends', () => {
    expect(readAttempts(list('<passed>true</passed>').repeat(50))).toHaveLength(20);
  });

  it('are read up to the next one if one does not end', () => {
    const open = '<authStatusElements><passed>true</passed><user_name>';
    const attempts = readAttempts(`${open}a</user_name>${open}b</user_name>`);
    expect(attempts.map(({ user }) => user)).toEqual(['a', 'b']);
  });
});

function list(elements: string): string {
  return `<authStatusOutputList><authStatusList key="${MAC}"><authStatusElements>${elements}</authStatusElements></authStatusList></authStatusOutputList>`;
}
