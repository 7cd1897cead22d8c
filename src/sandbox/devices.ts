import { type SandboxAttempt, type SessionFields, sessionXml, times } from './session-xml.ts';

/** An answer in place of a session: an HTTP status, or something odd. */
export type Fault = number | 'no directory' | (typeof ODD_ANSWERS)[number];

/** A device of the sandbox's network. Without a session or a fault, the NAC answers that it has no session. */
export type Device = {
  /** What the device is known by: a MAC address, or for a VPN the IP address that it dials in from. */
  address: string;
  session?: string;
  /** How long the NAC takes to answer with its session. */
  delayMs?: number | undefined;
  /** How long it has no session yet, from the first call on. */
  absentMs?: number | undefined;
  fault?: Fault;
  /** Its authentications within 24 hours, newest first. */
  attempts?: readonly SandboxAttempt[] | undefined;
  /** What its own record on the administration node says besides its address and group. */
  endpoint?: object;
};

const STATUSES = [204, 301, 401, 403, 404, 429, 500, 503];
const ODD_ANSWERS = [
  ...(['login page', 'cut off', 'endless', 'too large'] as const),
  ...(['packed too large', 'silent', 'another root'] as const),
];
const WIRED = { nas_port_type: 'Ethernet' };
const WIRELESS = { nas_port_type: 'Wireless - IEEE 802.11' };
const GUEST_WIFI = at('wlc-campus-1', 'Capwap7', 'F8-66-F2-00-10-30:Guest');
const OTHER_PORT = at('sw-floor3-02', 'GigabitEthernet1/0/4');
const DENIED = { passed: 'false', selected_azn_profiles: 'DenyAccess' } as const;
const REJECTED = { ...DENIED, ...WIRED, other: rule('Default') };
const BY_RULE = { failure_reason: '15039 Rejected per authorization profile' };
const PRINTER = { user_name: '00-1B-54-00-00-03', ...BY_RULE };
const HANDSHAKE = '12520 The handshake ended because the device sent an alert';
const UNKNOWN = { failure_reason: '22056 No identity store holds this device' };
const SILENT = { message_code: '5411', failure_reason: '12935 The device stopped responding' };
const VOICE = ['cisco-av-pair=device-traffic-class=voice', 'cisco-av-pair=cts:security-group-tag=0010-0'];
const PEAP = { authentication_method: 'dot1x', authentication_protocol: 'PEAP (EAP-MSCHAPv2)' };
const EAP_TLS = { authentication_method: 'dot1x', authentication_protocol: 'EAP-TLS' };

const REPORT = 'Firewall\\;Passed\\;(Fw_On)\\,Antivirus\\;Failed\\;(Av_On)';

/** The sandbox's network. Any other address has no session. */
export const DEVICES: readonly Device[] = [
  device('AA:BB:CC:DD:EE:FF', {
    framed_ip_address: '198.51.100.23',
    framed_ipv6_address: '2001:db8::23',
    ...WIRED,
    cts_security_group: 'Employees',
    response: answered('Tunnel-Private-Group-ID=(tag=1) 30'),
  }),
  device('00:1B:54:00:00:01', {
    ...PEAP,
    ...at('wlc-campus-1', 'Capwap1', 'F8-66-F2-00-10-20:Campus'),
    ...user('megan@example.com', 'Staff_Wireless_Access', 'RegisteredDevices'),
    ...WIRELESS,
    other: rule('Wireless_802.1X', 'Campus Wi-Fi', { PostureStatus: 'Compliant' }),
  }),
  device('00:1B:54:00:00:02', {
    ...GUEST_WIFI,
    ...user('guest-4711', 'Guest_Internet_Only', 'GuestEndpoints'),
    authentication_method: 'webauth',
    ...WIRELESS,
    other: rule('Guest_Access', 'Guest Wi-Fi'),
  }),
  device('00:1B:54:00:00:03', {
    ...PRINTER,
    ...REJECTED,
    identity_group: 'Printers',
    endpoint_policy: 'HP-Printer',
    other: rule('Blacklist_Access-Reject'),
    attempts: times(10, 12, { ...PRINTER, passed: false, selected_azn_profiles: 'DenyAccess' }),
  }),
  device('00:1B:54:00:00:04', {
    auth_acs_timestamp: hoursAgo(9 * 24),
    ...user('00-1B-54-00-00-04', 'PermitAccess', 'Cameras'),
    other: rule('Cameras'),
  }),
  device('00:1B:54:00:00:05', { user_name: 'patti', delayMs: 3000 }),
  device('00:1B:54:00:00:07', { user_name: 'megan', delayMs: 10_000 }),
  device('00:1B:54:00:00:08', {
    ...user('adele', 'Quarantine_Web_Only'),
    other: rule('Infected_Hosts', 'Default', { ANCPolicy: 'Quarantine', PostureStatus: 'NonCompliant' }),
  }),
  device('203.0.113.80', {
    framed_ip_address: '198.51.100.80',
    framed_ipv6_address: '2001:db8::80',
    ...user('nestor', 'VPN_Employees'),
    ...at('vpn-gateway-1', 'Tunnel-4'),
    authentication_protocol: 'MSCHAPV2',
    nas_port_type: 'Virtual',
    other: rule('Remote_Access', 'VPN', { 'CVPN3000/ASA/PIX7x-Tunnel-Group-Name': 'Crew_VPN' }),
  }),
  device('00:1B:54:00:00:09', {
    user_name: 'lee',
    acct_status_type: 'Stop',
    acct_acs_timestamp: hoursAgo(1),
    acct_terminate_cause: 'User Request',
    stopped: 'true',
    attempts: [{ passed: true, minutesAgo: 180, ...user('lee', 'Corp_Wired_Access') }],
  }),
  device('00:1B:54:00:00:12', {
    ...user('lynne', 'Corp_Wired_Access'),
    other: rule('Wired_802.1X', 'Default', { ANCPolicy: 'ANC_No_Access' }),
  }),
  device('00:1B:54:00:00:13', { ...REJECTED, user_name: 'INVALID', message_code: '5449', ...UNKNOWN }),
  device('00:1B:54:00:00:14', { ...REJECTED, ...EAP_TLS, ...SILENT, user_name: 'pradeep' }),
  device('00:1B:54:00:00:15', {
    framed_ip_address: '169.254.7.15',
    cts_security_group: 'Cameras',
    response: answered(...VOICE),
  }),
  device('203.0.113.81', {
    ...user('debra', 'Shell_Admin'),
    nas_port_id: 'tty3',
    service_type: 'NAS Prompt',
    nas_port_type: 'Virtual',
  }),
  held('00:1B:54:00:00:16', 'cwa&amp;type=drw', 'Hotspot_Terms'),
  held('00:1B:54:00:00:0A', 'cwa', 'Guest_WebAuth'),
  held('00:1B:54:00:00:0B', 'cpp', 'Posture_Redirect'),
  held('00:1B:54:00:00:0C', 'nsp', 'BYOD_Onboarding'),
  held('00:1B:54:00:00:0D', 'mdm', 'MDM_Enrolment'),
  held('00:1B:54:00:00:0E', undefined, 'Hotspot_Redirect'),
  posture('00:1B:54:00:00:0F', 'Pending'),
  posture('00:1B:54:00:00:10', 'NonCompliant', { PostureReport: REPORT }),
  device('00:1B:54:00:00:11', {
    ...REJECTED,
    ...PEAP,
    user_name: 'diego',
    execution_steps: '11001,11017,24430,24408,22057,11003',
  }),
  {
    address: '00:1B:54:00:00:21',
    attempts: times(10, 7, refused('00-1B-54-00-00-21', UNKNOWN.failure_reason)),
  },
  {
    address: '00:1B:54:00:00:22',
    attempts: [
      { minutesAgo: 20, ...refused('grady', HANDSHAKE), ...OTHER_PORT },
      { minutesAgo: 25, ...refused('grady', HANDSHAKE), ...OTHER_PORT },
      { minutesAgo: 300, ...refused('grady', '24408 Active Directory refused the password') },
      { passed: true, minutesAgo: 600, ...user('grady', 'Corp_Wired_Access') },
    ],
  },
  device('00:1B:54:00:00:23', {
    ...refused('isaiah', HANDSHAKE),
    ...REJECTED,
    ...EAP_TLS,
    attempts: times(3, 15, refused('isaiah', HANDSHAKE)),
  }),
  device('00:1B:54:00:00:24', {
    ...REJECTED,
    ...EAP_TLS,
    user_name: 'johanna',
    execution_steps: '11001,11017,12519,11003',
  }),
  device('00:1B:54:00:00:25', {
    ...EAP_TLS,
    authentication_protocol: 'EAP-FAST (EAP-TLS)',
    user_name: 'host/berth-3.example.com',
    ...WIRED,
    execution_steps: '11001,24430,24402,22037,15016,11002',
    other: rule('Wired_802.1X', 'Default', {
      EapChainingResult: 'User failed and machine succeeded',
      TotalAuthenLatency: '14310',
      StepLatency: '1=0;2=14031;3=2;4=0;5=1;6=0',
    }),
  }),
  {
    address: '00:1B:54:00:00:2A',
    attempts: times(4, 6, { ...refused('INVALID', UNKNOWN.failure_reason), message_code: '5434' }),
  },
  { address: '00:1B:54:00:00:29', attempts: times(3, 4, { passed: false, ...SILENT }) },
  {
    address: '00:1B:54:00:00:26',
    attempts: [
      ...times(4, 8, { ...refused('00-1B-54-00-00-26', BY_RULE.failure_reason), ...OTHER_PORT }),
      { passed: true, minutesAgo: 190, ...user('00-1B-54-00-00-26', 'Printers') },
    ],
  },
  {
    address: '00:1B:54:00:00:27',
    endpoint: {
      groupId: 'Harbour_Printers',
      staticGroupAssignment: true,
      portalUser: 'megan',
      description: 'Crane label printer',
    },
  },
  device('00:1B:54:00:00:28', { user_name: 'sonja', auth_acs_timestamp: hoursAgo(0), absentMs: 20_000 }),
  device('00:1B:54:00:00:06', {
    user_name: '`**bold** [link](https://example.com) &lt;at&gt;everyone&lt;/at&gt; ![:Team](1)',
  }),
  { address: '00:1B:54:00:05:01', fault: 'no directory' },
  // A status is the end of an address: 404 is 00:1B:54:00:04:04.
  ...STATUSES.map((fault) => ({ address: `00:1B:54:00:0${`${fault}`.replace(/\B/, ':')}`, fault })),
  ...ODD_ANSWERS.map((fault, index) => ({ address: `00:1B:54:00:0B:0${index + 1}`, fault })),
];

type DeviceFields = Partial<SessionFields> & Pick<Device, 'delayMs' | 'absentMs' | 'attempts'>;

/** A device with a session and an IP address of its own, authenticated three hours ago. */
function device(address: string, { attempts, delayMs, absentMs, ...fields }: DeviceFields): Device {
  const last = address.slice(-2).toLowerCase();
  const session = sessionXml({
    calling_station_id: address,
    framed_ip_address: `198.51.100.${100 + Number.parseInt(last, 16)}`,
    framed_ipv6_address: `2001:db8::1${last}`,
    auth_acs_timestamp: hoursAgo(3),
    ...fields,
  });
  return { address, session, attempts, delayMs, absentMs };
}

/** A device that a portal holds. Without an action, the portal has no kind. */
function held(address: string, action: string | undefined, profile: string): Device {
  const portal = 'https://nac-1.example.com:8443/portal/gateway?sessionId=0A0000010000002A';
  const response = answered(
    'cisco-av-pair=url-redirect-acl=ACL_REDIRECT',
    `cisco-av-pair=url-redirect=${portal}${action === undefined ? '' : `&amp;action=${action}`}`,
  );
  return device(address, {
    ...user(address.replaceAll(':', '-'), profile, 'Unknown'),
    ...GUEST_WIFI,
    ...WIRELESS,
    response,
    other: rule(`${profile}_Rule`, 'Guest Wi-Fi'),
  });
}

function posture(address: string, PostureStatus: string, more: SessionFields['other'] = {}): Device {
  const other = rule('Wired_802.1X', 'Default', { PostureStatus, ...more });
  return device(address, { ...EAP_TLS, ...user('irvin', 'Staff_Limited_Access'), other });
}

function at(network_device_name: string, nas_port_id: string, called_station_id?: string) {
  return { network_device_name, nas_port_id, ...(called_station_id && { called_station_id }) };
}

function user(user_name: string, selected_azn_profiles: string, identity_group?: string) {
  return { user_name, selected_azn_profiles, ...(identity_group && { identity_group }) };
}

function rule(name: string, set = 'Default', more: SessionFields['other'] = {}): SessionFields['other'] {
  return { AuthorizationPolicyMatchedRule: name, ISEPolicySetName: set, ...more };
}

function refused(user_name: string, failure_reason: string) {
  return { passed: false, user_name, failure_reason };
}

function hoursAgo(hours: number): string {
  return new Date(Date.now() - hours * 3_600_000).toISOString();
}

function answered(...attributes: readonly string[]): string {
  return `{${['Class=CACS:0A0000010000002A', ...attributes].join('; ')}; }`;
}
