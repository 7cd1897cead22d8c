import { times } from './attempts-xml.ts';
import { answered, type Device, device, hoursAgo, sessionOf, WIRELESS } from './device.ts';
import { REMEMBERED } from './remembered-devices.ts';
import { WAITING } from './waiting-devices.ts';

const VLAN_30 = 'Tunnel-Private-Group-ID=(tag=1) 30';

/** The sandbox's network. Any other address has no session. */
export const DEVICES: readonly Device[] = [
  device('AA:BB:CC:DD:EE:FF', 'a wired workstation, connected', {
    more: { nas_port_type: 'Ethernet', cts_security_group: 'Employees', response: answered(VLAN_30) },
  }),
  device('00:1B:54:00:00:01', 'a laptop on Wi-Fi, connected by 802.1X', {
    called_station_id: 'F8-66-F2-00-10-20:Campus',
    user_name: 'megan@example.com',
    nas_port_id: 'Capwap1',
    network_device_name: 'wlc-campus-1',
    identity_group: 'RegisteredDevices',
    authentication_method: 'dot1x',
    authentication_protocol: 'PEAP (EAP-MSCHAPv2)',
    selected_azn_profiles: 'Staff_Wireless_Access',
    more: WIRELESS,
    other: {
      AuthorizationPolicyMatchedRule: 'Wireless_802.1X',
      ISEPolicySetName: 'Campus Wi-Fi',
      PostureStatus: 'Compliant',
    },
  }),
  device('00:1B:54:00:00:02', 'a guest, connected', {
    called_station_id: 'F8-66-F2-00-10-30:Guest',
    user_name: 'guest-4711',
    nas_port_id: 'Capwap7',
    network_device_name: 'wlc-campus-1',
    identity_group: 'GuestEndpoints',
    selected_azn_profiles: 'Guest_Internet_Only',
    authentication_method: 'webauth',
    more: WIRELESS,
    other: { AuthorizationPolicyMatchedRule: 'Guest_Access', ISEPolicySetName: 'Guest Wi-Fi' },
  }),
  {
    ...device('00:1B:54:00:00:03', 'a printer, rejected', {
      passed: 'false',
      user_name: '00-1B-54-00-00-03',
      selected_azn_profiles: 'DenyAccess',
      identity_group: 'Printers',
      failure_reason: '15039 Rejected per authorization profile',
      more: { nas_port_type: 'Ethernet', endpoint_policy: 'HP-Printer' },
      other: { AuthorizationPolicyMatchedRule: 'Blacklist_Access-Reject', ISEPolicySetName: 'Default' },
    }),
    attempts: times(10, 12, {
      passed: false,
      user_name: '00-1B-54-00-00-03',
      failure_reason: '15039 Rejected per authorization profile',
      selected_azn_profiles: 'DenyAccess',
    }),
  },
  device('00:1B:54:00:00:04', 'a camera whose session is nine days old and holds no token', {
    auth_acs_timestamp: hoursAgo(9 * 24),
    user_name: '00-1B-54-00-00-04',
    identity_group: 'Cameras',
    selected_azn_profiles: 'PermitAccess',
    other: { AuthorizationPolicyMatchedRule: 'Cameras', ISEPolicySetName: 'Default' },
  }),
  {
    address: '00:1B:54:00:00:05',
    what: 'a device that the NAC finds slowly (3 s)',
    answer: {
      kind: 'session',
      xml: sessionOf('00:1B:54:00:00:05', { user_name: 'patti' }),
      delayMs: 3000,
    },
  },
  {
    address: '00:1B:54:00:00:07',
    what: 'a device that the NAC finds very slowly (10 s), longer than a turn may take',
    answer: {
      kind: 'session',
      xml: sessionOf('00:1B:54:00:00:07', { user_name: 'megan' }),
      delayMs: 10_000,
    },
  },
  device('00:1B:54:00:00:08', 'a laptop in quarantine', {
    user_name: 'adele',
    selected_azn_profiles: 'Quarantine_Web_Only',
    other: {
      AuthorizationPolicyMatchedRule: 'Infected_Hosts',
      ISEPolicySetName: 'Default',
      ANCPolicy: 'Quarantine',
      PostureStatus: 'NonCompliant',
    },
  }),
  device('203.0.113.80', 'a laptop on the VPN, without a MAC address', {
    framed_ip_address: '198.51.100.80',
    framed_ipv6_address: '2001:db8::80',
    user_name: 'nestor',
    nas_port_id: 'Tunnel-4',
    network_device_name: 'vpn-gateway-1',
    selected_azn_profiles: 'VPN_Employees',
    authentication_protocol: 'MSCHAPV2',
    more: { nas_port_type: 'Virtual' },
    other: { AuthorizationPolicyMatchedRule: 'Remote_Access', ISEPolicySetName: 'VPN' },
  }),
  ...WAITING,
  ...REMEMBERED,
  device('00:1B:54:00:00:06', 'a device whose name is full of markup', {
    user_name: '`**bold** [link](https://example.com) &lt;at&gt;everyone&lt;/at&gt; ![:Team](1)',
  }),
  { address: '00:1B:54:00:05:00', what: 'a fault of the NAC (500)', answer: { kind: 'status', status: 500 } },
  { address: '00:1B:54:00:05:03', what: 'a NAC that is down (503)', answer: { kind: 'status', status: 503 } },
  {
    address: '00:1B:54:00:04:01',
    what: 'credentials refused (401)',
    answer: { kind: 'status', status: 401 },
  },
  {
    address: '00:1B:54:00:04:03',
    what: 'an account that may not read sessions (403)',
    answer: { kind: 'status', status: 403 },
  },
  { address: '00:1B:54:00:0B:01', what: 'a login page instead of a session', answer: { kind: 'login page' } },
  { address: '00:1B:54:00:0B:02', what: 'an answer that is cut off', answer: { kind: 'cut off' } },
  { address: '00:1B:54:00:0B:03', what: 'an answer that never ends', answer: { kind: 'endless' } },
  { address: '00:1B:54:00:0B:04', what: 'an answer of 2 MB', answer: { kind: 'too large' } },
  {
    address: '00:1B:54:00:0B:05',
    what: 'an answer of 20 MB, packed small',
    answer: { kind: 'packed too large' },
  },
  { address: '00:1B:54:00:0B:06', what: 'no answer at all', answer: { kind: 'silent' } },
  { address: '00:1B:54:00:0B:07', what: 'an answer of another kind', answer: { kind: 'another root' } },
];
