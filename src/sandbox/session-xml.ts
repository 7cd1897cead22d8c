type Texts = Readonly<Record<string, string | undefined>>;

/** A session's elements, in this order, unless a test says otherwise; without a text, an element is missing. */
const SESSION = {
  user_name: 'alex',
  nas_ip_address: '192.0.2.17',
  calling_station_id: 'AA:BB:CC:DD:EE:FF',
  called_station_id: undefined,
  nas_port_id: 'GigabitEthernet1/0/15',
  identity_group: 'Workstation',
  network_device_name: 'sw-floor2-17',
  acs_server: 'nac-1',
  authentication_method: 'mab',
  authentication_protocol: 'Lookup',
  framed_ip_address: '198.51.100.23',
  framed_ipv6_address: '2001:db8::23',
  location: 'Location#All Locations',
  selected_azn_profiles: 'Corp_Wired_Access',
  failure_reason: undefined,
  posture_report: '',
  auth_acs_timestamp: '2026-01-15T02:11:12.359Z',
  audit_session_id: '0A0000010000002A',
};

const BASIC_ACCESS: Texts = {
  AuthorizationPolicyMatchedRule: 'Basic_Authenticated_Access',
  ISEPolicySetName: 'Default',
};

/** Elements of other names stand behind these, in the order in which they are given. */
type Elements = Partial<
  Record<keyof typeof SESSION | 'response' | 'stopped' | `${string}_${string}`, string>
>;

/** The fields of a sandbox session. Texts are inserted unescaped, so they can hold markup. */
export type SessionFields = Elements & { passed: 'true' | 'false'; other: Texts };

/** A session in the shape of Cisco ISE's monitoring API: namespaces on each element, `:!:` between attributes. */
export function sessionXml(fields: Partial<SessionFields>): string {
  const { passed = 'true', other = BASIC_ACCESS, ...given } = fields;
  const texts = { ...SESSION, ...given };
  const all = { 'Device IP Address': '192.0.2.17', ...other, EndPointMatchedProfile: 'Unknown' };
  const attributes = Object.entries(all).map(([name, value]) => `${name}=${value}`);
  const framed_ipv6_address = elementsOf({ ipv6_address: texts.framed_ipv6_address });
  const elements = [
    { passed, failed: passed === 'true' ? 'false' : 'true' },
    { ...texts, framed_ipv6_address },
    { other_attr_string: `:!:${attributes.join(':!:')}:!:` },
  ];
  return `${DECLARATION}\n<sessionParameters>${elements.map(elementsOf).join('')}</sessionParameters>`;
}

const DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';
const XSI =
  'xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"';

const TYPES: Readonly<Record<string, string>> = {
  passed: 'boolean',
  failed: 'boolean',
  acs_timestamp: 'dateTime',
  auth_acs_timestamp: 'dateTime',
};

function elementsOf(texts: Texts): string {
  const elements = Object.entries(texts).map(([name, text]) => {
    const type = TYPES[name] ? ` ${XSI} xsi:type="xs:${TYPES[name]}"` : '';
    return text === undefined ? '' : `<${name}${type}>${text}</${name}>`;
  });
  return elements.join('');
}

/** One authentication. Texts are inserted unescaped, so they can hold markup. */
export type SandboxAttempt = { passed: boolean; minutesAgo: number } & Elements;

/** Equal attempts, the newest first. @param everyMinutes between them, and since the newest */
export function times(count: number, everyMinutes: number, attempt: Omit<SandboxAttempt, 'minutesAgo'>) {
  const minutes = Array.from({ length: count }, (_, index) => (index + 1) * everyMinutes);
  return minutes.map((minutesAgo): SandboxAttempt => ({ ...attempt, minutesAgo }));
}

/** A list of attempts in the shape of Cisco ISE's AuthStatus; without attempts, an empty list. */
export function attemptsXml(address: string, attempts: readonly SandboxAttempt[]): string {
  const elements = attempts.map((attempt) => attemptXml(address, attempt)).join('');
  const list = elements === '' ? '' : `<authStatusList key="${address}">${elements}</authStatusList>`;
  return `${DECLARATION}<authStatusOutputList>${list}</authStatusOutputList>`;
}

function attemptXml(address: string, { passed, minutesAgo, ...texts }: SandboxAttempt): string {
  const { nas_ip_address, network_device_name, nas_port_id, acs_server } = SESSION;
  const known = { nas_ip_address, network_device_name, nas_port_id, ...texts };
  const elements = elementsOf({
    passed: String(passed),
    failed: String(!passed),
    ...known,
    calling_station_id: address,
    acs_server,
    acs_timestamp: new Date(Date.now() - minutesAgo * 60_000).toISOString(),
  });
  return `<authStatusElements>${elements}</authStatusElements>`;
}
