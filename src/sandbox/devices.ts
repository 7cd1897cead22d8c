import { BASIC_ACCESS, type SandboxAttempt, sessionXml } from './session-xml.ts';

/** A device of the sandbox's network. Without a session or a fault, the NAC answers that it has no session. */
export type Device = {
  /** A MAC address, or for a VPN the IP address that the device dials in from. */
  address: string;
  session?: string;
  /** How long the NAC takes to answer with its session. */
  delayMs?: number;
  /** How long it has no session yet, from the first call on. */
  absentMs?: number;
  /** An answer in place of a session: an HTTP status, or something odd by its name. */
  fault?: number | string;
  /** Its authentications within 24 hours, newest first. */
  attempts?: readonly SandboxAttempt[];
  /** The fields of its own record on the administration node, besides its address and group. */
  endpoint?: object;
};

/**
 * The sandbox's network, as differences from the usual session; `docs/answers.md` describes each device. A row is an address (`03`
 * is 00:1B:54:00:00:03) and its fields: `NAME=VALUE`, or one of `KINDS`. Names that begin with a capital letter are attributes of
 * the policy, `216h` is so many hours ago, `~` the device's own address as a user name. An address alone has no session. The rows
 * below it are its authentications, by the minutes since then, or `COUNT x MINUTES`.
 */
const NETWORK = String.raw`
AA:BB:CC:DD:EE:FF | wired | framed_ip_address=198.51.100.23 | framed_ipv6_address=2001:db8::23
    | cts_security_group=Employees | response={Class=CACS:0A0000010000002A; Tunnel-Private-Group-ID=(tag=1) 30; }
01 | peap | campus | user=megan@example.com | profile=Staff_Wireless_Access | group=RegisteredDevices
    | rule=Wireless_802.1X | set=Campus Wi-Fi | PostureStatus=Compliant
02 | guest | user=guest-4711 | profile=Guest_Internet_Only | group=GuestEndpoints | rule=Guest_Access
    | authentication_method=webauth
03 | rejected | by rule | user=~ | group=Printers | endpoint_policy=HP-Printer | rule=Blacklist_Access-Reject
  10 x 12 | denied | user=~ | by rule
04 | auth_acs_timestamp=216h | user=~ | profile=PermitAccess | group=Cameras | rule=Cameras
05 | user=patti | delayMs=3000
07 | user=megan | delayMs=10000
08 | user=adele | profile=Quarantine_Web_Only | rule=Infected_Hosts | ANCPolicy=Quarantine
    | PostureStatus=NonCompliant
203.0.113.80 | virtual | user=nestor | profile=VPN_Employees | rule=Remote_Access | set=VPN
    | framed_ip_address=198.51.100.80 | framed_ipv6_address=2001:db8::80 | network_device_name=vpn-gateway-1
    | nas_port_id=Tunnel-4 | authentication_protocol=MSCHAPV2 | CVPN3000/ASA/PIX7x-Tunnel-Group-Name=Crew_VPN
09 | user=lee | acct_status_type=Stop | acct_acs_timestamp=1h | acct_terminate_cause=User Request
  180 | user=lee | profile=Corp_Wired_Access
12 | user=lynne | profile=Corp_Wired_Access | rule=Wired_802.1X | ANCPolicy=ANC_No_Access
13 | rejected | user=INVALID | message_code=5449 | unknown
14 | rejected | eap-tls | silent | user=pradeep
15 | framed_ip_address=169.254.7.15 | cts_security_group=Cameras
    | response={cisco-av-pair=device-traffic-class=voice; cisco-av-pair=cts:security-group-tag=0010-0; }
203.0.113.81 | virtual | user=debra | profile=Shell_Admin | nas_port_id=tty3 | service_type=NAS Prompt
16 | held | user=~ | profile=Hotspot_Terms | portal=&amp;action=cwa&amp;type=drw
0A | held | user=~ | profile=Guest_WebAuth | portal=&amp;action=cwa
0B | held | user=~ | profile=Posture_Redirect | portal=&amp;action=cpp
0C | held | user=~ | profile=BYOD_Onboarding | portal=&amp;action=nsp
0D | held | user=~ | profile=MDM_Enrolment | portal=&amp;action=mdm
0E | held | user=~ | profile=Hotspot_Redirect | portal=
0F | eap-tls | user=irvin | profile=Staff_Limited_Access | rule=Wired_802.1X | PostureStatus=Pending
10 | eap-tls | user=irvin | profile=Staff_Limited_Access | rule=Wired_802.1X | PostureStatus=NonCompliant
    | PostureReport=Firewall\;Passed\;(Fw_On)\,Antivirus\;Failed\;(Av_On)
11 | rejected | peap | user=diego | execution_steps=11001,11017,24430,24408,22057,11003
21
  10 x 7 | user=~ | refused | unknown
22
  2 x 12 | refused | user=grady | handshake | other port
  300 | refused | user=grady | reason=24408 Active Directory refused the password
  600 | user=grady | profile=Corp_Wired_Access
23 | rejected | eap-tls | user=isaiah | handshake
  3 x 15 | refused | user=isaiah | handshake
24 | rejected | eap-tls | user=johanna | execution_steps=11001,11017,12519,11003
25 | wired | eap-tls | user=host/berth-3.example.com | authentication_protocol=EAP-FAST (EAP-TLS)
    | rule=Wired_802.1X | EapChainingResult=User failed and machine succeeded | TotalAuthenLatency=14310
    | execution_steps=11001,24430,24402,22037,15016,11002 | StepLatency=1=0;2=14031;3=2;4=0;5=1;6=0
2A
  4 x 6 | refused | user=INVALID | unknown | message_code=5434
29
  3 x 4 | refused | silent
26
  4 x 8 | refused | user=~ | by rule | other port
  190 | user=~ | profile=Printers
28 | user=sonja | auth_acs_timestamp=0h | absentMs=20000`;

const KINDS: Readonly<Record<string, string>> = {
  wired: 'nas_port_type=Ethernet',
  wireless: 'nas_port_type=Wireless - IEEE 802.11 | network_device_name=wlc-campus-1',
  virtual: 'nas_port_type=Virtual',
  campus: 'wireless | nas_port_id=Capwap1 | called_station_id=F8-66-F2-00-10-20:Campus',
  guest: 'wireless | nas_port_id=Capwap7 | called_station_id=F8-66-F2-00-10-30:Guest | set=Guest Wi-Fi',
  held: 'guest | group=Unknown | rule=Portal_Access',
  'other port': 'network_device_name=sw-floor3-02 | nas_port_id=GigabitEthernet1/0/4',
  peap: 'authentication_method=dot1x | authentication_protocol=PEAP (EAP-MSCHAPv2)',
  'eap-tls': 'authentication_method=dot1x | authentication_protocol=EAP-TLS',
  refused: 'passed=false',
  denied: 'refused | profile=DenyAccess',
  rejected: 'denied | wired | rule=Default',
  'by rule': 'reason=15039 Rejected per authorization profile',
  handshake: 'reason=12520 The handshake ended because the device sent an alert',
  unknown: 'reason=22056 No identity store holds this device',
  silent: 'message_code=5411 | reason=12935 The device stopped responding',
};

const NAMES: Readonly<Record<string, string>> = {
  user: 'user_name',
  profile: 'selected_azn_profiles',
  group: 'identity_group',
  reason: 'failure_reason',
  rule: 'AuthorizationPolicyMatchedRule',
  set: 'ISEPolicySetName',
};
const PORTAL = 'https://nac-1.example.com:8443/portal/gateway?sessionId=0A0000010000002A';

const STATUSES = [204, 301, 401, 403, 404, 429, 500, 503];
const ODD_ANSWERS = 'login page,cut off,endless,too large,packed too large,silent,another root'.split(',');
const MARKUP = '`**bold** [link](https://example.com) &lt;at&gt;everyone&lt;/at&gt; ![:Team](1)';
const ENDPOINT = {
  groupId: 'Harbour_Printers',
  staticGroupAssignment: true,
  portalUser: 'megan',
  description: 'Crane label printer',
};

export const DEVICES: readonly Device[] = [
  ...NETWORK.replaceAll(/\n +\|/g, ' |')
    .trim()
    .split(/\n(?! )/)
    .map(toDevice),
  { address: '00:1B:54:00:00:06', session: sessionOf('00:1B:54:00:00:06', { user_name: MARKUP }) },
  { address: '00:1B:54:00:00:27', endpoint: ENDPOINT },
  { address: '00:1B:54:00:05:01', fault: 'no directory' },
  // A status is the end of an address: 404 is 00:1B:54:00:04:04.
  ...STATUSES.map((fault) => ({ address: `00:1B:54:00:0${`${fault}`.replace(/\B/, ':')}`, fault })),
  ...ODD_ANSWERS.map((fault, index) => ({ address: `00:1B:54:00:0B:0${index + 1}`, fault })),
];

type Fields = Record<string, string>;

function toDevice(rows: string): Device {
  const address = rows.split(/[ \n]/, 1)[0]?.replace(/^..$/, '00:1B:54:00:00:$&') ?? '';
  const written = rows.replaceAll('~', address.replaceAll(':', '-')).split('\n');
  const [[, ...parts] = [], ...below] = written.map((row) => row.trim().split(' | '));
  const { delayMs, absentMs, ...fields } = fieldsOf(parts);
  const session = parts.length > 0 && { session: sessionOf(address, fields) };
  const attempts = below.flatMap(([when = '', ...each]) => attemptsAt(when, fieldsOf(each)));
  return { address, ...session, delayMs: Number(delayMs ?? 0), absentMs: Number(absentMs ?? 0), attempts };
}

function fieldsOf(parts: readonly string[]): Fields {
  const fields = parts.map((part) => {
    const kind = KINDS[part];
    if (kind !== undefined) return fieldsOf(kind.split(' | '));
    const [, name = '', value = ''] = /^(.*?)=(.*)$/.exec(part) ?? [];
    if (name === 'portal') return { response: `{cisco-av-pair=url-redirect=${PORTAL}${value}; }` };
    return { [NAMES[name] ?? name]: value.replace(/^(\d+)h$/, (_, hours) => minutesAgo(hours * 60)) };
  });
  return Object.assign({}, ...fields);
}

function attemptsAt(when: string, fields: Fields): SandboxAttempt[] {
  const [minutes = 0, count = 1] = when.split(' x ').map(Number).reverse();
  return Array.from({ length: count }, (_, index) => ({ ...fields, minutesAgo: minutes * (index + 1) }));
}

/** A session with an IP address of its own, authenticated three hours ago. */
function sessionOf(address: string, fields: Fields): string {
  const last = address.slice(-2).toLowerCase();
  const isAttribute = ([name]: [string, unknown]) => /^[A-Z]/.test(name);
  const other = Object.fromEntries(Object.entries(fields).filter(isAttribute));
  return sessionXml({
    calling_station_id: address,
    framed_ip_address: `198.51.100.${100 + Number.parseInt(last, 16)}`,
    framed_ipv6_address: `2001:db8::1${last}`,
    auth_acs_timestamp: minutesAgo(180),
    ...Object.fromEntries(Object.entries(fields).filter((each) => !isAttribute(each))),
    other: { ...BASIC_ACCESS, ...other },
  });
}

function minutesAgo(minutes: number): string {
  return new Date(Date.now() - minutes * 60_000).toISOString();
}
