import { describe, expect, it } from 'vitest';
import { readFields } from '../../../src/nac/reading/session.ts';
import { sessionXml } from '../../../src/sandbox/session-xml.ts';
import { timeOf } from '../../time-of.ts';
import { BEGUN, EARLIER, type Elements, LATER, recordOf, session } from './session.ts';

const ALEX = '<user_name>alex</user_name>';
const at = Date.parse;

const BEGUN_AT = { since: BEGUN, lastSignAt: at(BEGUN) };
const record = (elements: Elements, attributes = '') => recordOf(session(elements, attributes));

const AP = '70-0F-6A-11-22-C0';
const WLC = { network_device_name: 'wlc-quay-1', nas_ip_address: '192.0.2.40', nas_port_id: 'capwap_9000' };
const ON_SWITCH = { network_device_name: 'sw-quay-8', nas_ip_address: '192.0.2.18' };
const UNLISTED = { ...ON_SWITCH, network_device_name: 'DefaultNetworkDevice' };
const AV = 'CiscoAVPair=service-type=Call Check,method=mab,vlan-id=290,cisco-wlan-ssid=Harbour_Guest,other=x';
const VLAN = 'Tunnel-Private-Group-ID=';
const ACL = 'cisco-av-pair=ACS:CiscoSecure-Defined-ACL=';
const MATCHED = 'EndPointMatchedProfile=Cisco-Device';
const REPORT = 'PostureReport=';
const RULE = 'AuthorizationPolicyMatchedRule';
const UNKNOWN = 'PostureStatus=NotApplicable:!:EndPointMatchedProfile=Unknown';
const IP = '203.0.113.80';
const LONG = 'x'.repeat(10_240);
const wifi = (ssid: string | undefined, more = {}) => ({ wifi: { ssid, ...more } });
const GUEST = { ...wifi('Harbour_Guest', { accessPoint: AP }), vlan: undefined };
const ON_AIR = 'RadiusFlowType=WirelessMAB:!:SSID=';
const TWO_POLICIES = { ancPolicy: 'ANC_Cut', epsStatus: 'Shutdown' };
const V6 = ['', 'fe80::6da1:27aa', '2001:db8::77'].map((each) => `<ipv6_address>${each}</ipv6_address>`);
const LATENCY = 'TotalAuthenLatency=14310:!:StepLatency=1=0\\;2=14031\\;3=2';
type Row = [said: object, elements: Elements, attributes?: string];
const noSuch = (part: object, ...attributes: string[]) => attributes.map((each): Row => [part, {}, each]);

describe('a record', () => {
  it.each<Row>([
    [{ passed: true }, { passed: '1' }],
    [{ passed: false }, { passed: 'FALSE', message_code: '5200' }],
    [{ passed: true }, { message_code: '5200' }],
    [{ passed: false }, { message_code: '5434' }],
    [{ passed: undefined }, { passed: 'maybe' }],
    [{ passed: false }, { failed: '1' }],
    // Where: the Wi-Fi's name stands in pairs, or behind the access point. A switch may say its own name there.
    [GUEST, WLC, `Called-Station-ID=${AP}:Else:!:${AV}`],
    [wifi('Crew, north'), WLC, 'cisco-av-pair=a=b:!:cisco-av-pair=cisco-wlan-ssid=Crew, north:!:x=y'],
    [{ wifi: undefined }, { ...ON_SWITCH, nas_port_id: 'A12', called_station_id: `${AP}:stack-2` }],
    [wifi(undefined), WLC, `NAS-Identifier=quay8:!:Called-Station-ID=${AP}:quay8`],
    [wifi(LONG), { ...WLC, called_station_id: `${AP}:${LONG}` }],
    [wifi('Crew', { accessPoint: 'AP-quay' }), { called_station_id: 'AP-quay:Crew' }, 'Airespace-Wlan-Id=4'],
    [wifi('Crew'), {}, 'Aruba-Essid-Name=Crew'],
    [wifi('Crew'), { wlan_ssid: 'Crew', nas_port_type: '19' }],
    // The NAC copies Called-Station-ID to SSID, by wire and VPN too.
    ...noSuch(
      { wifi: undefined },
      ...[AP, IP, 'hall:'].map((each) => `SSID=${each}:!:Called-Station-ID=${each}`),
    ),
    [wifi('Crew'), {}, `${ON_AIR}${AP}:Crew:!:Called-Station-ID=${AP}:Crew`],
    [wifi('Crew'), {}, `${ON_AIR}Crew:!:Called-Station-ID=Crew`],
    [wifi('Crew'), { wlan_ssid: 'Crew', called_station_id: 'Crew' }],
    [{ wifi: undefined }, {}, 'Called-BSSID=x:!:Aruba-BSSID=y:!:dhcp-user-class-id=z:!:ProcessID=1'],
    [{ wifi: undefined }, {}, 'WLAN=WLAN#All WLAN'], // A group of network devices.
    [{ networkDevice: 'sw-quay-8', networkAddress: '192.0.2.18' }, ON_SWITCH],
    [{ networkDevice: '192.0.2.18', isUnlisted: true }, UNLISTED],
    [{ networkDevice: '192.0.2.77', networkAddress: '192.0.2.77' }, { nas_ip_address: '192.0.2.77' }],
    [{ networkDevice: '2001:db8::5', ipAddress: undefined }, { nas_ipv6_address: '2001:db8::5' }],
    [{ networkDevice: '192.0.2.78' }, { device_ip_address: '192.0.2.78' }],
    [{ location: undefined }, { location: 'Location#All Locations' }],
    [{ location: 'Berlin / Floor 2' }, { location: 'Location#All Locations#Berlin#Floor 2' }],
    [{ location: 'Berlin' }, { location: 'Berlin' }],
    // Network: what the NAC answered goes before the elements.
    [{ ipAddress: '198.51.100.23' }, { framed_ip_address: '198.51.100.23' }],
    [{ ipAddress: '198.51.100.23', port: '7' }, {}, 'Framed-IP-Address=198.51.100.23:!:NAS-Port-Id=7'],
    [{ ipAddress: '2001:db8::1' }, {}, 'NAS-IPv6-Address=2001:db8::5:!:Framed-IPv6-Address=2001:db8::1'],
    [{ ipAddress: '2001:db8::77' }, { framed_ipv6_address: V6.join('') }],
    [{ vlan: '30' }, { response: `{a=x; ${VLAN}(tag=1) 30; a=b}`, vlan: '7' }],
    [{ vlan: 'Guest Net' }, { response: `{${VLAN}Guest Net}` }],
    [{ vlan: '55' }, { response: '{Aruba-User-Vlan=55; }' }],
    [{ vlan: undefined }, { response: '{HP-Egress-VLANID=822083614; Juniper-VoIP-Vlan=7; }' }],
    [{ isVoice: true }, { response: '{cisco-av-pair=device-traffic-class=voice; }' }],
    [{ vlan: undefined, accessList: undefined }, { response: `{${VLAN}(tag=1) N/A; url-redirect-acl=x}` }],
    [{ vlan: '30' }, { vlan: '30' }],
    [{ accessList: 'Printers_Only' }, { response: `{${ACL}#ACSACL#-IP-Printers_Only-57f6b0d3; }` }],
    [{ accessList: 'Own_List', vlan: undefined }, { response: '{Airespace-ACL-Name=Own_List; }' }],
    [{ identityGroup: 'Day (own), Staff' }, { identity_group: 'User Groups:Day (own),Unknown,A:Staff' }],
    [{ accessList: 'Printers_Only' }, { dacl: '#ACSACL#-IP-Printers_Only-57f6b0d3' }],
    [{ securityGroup: 'Cranes' }, { security_group: 'Cranes' }],
    [{ securityGroup: 'Cranes' }, { response: '{cisco-av-pair=cts:sgt-name=Cranes; }' }],
    [{ securityGroupTag: 16 }, { response: '{cisco-av-pair=cts:security-group-tag=0010-0; }' }],
    [{ certificateDays: 12 }, {}, 'Days to Expiry=12'],
    [{ isAccountingAlone: true }, { acct_status_type: 'Start' }],
    [{ isAccountingAlone: undefined }, { acct_status_type: 'Start', passed: 'true' }],
    [{ ipAddress: '2001:db8::1' }, { framed_ip_address: '0.0.0.0', framed_ipv6_address: '2001:db8::1' }],
    [{ ipAddress: '0.0.0.0' }, { framed_ip_address: '0.0.0.0' }],
    [{ securityGroup: 'Crews' }, { cts_security_group: 'Crews', security_group: 'Cranes' }],
    // Who.
    [{ user: 'R&D <alex>' }, { user_name: 'R&amp;D &lt;alex&gt;' }],
    ...['INVALID', 'n/a', 'none', '-'].map((user_name): Row => [{ user: undefined }, { user_name }]),
    [{ chaining: 'user failed' }, {}, 'EapChainingResult=User failed and machine succeeded'],
    [{ chaining: 'machine failed' }, {}, 'EapChainingResult=User succeeded and machine failed'],
    [{ chaining: undefined }, {}, 'EapChainingResult=User and machine both succeeded'],
    [{ vpn: { client: IP } }, { calling_station_id: IP }, 'CVPN3000/ASA/PIX7x-Client-Type=2'],
    [{ vpn: undefined }, { calling_station_id: IP, nas_port_type: 'Virtual' }],
    ...noSuch(
      { ancPolicy: undefined, epsStatus: undefined },
      'ANCPolicy=',
      'EPSStatus=Unknown',
      'ANCPolicy=None',
    ),
    [{ ...TWO_POLICIES, quarantine: undefined }, {}, 'ANCPolicy=ANC_Cut:!:EPSStatus=Shutdown'],
    [{ endpointProfile: 'HP-Printer' }, { endpoint_policy: 'HP-Printer' }, MATCHED],
    [{ endpointProfile: 'Cisco-Device' }, { endpoint_policy: 'unknown' }, MATCHED],
    // Why: rule and policy set, and the posture policies that failed.
    [{ policySet: 'A: "B"; x=1', rule: 'R_1' }, {}, `ISEPolicySetName=A: "B"; x=1:!:${RULE}=R_1`],
    [{ compliance: undefined, endpointProfile: undefined }, {}, UNKNOWN],
    [{ failedPolicies: 'AV' }, {}, `${REPORT}Fw\\;Passed\\;(a:b)\\,AV\\;Failed\\;(x)`],
    [{ failedPolicies: 'AV, Disk key' }, {}, `${REPORT}AV\\;Failed\\,Disk key\\;Failed`],
    [{ failedPolicies: 'QUAY-AM' }, { posture_report: 'QUAY-FW\\;Passed\\;(x), QUAY-AM\\;Failed\\;(x)' }],
    [{ failedPolicies: undefined }, {}, `${REPORT}Firewall\\;Passed\\;(Failed_Over\\;x)`],
    // When: the authentication is the beginning, else the record; the last sign of life counts accounting too.
    [{ since: EARLIER, lastSignAt: at(EARLIER) }, { acs_timestamp: EARLIER }],
    [BEGUN_AT, { acs_timestamp: EARLIER, auth_acs_timestamp: BEGUN }],
    [{ lastSignAt: at(LATER) }, { acct_acs_timestamp: LATER, auth_acs_timestamp: BEGUN }],
    [{ since: '2026-06-08T17:00:00', lastSignAt: undefined }, { auth_acs_timestamp: '2026-06-08T17:00:00' }],
    [{ slow: { ms: 14_310, step: '22037' } }, { execution_steps: '11001,24430,22037' }, LATENCY],
    [{ slow: { ms: 9383, step: undefined } }, {}, 'StepLatency=11=9383'],
    [{ slow: { ms: 6000, step: undefined } }, { response_time: '6000' }, 'StepLatency=1=2500;2=2600'],
    [{ slow: undefined }, { response_time: '3000' }, 'TotalAuthenLatency=12'],
    [{ slow: undefined }, { response_time: '-90000' }, 'StepLatency=1=-7;2=x;=9'],
  ])('says %j with the elements %j and the attributes %j', (said, elements, attributes) =>
    expect(record(elements, attributes)).toMatchObject(said),
  );

  it.each<[called: string, attributes: string, ssid: string | undefined]>([
    ['f8:66:f2:00:10:20:Campus', '', 'Campus'],
    [`${AP}:Guest: floor 2`, '', 'Guest: floor 2'],
    ...[AP, `${AP}:`, 'Campus', ''].map((called): [string, string, undefined] => [called, '', undefined]),
    [`${AP}:Campus`, 'cisco-wlan-ssid=Guest', 'Guest'],
  ])('says the name of the wireless network of %s, %j: %s', (called_station_id, attributes, ssid) => {
    const nas_port_type = 'Wireless - IEEE 802.11';
    expect(record({ called_station_id, nas_port_type }, attributes).wifi?.ssid).toBe(ssid);
    const named = `${attributes}:!:NAS-Port-Type=${nas_port_type}`;
    expect(record({ called_station_id }, named).wifi?.ssid).toBe(ssid);
    for (const nas_port_type of ['Ethernet', 'Virtual'])
      expect(record({ called_station_id, nas_port_type }, attributes).wifi).toBeUndefined();
  });

  it('leaves out what is empty, in either spelling', () =>
    expect(recordOf(session('<user_name></user_name><location/>'))).toEqual({}));

  it.each(['other_attr_string', 'other_attributes'])('has either form of %s past broken pairs', (name) => {
    for (const text of [
      ':!:A=1:!:broken, x:!:=2:!:ISEPolicySetName=A, b:!:PostureStatus=Pending:!:',
      'A=1,broken,=2,ISEPolicySetName=A, b,PostureStatus=Pending',
    ])
      expect(record({ [name]: text })).toMatchObject({ policySet: 'A, b', compliance: 'pending' });
  });

  it.each([
    ['unbound prefixes', session('<q:user_name>alex</q:user_name>')],
    ['stray lines', `cache is cold\n${session(ALEX)}\nbye`],
    ['an element that is not closed', session(`${ALEX}<location>x`)],
    ['a neighbour that is not closed', session(`<location>x${ALEX}<nas_port_id>7</nas_port_id>`)],
    ['an empty neighbour that is not closed', session(`<posture_report>${ALEX}`)],
    ['a neighbour that another name closes', session(`<location>x</locatoin>${ALEX}`)],
    ['a value with a bare less-than sign', session(`<location>a < b</location>${ALEX}`)],
  ])('has what can be read of bad XML: %s', (_, xml) => expect(recordOf(xml).user).toBe('alex'));

  const BOMB = `<!ENTITY a "${'b'.repeat(1000)}"><!ENTITY c "${'&a;'.repeat(1000)}">`;
  const names = Array.from({ length: 100_000 }, (_, index) => `<a${index}>`);
  const OWN_NAMES = '<__proto__><user_name>x</user_name></__proto__><constructor>y</constructor>';

  it.each([
    ['an entity bomb', `<!DOCTYPE x [${BOMB}]>${session('<user_name>&c;</user_name>')}`],
    ['a hundred thousand levels', `<sessionParameters>${'<a>'.repeat(100_000)}`],
    ['a hundred thousand names that are not closed', `<sessionParameters>${names.join('')}`],
    ['a hundred thousand ends', `<sessionParameters>${'</a>'.repeat(100_000)}`],
    ["names of JavaScript's own objects", session(OWN_NAMES)],
    ['no XML', '\u0000\u0001 < > & '],
  ])('survives %s, quickly and without expanding anything', (_, xml) => {
    const record = recordOf(xml);
    expect(timeOf(() => recordOf(xml))).toBeLessThan(1000);
    expect(JSON.stringify(record).length).toBeLessThan(100);
    expect(({} as { user_name?: unknown }).user_name).toBeUndefined();
  });
});

it('the fields are all by name, attributes last', () => {
  const fields = readFields(sessionXml({ other: { PostureStatus: 'Compliant' } }));
  const read = fields.map((pair) => pair.join('='));
  expect(read.slice(0, 3)).toEqual(['passed=true', 'failed=false', 'user_name=alex']);
  const last = ['Device IP Address=192.0.2.17', 'PostureStatus=Compliant', 'EndPointMatchedProfile=Unknown'];
  expect(read.slice(-3)).toEqual(last);
  expect(read).toContain('acs_server=nac-1');
  expect(read.join()).not.toContain('other_attr_string');
});
