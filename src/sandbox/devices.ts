import { type SandboxAttempt, type SessionFields, sessionXml, times } from './session-xml.ts';

/** How the sandbox's NAC answers for a device. */
type DeviceAnswer =
  | { kind: 'session'; xml: string; delayMs?: number }
  | { kind: 'no session' | 'login page' | 'another root' | 'cut off' | 'endless' | 'silent' }
  | { kind: 'too large' | 'packed too large' }
  | { kind: 'status'; status: 401 | 403 | 500 | 503 };

/** `address`: what the device is known by; a MAC address, or for a VPN the IP address that it dials in from. */
export type Device = {
  address: string;
  what: string;
  answer: DeviceAnswer;
  /** Its authentications within 24 hours, newest first. */
  attempts?: readonly SandboxAttempt[] | undefined;
};

const WIRED = { nas_port_type: 'Ethernet' };
const WIRELESS = { nas_port_type: 'Wireless - IEEE 802.11' };
const GUEST_WIFI = {
  called_station_id: 'F8-66-F2-00-10-30:Guest',
  nas_port_id: 'Capwap7',
  network_device_name: 'wlc-campus-1',
};
const OTHER_PORT = { network_device_name: 'sw-floor3-02', nas_port_id: 'GigabitEthernet1/0/4' };
const REJECTED = { passed: 'false', selected_azn_profiles: 'DenyAccess' } as const;
const BLACKLISTED = {
  user_name: '00-1B-54-00-00-03',
  failure_reason: '15039 Rejected per authorization profile',
  selected_azn_profiles: 'DenyAccess',
};
const HANDSHAKE = '12520 The handshake ended because the device sent an alert';
const PEAP = { authentication_method: 'dot1x', authentication_protocol: 'PEAP (EAP-MSCHAPv2)' };
const EAP_TLS = { authentication_method: 'dot1x', authentication_protocol: 'EAP-TLS' };

/** The sandbox's network. Any other address has no session. */
export const DEVICES: readonly Device[] = [
  device('AA:BB:CC:DD:EE:FF', 'a wired workstation, connected', {
    more: {
      ...WIRED,
      cts_security_group: 'Employees',
      response: answered('Tunnel-Private-Group-ID=(tag=1) 30'),
    },
  }),
  device('00:1B:54:00:00:01', 'a laptop on Wi-Fi, connected by 802.1X', {
    ...PEAP,
    called_station_id: 'F8-66-F2-00-10-20:Campus',
    nas_port_id: 'Capwap1',
    network_device_name: 'wlc-campus-1',
    user_name: 'megan@example.com',
    identity_group: 'RegisteredDevices',
    selected_azn_profiles: 'Staff_Wireless_Access',
    more: WIRELESS,
    other: rule('Wireless_802.1X', 'Campus Wi-Fi', { PostureStatus: 'Compliant' }),
  }),
  device('00:1B:54:00:00:02', 'a guest, connected', {
    ...GUEST_WIFI,
    user_name: 'guest-4711',
    identity_group: 'GuestEndpoints',
    selected_azn_profiles: 'Guest_Internet_Only',
    authentication_method: 'webauth',
    more: WIRELESS,
    other: rule('Guest_Access', 'Guest Wi-Fi'),
  }),
  device(
    '00:1B:54:00:00:03',
    'a printer, rejected',
    {
      ...REJECTED,
      ...BLACKLISTED,
      identity_group: 'Printers',
      more: { ...WIRED, endpoint_policy: 'HP-Printer' },
      other: rule('Blacklist_Access-Reject'),
    },
    times(10, 12, { passed: false, ...BLACKLISTED }),
  ),
  device('00:1B:54:00:00:04', 'a camera whose session is nine days old and holds no token', {
    auth_acs_timestamp: hoursAgo(9 * 24),
    user_name: '00-1B-54-00-00-04',
    identity_group: 'Cameras',
    selected_azn_profiles: 'PermitAccess',
    other: rule('Cameras'),
  }),
  slow('00:1B:54:00:00:05', 'a device that the NAC finds slowly (3 s)', 'patti', 3000),
  slow(
    '00:1B:54:00:00:07',
    'a device found very slowly (10 s), longer than a turn may take',
    'megan',
    10_000,
  ),
  device('00:1B:54:00:00:08', 'a laptop in quarantine', {
    user_name: 'adele',
    selected_azn_profiles: 'Quarantine_Web_Only',
    other: rule('Infected_Hosts', 'Default', { ANCPolicy: 'Quarantine', PostureStatus: 'NonCompliant' }),
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
    other: rule('Remote_Access', 'VPN'),
  }),
  device(
    '00:1B:54:00:00:09',
    'a workstation whose session has ended',
    {
      user_name: 'lee',
      more: {
        acct_status_type: 'Stop',
        acct_acs_timestamp: hoursAgo(1),
        acct_terminate_cause: 'User Request',
        stopped: 'true',
      },
    },
    [{ passed: true, minutesAgo: 180, user_name: 'lee', selected_azn_profiles: 'Corp_Wired_Access' }],
  ),
  held('00:1B:54:00:00:0A', 'a guest who has not logged in', 'cwa', 'Guest_WebAuth'),
  held('00:1B:54:00:00:0B', 'a laptop that waits for its posture check', 'cpp', 'Posture_Redirect'),
  held('00:1B:54:00:00:0C', "a person's own phone, not set up", 'nsp', 'BYOD_Onboarding'),
  held('00:1B:54:00:00:0D', 'a tablet that is not enrolled', 'mdm', 'MDM_Enrolment'),
  held('00:1B:54:00:00:0E', 'a device that a portal holds', undefined, 'Hotspot_Redirect'),
  posture('00:1B:54:00:00:0F', 'a laptop whose posture check is open', 'Pending'),
  posture('00:1B:54:00:00:10', 'a laptop that failed its posture check', 'NonCompliant'),
  device('00:1B:54:00:00:11', 'a laptop with a wrong password, by its steps alone', {
    ...REJECTED,
    ...PEAP,
    user_name: 'diego',
    more: { ...WIRED, execution_steps: '11001,11017,24430,24408,22057,11003' },
    other: rule('Default'),
  }),
  {
    address: '00:1B:54:00:00:21',
    what: 'a device without session that was refused ten times',
    answer: { kind: 'no session' },
    attempts: times(10, 7, refused('00-1B-54-00-00-21', '22056 No identity store holds this device')),
  },
  {
    address: '00:1B:54:00:00:22',
    what: 'a device without session that has moved',
    answer: { kind: 'no session' },
    attempts: [
      { minutesAgo: 20, ...refused('grady', HANDSHAKE), ...OTHER_PORT },
      { minutesAgo: 25, ...refused('grady', HANDSHAKE), ...OTHER_PORT },
      { minutesAgo: 300, ...refused('grady', '24408 Active Directory refused the password') },
      { passed: true, minutesAgo: 600, user_name: 'grady', selected_azn_profiles: 'Corp_Wired_Access' },
    ],
  },
  {
    ...device('00:1B:54:00:00:23', 'a laptop, rejected for a reason that needs explaining', {
      ...REJECTED,
      ...EAP_TLS,
      user_name: 'isaiah',
      failure_reason: HANDSHAKE,
      more: WIRED,
      other: rule('Default'),
    }),
    attempts: times(3, 15, { passed: false, user_name: 'isaiah', failure_reason: HANDSHAKE }),
  },
  device('00:1B:54:00:00:24', 'a laptop, rejected, explained by its steps', {
    ...REJECTED,
    ...EAP_TLS,
    user_name: 'johanna',
    more: { ...WIRED, execution_steps: '11001,11017,12519,11003' },
    other: rule('Default'),
  }),
  device('00:1B:54:00:00:06', 'a device whose name is full of markup', {
    user_name: '`**bold** [link](https://example.com) &lt;at&gt;everyone&lt;/at&gt; ![:Team](1)',
  }),
  failing('00:1B:54:00:05:00', 'a fault of the NAC (500)', { kind: 'status', status: 500 }),
  failing('00:1B:54:00:05:03', 'a NAC that is down (503)', { kind: 'status', status: 503 }),
  failing('00:1B:54:00:04:01', 'credentials refused (401)', { kind: 'status', status: 401 }),
  failing('00:1B:54:00:04:03', 'an account that may not read (403)', { kind: 'status', status: 403 }),
  failing('00:1B:54:00:0B:01', 'a login page instead of a session', { kind: 'login page' }),
  failing('00:1B:54:00:0B:02', 'an answer that is cut off', { kind: 'cut off' }),
  failing('00:1B:54:00:0B:03', 'an answer that never ends', { kind: 'endless' }),
  failing('00:1B:54:00:0B:04', 'an answer of 2 MB', { kind: 'too large' }),
  failing('00:1B:54:00:0B:05', 'an answer of 20 MB, packed small', { kind: 'packed too large' }),
  failing('00:1B:54:00:0B:06', 'no answer at all', { kind: 'silent' }),
  failing('00:1B:54:00:0B:07', 'an answer of another kind', { kind: 'another root' }),
];

function device(
  address: string,
  what: string,
  fields: Partial<SessionFields>,
  attempts?: readonly SandboxAttempt[],
): Device {
  return { address, what, answer: { kind: 'session', xml: sessionOf(address, fields) }, attempts };
}

function slow(address: string, what: string, user_name: string, delayMs: number): Device {
  return { address, what, answer: { kind: 'session', xml: sessionOf(address, { user_name }), delayMs } };
}

function failing(address: string, what: string, answer: DeviceAnswer): Device {
  return { address, what, answer };
}

/** A device that a portal holds. Without an action, the portal has no kind. */
function held(address: string, what: string, action: string | undefined, profile: string): Device {
  const portal = 'https://nac-1.example.com:8443/portal/gateway?sessionId=0A0000010000002A';
  const response = answered(
    'cisco-av-pair=url-redirect-acl=ACL_REDIRECT',
    `cisco-av-pair=url-redirect=${portal}${action === undefined ? '' : `&amp;action=${action}`}`,
  );
  return device(address, what, {
    user_name: address.replaceAll(':', '-'),
    selected_azn_profiles: profile,
    more: { ...WIRELESS, response },
    ...GUEST_WIFI,
    identity_group: 'Unknown',
    other: rule(`${profile}_Rule`, 'Guest Wi-Fi'),
  });
}

function posture(address: string, what: string, PostureStatus: string): Device {
  return device(address, what, {
    ...EAP_TLS,
    user_name: 'irvin',
    selected_azn_profiles: 'Staff_Limited_Access',
    other: rule('Wired_802.1X', 'Default', { PostureStatus }),
  });
}

/** Which rule of which policy set matched, and what else the NAC notes there. */
function rule(name: string, set = 'Default', more: SessionFields['other'] = {}): SessionFields['other'] {
  return { AuthorizationPolicyMatchedRule: name, ISEPolicySetName: set, ...more };
}

function refused(user_name: string, failure_reason: string) {
  return { passed: false, user_name, failure_reason };
}

/** A session of a device with an IP address of its own, three hours old. */
function sessionOf(address: string, fields: Partial<SessionFields>): string {
  const last = address.slice(-2).toLowerCase();
  const isFirst = address === 'AA:BB:CC:DD:EE:FF';
  return sessionXml({
    calling_station_id: address,
    framed_ip_address: `198.51.100.${isFirst ? 23 : 100 + Number.parseInt(last, 16)}`,
    framed_ipv6_address: `2001:db8::${isFirst ? '23' : `1${last}`}`,
    auth_acs_timestamp: hoursAgo(3),
    ...fields,
  });
}

function hoursAgo(hours: number): string {
  return new Date(Date.now() - hours * 3_600_000).toISOString();
}

/** What the NAC answered to the switch. */
function answered(...attributes: readonly string[]): string {
  return `{${['Class=CACS:0A0000010000002A', ...attributes].join('; ')}; }`;
}
