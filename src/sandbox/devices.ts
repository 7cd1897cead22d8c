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
 * The sandbox's network, as differences from the usual session; `docs/answers.md` describes each device. A row is an
 * address and its fields: `NAME=VALUE`, or one of `KINDS`. Names that begin with a capital letter are attributes of the policy, and
 * `216h` means so many hours ago. An address alone has no session. The rows below it are its authentications, by the minutes since
 * then, or `COUNT x MINUTES`.
 */
const NETWORK = String.raw`
AA:BB:CC:DD:EE:FF | wired | framed_ip_address=198.51.100.23 | framed_ipv6_address=2001:db8::23
    | cts_security_group=Employees | response={Class=CACS:0A0000010000002A; Tunnel-Private-Group-ID=(tag=1) 30; }
00:1B:54:00:00:01 | peap | campus | user_name=megan@example.com | selected_azn_profiles=Staff_Wireless_Access
    | identity_group=RegisteredDevices | AuthorizationPolicyMatchedRule=Wireless_802.1X
    | ISEPolicySetName=Campus Wi-Fi | PostureStatus=Compliant
00:1B:54:00:00:02 | guest | user_name=guest-4711 | selected_azn_profiles=Guest_Internet_Only
    | identity_group=GuestEndpoints | authentication_method=webauth | AuthorizationPolicyMatchedRule=Guest_Access
00:1B:54:00:00:03 | rejected | user_name=00-1B-54-00-00-03 | by rule | identity_group=Printers
    | endpoint_policy=HP-Printer | AuthorizationPolicyMatchedRule=Blacklist_Access-Reject
  10 x 12 | denied | user_name=00-1B-54-00-00-03 | by rule
00:1B:54:00:00:04 | auth_acs_timestamp=216h | user_name=00-1B-54-00-00-04 | selected_azn_profiles=PermitAccess
    | identity_group=Cameras | AuthorizationPolicyMatchedRule=Cameras
00:1B:54:00:00:05 | user_name=patti | delayMs=3000
00:1B:54:00:00:07 | user_name=megan | delayMs=10000
00:1B:54:00:00:08 | user_name=adele | selected_azn_profiles=Quarantine_Web_Only
    | AuthorizationPolicyMatchedRule=Infected_Hosts | ANCPolicy=Quarantine | PostureStatus=NonCompliant
203.0.113.80      | user_name=nestor | selected_azn_profiles=VPN_Employees | framed_ip_address=198.51.100.80
    | framed_ipv6_address=2001:db8::80 | network_device_name=vpn-gateway-1 | nas_port_id=Tunnel-4 | virtual
    | authentication_protocol=MSCHAPV2 | AuthorizationPolicyMatchedRule=Remote_Access
    | ISEPolicySetName=VPN | CVPN3000/ASA/PIX7x-Tunnel-Group-Name=Crew_VPN
00:1B:54:00:00:09 | user_name=lee | acct_status_type=Stop | acct_acs_timestamp=1h
    | acct_terminate_cause=User Request | stopped=true
  180 | user_name=lee | selected_azn_profiles=Corp_Wired_Access
00:1B:54:00:00:12 | user_name=lynne | selected_azn_profiles=Corp_Wired_Access
    | AuthorizationPolicyMatchedRule=Wired_802.1X | ANCPolicy=ANC_No_Access
00:1B:54:00:00:13 | rejected | user_name=INVALID | message_code=5449 | unknown
00:1B:54:00:00:14 | rejected | eap-tls | silent | user_name=pradeep
00:1B:54:00:00:15 | framed_ip_address=169.254.7.15 | cts_security_group=Cameras
    | response={Class=CACS:0A0000010000002A; cisco-av-pair=device-traffic-class=voice; cisco-av-pair=cts:security-group-tag=0010-0; }
203.0.113.81      | user_name=debra | selected_azn_profiles=Shell_Admin | nas_port_id=tty3
    | service_type=NAS Prompt | virtual
00:1B:54:00:00:16 | held | user_name=00-1B-54-00-00-16 | selected_azn_profiles=Hotspot_Terms
    | response={cisco-av-pair=url-redirect=https://nac-1.example.com:8443/portal/gateway?sessionId=0A0000010000002A&amp;action=cwa&amp;type=drw; }
00:1B:54:00:00:0A | held | user_name=00-1B-54-00-00-0A | selected_azn_profiles=Guest_WebAuth
    | response={cisco-av-pair=url-redirect=https://nac-1.example.com:8443/portal/gateway?sessionId=0A0000010000002A&amp;action=cwa; }
00:1B:54:00:00:0B | held | user_name=00-1B-54-00-00-0B | selected_azn_profiles=Posture_Redirect
    | response={cisco-av-pair=url-redirect=https://nac-1.example.com:8443/portal/gateway?sessionId=0A0000010000002A&amp;action=cpp; }
00:1B:54:00:00:0C | held | user_name=00-1B-54-00-00-0C | selected_azn_profiles=BYOD_Onboarding
    | response={cisco-av-pair=url-redirect=https://nac-1.example.com:8443/portal/gateway?sessionId=0A0000010000002A&amp;action=nsp; }
00:1B:54:00:00:0D | held | user_name=00-1B-54-00-00-0D | selected_azn_profiles=MDM_Enrolment
    | response={cisco-av-pair=url-redirect=https://nac-1.example.com:8443/portal/gateway?sessionId=0A0000010000002A&amp;action=mdm; }
00:1B:54:00:00:0E | held | user_name=00-1B-54-00-00-0E | selected_azn_profiles=Hotspot_Redirect
    | response={cisco-av-pair=url-redirect=https://nac-1.example.com:8443/portal/gateway?sessionId=0A0000010000002A; }
00:1B:54:00:00:0F | eap-tls | user_name=irvin | selected_azn_profiles=Staff_Limited_Access
    | AuthorizationPolicyMatchedRule=Wired_802.1X | PostureStatus=Pending
00:1B:54:00:00:10 | eap-tls | user_name=irvin | selected_azn_profiles=Staff_Limited_Access
    | AuthorizationPolicyMatchedRule=Wired_802.1X | PostureStatus=NonCompliant
    | PostureReport=Firewall\;Passed\;(Fw_On)\,Antivirus\;Failed\;(Av_On)
00:1B:54:00:00:11 | rejected | peap | user_name=diego | execution_steps=11001,11017,24430,24408,22057,11003
00:1B:54:00:00:21
  10 x 7 | user_name=00-1B-54-00-00-21 | refused | unknown
00:1B:54:00:00:22
  20 | refused | user_name=grady | handshake | other port
  25 | refused | user_name=grady | handshake | other port
  300 | refused | user_name=grady | failure_reason=24408 Active Directory refused the password
  600 | user_name=grady | selected_azn_profiles=Corp_Wired_Access
00:1B:54:00:00:23 | rejected | eap-tls | user_name=isaiah | handshake
  3 x 15 | refused | user_name=isaiah | handshake
00:1B:54:00:00:24 | rejected | eap-tls | user_name=johanna | execution_steps=11001,11017,12519,11003
00:1B:54:00:00:25 | wired | eap-tls | authentication_protocol=EAP-FAST (EAP-TLS)
    | user_name=host/berth-3.example.com | execution_steps=11001,24430,24402,22037,15016,11002
    | AuthorizationPolicyMatchedRule=Wired_802.1X | EapChainingResult=User failed and machine succeeded
    | TotalAuthenLatency=14310 | StepLatency=1=0;2=14031;3=2;4=0;5=1;6=0
00:1B:54:00:00:2A
  4 x 6 | refused | user_name=INVALID | unknown | message_code=5434
00:1B:54:00:00:29
  3 x 4 | refused | silent
00:1B:54:00:00:26
  4 x 8 | refused | user_name=00-1B-54-00-00-26 | by rule | other port
  190 | user_name=00-1B-54-00-00-26 | selected_azn_profiles=Printers
00:1B:54:00:00:28 | user_name=sonja | auth_acs_timestamp=0h | absentMs=20000`;

const KINDS: Readonly<Record<string, string>> = {
  wired: 'nas_port_type=Ethernet',
  wireless: 'nas_port_type=Wireless - IEEE 802.11',
  virtual: 'nas_port_type=Virtual',
  campus:
    'wireless | network_device_name=wlc-campus-1 | nas_port_id=Capwap1 | called_station_id=F8-66-F2-00-10-20:Campus',
  guest:
    'wireless | network_device_name=wlc-campus-1 | nas_port_id=Capwap7 | called_station_id=F8-66-F2-00-10-30:Guest | ISEPolicySetName=Guest Wi-Fi',
  held: 'guest | identity_group=Unknown | AuthorizationPolicyMatchedRule=Portal_Access',
  'other port': 'network_device_name=sw-floor3-02 | nas_port_id=GigabitEthernet1/0/4',
  peap: 'authentication_method=dot1x | authentication_protocol=PEAP (EAP-MSCHAPv2)',
  'eap-tls': 'authentication_method=dot1x | authentication_protocol=EAP-TLS',
  refused: 'passed=false',
  denied: 'refused | selected_azn_profiles=DenyAccess',
  rejected: 'denied | wired | AuthorizationPolicyMatchedRule=Default',
  'by rule': 'failure_reason=15039 Rejected per authorization profile',
  handshake: 'failure_reason=12520 The handshake ended because the device sent an alert',
  unknown: 'failure_reason=22056 No identity store holds this device',
  silent: 'message_code=5411 | failure_reason=12935 The device stopped responding',
};

const STATUSES = [204, 301, 401, 403, 404, 429, 500, 503];
const ODD_ANSWERS = 'login page,cut off,endless,too large,packed too large,silent,another root'.split(',');
const MARKUP = '`**bold** [link](https://example.com) &lt;at&gt;everyone&lt;/at&gt; ![:Team](1)';
const ENDPOINT = {
  groupId: 'Harbour_Printers',
  staticGroupAssignment: true,
  portalUser: 'megan',
  description: 'Crane label printer',
};

/** Any other address has no session. */
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
  const [own, ...below] = rows.split('\n').map((row) => row.trim().split(/ +\| /));
  const [address = '', ...parts] = own ?? [];
  const { delayMs, absentMs, ...fields } = fieldsOf(parts);
  const session = parts.length > 0 && { session: sessionOf(address, fields) };
  const attempts = below.flatMap(([when = '', ...each]) => attemptsAt(when, fieldsOf(each)));
  return { address, ...session, delayMs: Number(delayMs ?? 0), absentMs: Number(absentMs ?? 0), attempts };
}

function fieldsOf(parts: readonly string[]): Fields {
  const fields = parts.map((part) => {
    const kind = KINDS[part];
    if (kind !== undefined) return fieldsOf(kind.split(' | '));
    const [name = '', ...value] = part.split('=');
    return { [name]: value.join('=').replace(/^(\d+)h$/, (_, hours) => minutesAgo(hours * 60)) };
  });
  return Object.assign({}, ...fields);
}

/** @param when the minutes since then, or `COUNT x MINUTES` */
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
