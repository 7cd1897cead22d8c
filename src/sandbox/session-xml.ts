/** The fields of a sandbox session. Texts are inserted unescaped, so they can hold markup. */
export type SessionFields = {
  passed: 'true' | 'false';
  user_name: string;
  calling_station_id: string;
  called_station_id: string;
  nas_port_id: string;
  network_device_name: string;
  framed_ip_address: string;
  framed_ipv6_address: string;
  identity_group: string;
  authentication_method: string;
  authentication_protocol: string;
  selected_azn_profiles: string;
  failure_reason: string;
  auth_acs_timestamp: string;
  /** Any other elements. */
  more: Readonly<Record<string, string>>;
  other: Readonly<Record<string, string>>;
};

/** A session in the shape of Cisco ISE's monitoring API: namespaces on each element, `:!:` between attributes. */
export function sessionXml(fields: Partial<SessionFields>): string {
  const {
    passed = 'true',
    user_name = 'alex',
    calling_station_id = 'AA:BB:CC:DD:EE:FF',
    nas_port_id = 'GigabitEthernet1/0/15',
    network_device_name = 'sw-floor2-17',
    framed_ip_address = '198.51.100.23',
    framed_ipv6_address = '2001:db8::23',
    identity_group = 'Workstation',
    authentication_method = 'mab',
    authentication_protocol = 'Lookup',
    selected_azn_profiles = 'Corp_Wired_Access',
    called_station_id,
    failure_reason,
    auth_acs_timestamp = '2026-01-15T02:11:12.359Z',
    more = {},
    other = { AuthorizationPolicyMatchedRule: 'Basic_Authenticated_Access', ISEPolicySetName: 'Default' },
  } = fields;
  const attributes = Object.entries({
    'Device IP Address': '192.0.2.17',
    ...other,
    EndPointMatchedProfile: other.EndPointMatchedProfile ?? 'Unknown',
  });
  return `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<sessionParameters><passed ${XSI} xsi:type="xs:boolean">${passed}</passed><failed ${XSI} xsi:type="xs:boolean">${
    passed === 'true' ? 'false' : 'true'
  }</failed><user_name>${user_name}</user_name><nas_ip_address>192.0.2.17</nas_ip_address><calling_station_id>${calling_station_id}</calling_station_id>${
    called_station_id === undefined ? '' : `<called_station_id>${called_station_id}</called_station_id>`
  }<nas_port_id>${nas_port_id}</nas_port_id><identity_group>${identity_group}</identity_group><network_device_name>${network_device_name}</network_device_name><acs_server>nac-1</acs_server><authentication_method>${authentication_method}</authentication_method><authentication_protocol>${authentication_protocol}</authentication_protocol><framed_ip_address>${framed_ip_address}</framed_ip_address><framed_ipv6_address><ipv6_address>${framed_ipv6_address}</ipv6_address></framed_ipv6_address><location>Location#All Locations</location><selected_azn_profiles>${selected_azn_profiles}</selected_azn_profiles>${
    failure_reason === undefined ? '' : `<failure_reason>${failure_reason}</failure_reason>`
  }<posture_report></posture_report><auth_acs_timestamp ${XSI} xsi:type="xs:dateTime">${auth_acs_timestamp}</auth_acs_timestamp><audit_session_id>0A0000010000002A</audit_session_id>${elementsOf(more)}<other_attr_string>:!:${attributes
    .map(([name, value]) => `${name}=${value}`)
    .join(':!:')}:!:</other_attr_string></sessionParameters>`;
}

const XSI =
  'xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"';

function elementsOf(texts: Readonly<Record<string, string>>): string {
  return Object.entries(texts)
    .map(([name, text]) => `<${name}>${text}</${name}>`)
    .join('');
}

/** One authentication. Texts are inserted unescaped, so they can hold markup. */
export type SandboxAttempt = { passed: boolean; minutesAgo: number } & Partial<
  Record<
    | 'user_name'
    | 'failure_reason'
    | 'network_device_name'
    | 'nas_port_id'
    | 'selected_azn_profiles'
    | 'authentication_method'
    | 'execution_steps',
    string
  >
>;

/** Equal attempts, the newest first. @param everyMinutes between them, and since the newest */
export function times(
  count: number,
  everyMinutes: number,
  attempt: Omit<SandboxAttempt, 'minutesAgo'>,
): SandboxAttempt[] {
  return Array.from({ length: count }, (_, index) => ({
    ...attempt,
    minutesAgo: (index + 1) * everyMinutes,
  }));
}

/** A list of attempts in the shape of Cisco ISE's AuthStatus; without attempts, an empty list. */
export function attemptsXml(address: string, attempts: readonly SandboxAttempt[]): string {
  const elements = attempts.map((attempt) => attemptXml(address, attempt)).join('');
  const list = elements === '' ? '' : `<authStatusList key="${address}">${elements}</authStatusList>`;
  return `<?xml version="1.0" encoding="UTF-8" standalone="yes"?><authStatusOutputList>${list}</authStatusOutputList>`;
}

function attemptXml(address: string, { passed, minutesAgo, ...texts }: SandboxAttempt): string {
  const at = new Date(Date.now() - minutesAgo * 60_000).toISOString();
  const known = {
    nas_ip_address: '192.0.2.17',
    network_device_name: 'sw-floor2-17',
    nas_port_id: 'GigabitEthernet1/0/15',
    ...texts,
    calling_station_id: address,
    acs_server: 'nac-1',
  };
  return `<authStatusElements><passed ${XSI} xsi:type="xs:boolean">${passed}</passed><failed ${XSI} xsi:type="xs:boolean">${!passed}</failed>${elementsOf(known)}<acs_timestamp ${XSI} xsi:type="xs:dateTime">${at}</acs_timestamp></authStatusElements>`;
}
