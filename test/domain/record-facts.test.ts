import { describe, expect, it } from 'vitest';
import { readRecord, stateOf } from '../../src/domain/record.ts';

/** Records in the shapes of real ones: elements, then attributes as the NAC joins them. */
function record(elements: Readonly<Record<string, string>>, attributes = '') {
  const texts = Object.entries(elements).map(([name, text]) => `<${name}>${text}</${name}>`);
  const other = attributes && `<other_attr_string>:!:${attributes}:!:</other_attr_string>`;
  return readRecord(`<sessionParameters>${texts.join('')}${other}</sessionParameters>`);
}

const AP = '70-0F-6A-11-22-C0';
const WIRELESS = {
  network_device_name: 'wlc-quay-1',
  nas_ip_address: '192.0.2.40',
  nas_port_id: 'capwap_90000004',
};
const WIRED = {
  network_device_name: 'sw-quay-8',
  nas_ip_address: '192.0.2.18',
  nas_port_id: 'GigabitEthernet1/0/44',
};
const AV =
  'CiscoAVPair=service-type=Call Check,audit-session-id=01A,method=mab,vlan-id=290,cisco-wlan-ssid=Harbour_Guest,wlan-profile-name=Other';
const STOP = { acct_status_type: 'Stop', acct_acs_timestamp: '2026-06-08T17:54:13.527+07:00' };
const LONG = 'x'.repeat(10_240);

describe('what a record says', () => {
  it.each<[shape: string, said: object, elements: Record<string, string>, attributes?: string]>([
    // Where.
    [
      'a Wi-Fi name among pairs',
      { ssid: 'Harbour_Guest', vlan: '290' },
      WIRELESS,
      `Called-Station-ID=${AP}:Else:!:${AV},AuthenticationIdentityStore=Guest Users`,
    ],
    [
      'a Wi-Fi name in a pair of its own',
      { ssid: 'Crew, north' },
      WIRELESS,
      'cisco-av-pair=method=dot1x:!:cisco-av-pair=cisco-wlan-ssid=Crew, north:!:x=y',
    ],
    [
      'a Wi-Fi name behind the access point',
      { ssid: 'Harbour_Guest' },
      WIRELESS,
      `Called-Station-ID=${AP}:Harbour_Guest`,
    ],
    [
      "a switch's own name there",
      { ssid: undefined },
      { ...WIRED, nas_port_id: '50144' },
      `Called-Station-ID=${AP}:sw-quay-8.example.com`,
    ],
    [
      'its NAS-Identifier there',
      { ssid: undefined },
      { ...WIRED, nas_port_id: '50144' },
      `NAS-Identifier=quay8:!:Called-Station-ID=${AP}:quay8`,
    ],
    [
      'another name there, on an Ethernet port',
      { ssid: undefined },
      { ...WIRED, called_station_id: `${AP}:stack-2` },
    ],
    ['a Wi-Fi name of 10 KB', { ssid: LONG }, { ...WIRELESS, called_station_id: `${AP}:${LONG}` }],
    ['a named network device', { networkDevice: 'sw-quay-8', networkAddress: '192.0.2.18' }, WIRED],
    [
      'a network device that the NAC does not define',
      { networkDevice: '192.0.2.77', isUnlisted: true },
      { network_device_name: 'DefaultNetworkDevice', nas_ip_address: '192.0.2.77' },
    ],
    ['an address alone', { networkDevice: '192.0.2.77' }, { nas_ip_address: '192.0.2.77' }],
    // Network.
    [
      'network elements',
      { vlan: '30', accessList: 'Printers_Only', securityGroup: 'Cranes' },
      { vlan: '30', dacl: '#ACSACL#-IP-Printers_Only-57f6b0d3', security_group: 'Cranes' },
    ],
    [
      'what the NAC answered, before them',
      { vlan: '7', securityGroup: 'Crews' },
      {
        vlan: '30',
        cts_security_group: 'Crews',
        security_group: 'Cranes',
        response: '{Tunnel-Private-Group-ID=(tag=1) 7; }',
      },
    ],
    // Who.
    [
      'a user that failed',
      { chaining: 'user failed' },
      {},
      'EapChainingResult=User failed and machine succeeded',
    ],
    [
      'a machine that failed',
      { chaining: 'machine failed' },
      {},
      'EapChainingResult=User succeeded and machine failed',
    ],
    ['a chain that passed', { chaining: undefined }, {}, 'EapChainingResult=User and machine both succeeded'],
    [
      'a VPN',
      { vpn: { group: 'Crew_VPN', client: '203.0.113.80' } },
      { calling_station_id: '203.0.113.80', nas_port_type: 'Virtual' },
      'CVPN3000/ASA/PIX7x-Tunnel-Group-Name=Crew_VPN',
    ],
    [
      'a VPN whose client has a MAC address',
      { vpn: { group: 'Crew_VPN', client: undefined } },
      { calling_station_id: AP },
      'CVPN3000/ASA/PIX7x-Tunnel-Group-Name=Crew_VPN',
    ],
    // Why.
    [
      'a posture report',
      { failedPolicies: ['Antivirus', 'Disk key'] },
      {},
      'PostureReport=Firewall\\;Passed\\;(Fw_On:Mandatory:Passed)\\,Antivirus\\;Failed\\;(Av_On:Mandatory:Failed)\\,Disk key\\;Failed\\;(x)',
    ],
    [
      'a posture report with blanks',
      { failedPolicies: ['QUAY-AM'] },
      { posture_report: 'QUAY-FW\\;Passed\\;(details), QUAY-AM\\;Failed\\;(details)' },
    ],
    [
      'a posture report that passed',
      { failedPolicies: undefined },
      {},
      'PostureReport=Firewall\\;Passed\\;(Failed_Over\\;x)',
    ],
    // When.
    [
      'a slow store',
      { slow: { ms: 14_310, step: '24430' } },
      { execution_steps: '11001,24430,22037' },
      'TotalAuthenLatency=14310:!:StepLatency=1=0;2=14031;3=2',
    ],
    ['one slow step alone', { slow: { ms: 9383, step: undefined } }, {}, 'StepLatency=11=9383'],
    [
      'many steps that are slow together',
      { slow: { ms: 6000, step: undefined } },
      { response_time: '6000', execution_steps: '11001,24430' },
      'StepLatency=1=2500\\;2=2600',
    ],
    ['3 s', { slow: undefined }, { response_time: '3000' }, 'TotalAuthenLatency=12'],
    ['a negative latency', { slow: undefined }, { response_time: '-90000' }, 'StepLatency=1=-7;2=x;=9'],
  ])('%s: %j', (_, said, elements, attributes) => expect(record(elements, attributes)).toMatchObject(said));

  it.each<[shape: string, kind: string, elements: Record<string, string>]>([
    ['accounting alone that stopped', 'ended', { ...STOP, stopped: 'false' }],
    ['accounting alone that goes on', 'unknown', { ...STOP, acct_status_type: 'Interim-Update' }],
    [
      'a stop after the beginning, both without a zone',
      'ended',
      {
        passed: 'true',
        ...STOP,
        acct_acs_timestamp: '2026-06-08T17:54:13.527',
        auth_acs_timestamp: '2026-06-08 17:00:00',
      },
    ],
    [
      'a stop before the beginning, both without a zone',
      'connected',
      {
        passed: 'true',
        ...STOP,
        acct_acs_timestamp: '2026-06-08T16:54:13',
        auth_acs_timestamp: '2026-06-08T17:00:00',
        stopped: 'true',
      },
    ],
    [
      'a stop and a beginning of which one has a zone',
      'connected',
      { passed: 'true', ...STOP, auth_acs_timestamp: '2026-06-08T01:00:00', stopped: 'false' },
    ],
    [
      'a beginning in the year 9999',
      'connected',
      { passed: 'true', ...STOP, auth_acs_timestamp: '9999-12-31T23:59:59Z' },
    ],
  ])('%s is %s', (_, kind, elements) => expect(stateOf(record(elements)).kind).toBe(kind));

  it('has no age if its time has no zone', () =>
    expect(record({ auth_acs_timestamp: '2026-06-08T17:00:00' })).toMatchObject({
      since: '2026-06-08T17:00:00',
      lastSignAt: undefined,
    }));
});
