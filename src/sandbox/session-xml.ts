type Texts = Readonly<Record<string, string | undefined>>;

/** A session's elements, in this order, unless a test says otherwise. */
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

export const BASIC_ACCESS = {
  AuthorizationPolicyMatchedRule: 'Basic_Authenticated_Access',
  ISEPolicySetName: 'Default',
};

/** Elements, of other names too, which stand behind. Texts are inserted unescaped, so they can hold markup. */
type Elements = Partial<Record<'location' | 'response' | 'stopped' | `${string}_${string}`, string>>;

/** The fields of a sandbox session. `other`: attributes of the policy; by default, those of a basic rule. */
export type SessionFields = Elements & { passed: string; other: Texts };

/** A session in the shape of Cisco ISE's monitoring API: namespaces on each element, `:!:` between attributes. */
export function sessionXml(fields: Partial<SessionFields>): string {
  const { passed = 'true', other = BASIC_ACCESS, ...given } = fields;
  const texts = { ...SESSION, ...given };
  const all = { 'Device IP Address': '192.0.2.17', ...other, EndPointMatchedProfile: 'Unknown' };
  const attributes = Object.entries(all).map(([name, value]) => `${name}=${value}:!:`);
  const elements = elementsOf({
    passed,
    failed: String(passed === 'false'),
    ...texts,
    framed_ipv6_address: elementsOf({ ipv6_address: texts.framed_ipv6_address }),
    other_attr_string: `:!:${attributes.join('')}`,
  });
  return `${DECLARATION}\n<sessionParameters>${elements}</sessionParameters>`;
}

const DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';
const XSI =
  'xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"';

function elementsOf(texts: Texts): string {
  const elements = Object.entries(texts).map(([name, text]) => {
    const type = /^(?:passed|failed)$/.test(name) ? 'boolean' : /timestamp$/.test(name) && 'dateTime';
    const head = type ? `${name} ${XSI} xsi:type="xs:${type}"` : name;
    return text === undefined ? '' : `<${head}>${text}</${name}>`;
  });
  return elements.join('');
}

/** One authentication; by default, it passed. */
export type SandboxAttempt = { minutesAgo: number; passed?: string } & Elements;

/** A list of attempts in the shape of Cisco ISE's AuthStatus. */
export function attemptsXml(address: string, attempts: readonly SandboxAttempt[]): string {
  const { nas_ip_address, network_device_name, nas_port_id, acs_server } = SESSION;
  const elements = attempts.map(({ passed = 'true', minutesAgo, ...texts }) =>
    elementsOf({
      passed,
      failed: String(passed === 'false'),
      ...{ nas_ip_address, network_device_name, nas_port_id, ...texts },
      calling_station_id: address,
      acs_server,
      acs_timestamp: new Date(Date.now() - minutesAgo * 60_000).toISOString(),
    }),
  );
  const all = elements.map((each) => `<authStatusElements>${each}</authStatusElements>`).join('');
  const list = all === '' ? '' : `<authStatusList key="${address}">${all}</authStatusList>`;
  return `${DECLARATION}<authStatusOutputList>${list}</authStatusOutputList>`;
}
