import { describe, expect, it } from 'vitest';
import { readAttempts, readFields, readRecord } from '../../src/domain/record.ts';
import { attemptsXml, sessionXml } from '../../src/sandbox/session-xml.ts';

const session = (elements: string) => `<sessionParameters>${elements}</sessionParameters>`;
const ALEX = '<user_name>alex</user_name>';

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
      ipAddress: '198.51.100.23',
      networkDevice: 'sw-floor2-17',
      port: 'GigabitEthernet1/0/15',
      authorizationProfiles: 'Corp_Wired_Access',
      policySet: 'Campus: "A"; x=1',
      rule: 'Rule_1',
      endpointProfile: undefined,
      posture: undefined,
      failureReason: '15039 Rejected',
      since: '2026-01-15T02:11:12.359Z',
    });
  });

  it.each([
    ['true', true],
    ['1', true],
    ['false', false],
    ['0', false],
    ['maybe', undefined],
  ])('reads passed = %s', (text, passed) => {
    expect(readRecord(session(`<passed>${text}</passed>`)).passed).toBe(passed);
  });

  it('knows a rejection by "failed" alone', () => {
    expect(readRecord(session('<failed>1</failed>')).passed).toBe(false);
  });

  it('leaves out what is empty, in either spelling', () => {
    expect(readRecord(session('<user_name></user_name><location/>'))).toEqual({});
  });

  it('reads the older, comma separated attributes', () => {
    const xml = session('<other_attributes>A=1,ISEPolicySetName=Old, set,B=2</other_attributes>');
    expect(readRecord(xml).policySet).toBe('Old, set');
  });

  it('takes a nested IPv6 address if there is no IPv4 address', () => {
    const xml = session(
      '<framed_ipv6_address><ipv6_address>2001:db8::1</ipv6_address></framed_ipv6_address>',
    );
    expect(readRecord(xml).ipAddress).toBe('2001:db8::1');
  });

  it.each([
    ['F8-66-F2-00-10-20:Campus', 'Campus'],
    ['f8:66:f2:00:10:20:Campus', 'Campus'],
    ['F8-66-F2-00-10-20:Guest: floor 2', 'Guest: floor 2'],
    ['F8-66-F2-00-10-20', undefined],
    ['F8-66-F2-00-10-20:', undefined],
    ['Campus', undefined],
    ['', undefined],
  ])('takes the wireless network from the called station "%s": %s', (called_station_id, ssid) => {
    expect(readRecord(sessionXml({ called_station_id, more: WIRELESS })).ssid).toBe(ssid);
  });

  it.each([
    [{ other: { 'Called-Station-ID': 'F8-66-F2-00-10-20:Campus' } }, 'Campus'],
    [{ other: { 'cisco-wlan-ssid': 'Campus' } }, 'Campus'],
    [{ called_station_id: 'F8-66-F2-00-10-20', other: { 'cisco-wlan-ssid': 'Campus' } }, 'Campus'],
    [{ called_station_id: 'F8-66-F2-00-10-20:Campus', other: { 'cisco-wlan-ssid': 'Guest' } }, 'Campus'],
  ])('takes the wireless network from an attribute: %j', (fields, ssid) => {
    expect(readRecord(sessionXml({ ...fields, more: WIRELESS })).ssid).toBe(ssid);
  });

  it.each([
    [{ more: { nas_port_type: 'Ethernet' } }, undefined],
    [{ more: { nas_port_type: 'Virtual' } }, undefined],
    [{}, undefined],
    [{ other: { 'NAS-Port-Type': 'Wireless - IEEE 802.11' } }, 'Campus'],
  ])('tells a wireless network only if the port is wireless: %j', (fields, ssid) => {
    expect(readRecord(sessionXml({ ...fields, called_station_id: 'F8-66-F2-00-10-20:Campus' })).ssid).toBe(
      ssid,
    );
  });

  it.each([
    ['Class=x; Tunnel-Private-Group-ID=(tag=1) 30; a=b', { vlan: '30' }],
    ['Tunnel-Private-Group-ID=Guest Net', { vlan: 'Guest Net' }],
    ['Tunnel-Private-Group-ID=(tag=1) ; a=b', { vlan: undefined }],
    [
      'cisco-av-pair=ACS:CiscoSecure-Defined-ACL=#ACSACL#-IP-Printers_Only-57f6b0d3; ',
      { accessList: 'Printers_Only' },
    ],
    ['cisco-av-pair=ACS:CiscoSecure-Defined-ACL=Own_List; ', { accessList: 'Own_List' }],
    ['Class=x', { vlan: undefined, accessList: undefined }],
  ])('reads VLAN and access list from the response {%s}', (response, expected) => {
    expect(readRecord(sessionXml({ more: { response: `{${response}}` } }))).toMatchObject(expected);
  });

  it.each([
    ['Location#All Locations', undefined],
    ['Location#All Locations#Berlin#Floor 2', 'Berlin / Floor 2'],
    ['Berlin', 'Berlin'],
  ])('reads the location %s', (location, expected) => {
    const xml = session(`<location>${location}</location>`);
    expect(readRecord(xml).location).toBe(expected);
  });

  it('prefers the endpoint policy to the matched profile, and leaves out "Unknown"', () => {
    const EndPointMatchedProfile = 'Cisco-Device';
    const profile = (endpoint_policy: string) =>
      readRecord(sessionXml({ more: { endpoint_policy }, other: { EndPointMatchedProfile } }))
        .endpointProfile;
    expect(profile('HP-Printer')).toBe('HP-Printer');
    expect(profile('unknown')).toBe('Cisco-Device');
  });

  it.each(['other_attr_string', 'other_attributes'])('reads either form of %s past broken pairs', (name) => {
    for (const text of [
      ':!:A=1:!:broken, x:!:=2:!:ISEPolicySetName=A, b:!:PostureStatus=Pending:!:',
      'A=1,broken,=2,ISEPolicySetName=A, b,PostureStatus=Pending',
    ]) {
      const xml = session(`<${name}>${text}</${name}>`);
      expect(readRecord(xml)).toMatchObject({ policySet: 'A, b', posture: 'Pending' });
    }
  });

  it.each([
    [{ other: { ANCPolicy: 'ANC_Quarantine' } }, { by: 'ANC_Quarantine' }],
    [{ other: { EPSStatus: 'Quarantine' } }, { by: undefined }],
    [{ other: { EPSStatus: 'Quarantine', ANCPolicy: 'Isolate' } }, { by: 'Isolate' }],
    [{ other: { EPSStatus: 'QUARANTINED' } }, { by: undefined }],
    [{ other: { AuthorizationPolicyMatchedRule: 'Quarantine' } }, { by: 'Quarantine' }],
    [{ other: { AuthorizationPolicyMatchedRule: 'Quarantine_Clients' } }, { by: 'Quarantine_Clients' }],
    [{ selected_azn_profiles: 'Quarantine_VLAN' }, { by: 'Quarantine_VLAN' }],
    [{ selected_azn_profiles: 'Corp_Access, Quarantine' }, { by: 'Quarantine' }],
    [{ other: { EPSStatus: 'Unquarantine' } }, undefined],
    [{ other: { ANCPolicy: 'ANC_UnQuarantine' } }, undefined],
    [{ selected_azn_profiles: 'No_Quarantine' }, undefined],
    [{ selected_azn_profiles: 'Not-Quarantined' }, undefined],
    [{ selected_azn_profiles: 'not quarantined' }, undefined],
    [{ user_name: 'quarantine', other: { ISEPolicySetName: 'Quarantine' } }, undefined],
    [{}, undefined],
  ])(
    'knows by policy, profile or rule that a device is in quarantine, and by which: %j',
    (fields, quarantine) => {
      expect(readRecord(sessionXml(fields)).quarantine).toEqual(quarantine);
    },
  );

  it.each([
    ['unbound prefixes', session('<q:user_name>alex</q:user_name>')],
    ['stray lines', 'cache is cold\n<sessionParameters><user_name>alex</user_name></sessionParameters>\nbye'],
    ['an element that is not closed', session(`${ALEX}<location>x`)],
    ['a neighbour that is not closed', session(`<location>x${ALEX}<nas_port_id>7</nas_port_id>`)],
    ['an empty neighbour that is not closed', session(`<posture_report>${ALEX}`)],
    ['a neighbour that another name closes', session(`<location>x</locatoin>${ALEX}`)],
    ['a value with a bare less-than sign', session(`<location>a < b</location>${ALEX}`)],
  ])('reads what it can from bad XML: %s', (_, xml) => {
    expect(readRecord(xml).user).toBe('alex');
  });

  it.each([
    [
      'an entity bomb',
      `<!DOCTYPE x [<!ENTITY a "${'b'.repeat(1000)}"><!ENTITY c "${'&a;'.repeat(1000)}">]><sessionParameters><user_name>&c;</user_name></sessionParameters>`,
    ],
    ['a hundred thousand levels', `<sessionParameters>${'<a>'.repeat(100_000)}`],
    [
      'a hundred thousand names that are not closed',
      `<sessionParameters>${Array.from({ length: 100_000 }, (_, index) => `<a${index}>`).join('')}`,
    ],
    ['a hundred thousand ends', `<sessionParameters>${'</a>'.repeat(100_000)}`],
    [
      "names of JavaScript's own objects",
      session('<__proto__><user_name>x</user_name></__proto__><constructor>y</constructor>'),
    ],
    ['no XML', '\u0000\u0001 < > & '],
  ])('survives %s, quickly and without expanding anything', (_, xml) => {
    const start = performance.now();
    const record = readRecord(xml);
    expect(performance.now() - start).toBeLessThan(1000);
    expect(JSON.stringify(record).length).toBeLessThan(100);
    expect(({} as { user_name?: unknown }).user_name).toBeUndefined();
  });
});

const WIRELESS = { nas_port_type: 'Wireless - IEEE 802.11' };

describe('readFields', () => {
  it('returns every field under its own name, attributes last, the first of a name', () => {
    const xml = sessionXml({ other: { PostureStatus: 'Compliant' } });
    const fields = readFields(xml.replace(':!:PostureStatus', ':!:PostureStatus=Unknown:!:PostureStatus'));
    expect(fields.slice(0, 3)).toEqual([
      { name: 'passed', value: 'true' },
      { name: 'failed', value: 'false' },
      { name: 'user_name', value: 'alex' },
    ]);
    expect(fields.slice(-3)).toEqual([
      { name: 'Device IP Address', value: '192.0.2.17' },
      { name: 'PostureStatus', value: 'Unknown' },
      { name: 'EndPointMatchedProfile', value: 'Unknown' },
    ]);
    expect(fields).toContainEqual({ name: 'acs_server', value: 'nac-1' });
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
    expect(readAttempts(list('<passed>true</passed><failure_reason>x</failure_reason>'))).toMatchObject([
      { failureReason: undefined },
    ]);
  });

  it.each([
    ['an empty list', attemptsXml(MAC, [])],
    ['an empty list of the device', '<authStatusOutputList><authStatusList key="x"/></authStatusOutputList>'],
    ['nothing', ''],
  ])('are none in %s', (_, xml) => {
    expect(readAttempts(xml)).toEqual([]);
  });

  it('are at most twenty, however many the NAC sends', () => {
    expect(readAttempts(list('<passed>true</passed>').repeat(50))).toHaveLength(20);
  });

  it('are read up to the next one if one does not end', () => {
    const open = '<authStatusElements><passed>true</passed><user_name>';
    expect(readAttempts(`${open}a</user_name>${open}b</user_name>`).map(({ user }) => user)).toEqual([
      'a',
      'b',
    ]);
  });
});

function list(elements: string): string {
  return `<authStatusOutputList><authStatusList key="${MAC}"><authStatusElements>${elements}</authStatusElements></authStatusList></authStatusOutputList>`;
}
