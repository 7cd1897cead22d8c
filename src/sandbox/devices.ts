import { type SessionFields, sessionXml } from './session-xml.ts';

/** How the sandbox's NAC answers for a device. */
type DeviceAnswer =
  | { kind: 'session'; xml: string; delayMs?: number }
  | { kind: 'status'; status: 401 | 403 | 500 | 503 }
  | {
      kind:
        | 'login page'
        | 'cut off'
        | 'endless'
        | 'too large'
        | 'packed too large'
        | 'silent'
        | 'another root';
    };

export type Device = { address: string; what: string; answer: DeviceAnswer };

/** The sandbox's network. Any other address has no session. */
export const DEVICES: readonly Device[] = [
  device('AA:BB:CC:DD:EE:FF', 'a wired workstation, connected', {}),
  device('00:1B:54:00:00:01', 'a laptop on Wi-Fi, connected by 802.1X', {
    called_station_id: 'F8-66-F2-00-10-20:Campus',
    user_name: 'megan@example.com',
    nas_port_id: 'Capwap1',
    network_device_name: 'wlc-campus-1',
    identity_group: 'RegisteredDevices',
    authentication_method: 'dot1x',
    authentication_protocol: 'PEAP (EAP-MSCHAPv2)',
    selected_azn_profiles: 'Staff_Wireless_Access',
    other: {
      AuthorizationPolicyMatchedRule: 'Wired_802.1X',
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
    other: { AuthorizationPolicyMatchedRule: 'Guest_Access', ISEPolicySetName: 'Guest Wi-Fi' },
  }),
  device('00:1B:54:00:00:03', 'a printer, rejected', {
    passed: 'false',
    user_name: '00-1B-54-00-00-03',
    selected_azn_profiles: 'DenyAccess',
    failure_reason: '15039 Rejected per authorization profile',
    other: { AuthorizationPolicyMatchedRule: 'Blacklist_Access-Reject', ISEPolicySetName: 'Default' },
  }),
  device('00:1B:54:00:00:04', 'a camera whose session is nine days old and holds no token', {
    auth_acs_timestamp: hoursAgo(9 * 24),
    user_name: 'camera',
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

function device(address: string, what: string, fields: Partial<SessionFields>): Device {
  return {
    address,
    what,
    answer: { kind: 'session', xml: sessionOf(address, fields) },
  };
}

function sessionOf(address: string, fields: Partial<SessionFields>): string {
  return sessionXml({ calling_station_id: address, auth_acs_timestamp: hoursAgo(3), ...fields });
}

function hoursAgo(hours: number): string {
  return new Date(Date.now() - hours * 3_600_000).toISOString();
}
