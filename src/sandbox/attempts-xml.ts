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
  const elements = Object.entries(known).map(([name, text]) => `<${name}>${text}</${name}>`);
  return `<authStatusElements><passed ${XSI} xsi:type="xs:boolean">${passed}</passed><failed ${XSI} xsi:type="xs:boolean">${!passed}</failed>${elements.join('')}<acs_timestamp ${XSI} xsi:type="xs:dateTime">${at}</acs_timestamp></authStatusElements>`;
}

const XSI =
  'xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"';
