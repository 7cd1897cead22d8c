import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { DEVICES, type Device } from './devices.ts';
import { attemptsXml } from './session-xml.ts';

export type SandboxAccount = { username: string; password: string };

/** The bot's own account, and an account for a person who tries `connect`. */
export const SERVICE_ACCOUNT: SandboxAccount = { username: 'sandbox', password: 'sandbox' };
export const PERSONAL_ACCOUNT: SandboxAccount = { username: 'alex', password: 'alex' };

/** `pace`: how fast slow devices are answered. `sisters`: answers the calls for a device's last attempts instead. */
export type NacOptions = {
  accounts: readonly SandboxAccount[];
  devices?: readonly Device[];
  pace?: number;
  sisters?: RequestListener;
};

/** One call as the sandbox's NAC received it. `username` is undefined if the credentials were wrong. */
type NacCall = { path: string; username: string | undefined };

/** Endpoint 3, with a real NAC's habits: checks Basic credentials, sends gzip, answers "no session" with 500. */
export function createNac({ accounts, devices = DEVICES, pace = 1, sisters }: NacOptions) {
  const basic = ({ username, password }: SandboxAccount) =>
    `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  const usernames = new Map(accounts.map((account) => [basic(account), account.username]));
  const known = new Map(devices.flatMap((device) => questionsFor(device).map((each) => [each, device])));
  const calls: NacCall[] = []; // For sessions. Apart from them are the calls for what explains an answer.
  const sisterCalls: NacCall[] = [];
  const firstCalls = new Map<string, number>();

  const server = createServer((request, response) => {
    const username = usernames.get(request.headers.authorization ?? '');
    const path = request.url ?? '';
    const isCount = path === '/admin/API/mnt/Session/ActiveCount';
    const isSister = isCount || !path.startsWith('/admin/API/mnt/Session/');
    (isSister ? sisterCalls : calls).push({ path, username });
    const reply = replyTo(response, /\bgzip\b/.test(String(request.headers['accept-encoding'])));
    if (username === undefined) return reply(401, HTML, page('HTTP Status 401 - Unauthorized'));
    if (path.includes('/AuthStatus/') && sisters) return sisters(request, response);
    if (path === '/admin/API/mnt/Version') return reply(200, XML, VERSION);
    if (isCount) return reply(200, XML, COUNT);
    const record = endpointAnswer(path, devices);
    if (record) return reply(record.status, 'application/json', JSON.stringify(record.body));
    const [, kind, written] = QUESTION.exec(path) ?? [];
    if (request.method !== 'GET' || kind === undefined || written === undefined)
      return reply(404, HTML, page('HTTP Status 404'));
    const address = written.replaceAll('-', ':');
    if (kind.startsWith('AuthStatus'))
      return reply(200, XML, attemptsXml(address, known.get(`${MAC} ${address}`)?.attempts ?? []));
    const answer = known.get(`${kind} ${address}`)?.answer;
    const firstAt = firstCalls.get(address) ?? Date.now();
    firstCalls.set(address, firstAt);
    if (answer === undefined || answer.kind === 'no session' || isAbsent(answer, firstAt))
      return reply(500, XML, faultXml(`Session data is not available for ${address}.`));
    void answerWith(answer, pace, response, reply);
  });
  return { server, calls, sisterCalls };
}

const VERSION = '<product><version>3.3.0.430</version><type_of_node>0</type_of_node></product>';
const COUNT = '<sessionCount><count>1024</count></sessionCount>';
const MAC = 'Session/MACAddress';
const QUESTION =
  /^\/admin\/API\/mnt\/(Session\/(?:MACAddress|EndPointIPAddress|UserName)|AuthStatus\/MACAddress)\/([^/?]+)(?:\/86400\/10\/All)?$/;

/** The administration node's answers: a device's own record by its address, and the name of its group, which is its id. */
function endpointAnswer(path: string, devices: readonly Device[]) {
  const [, id = ''] = /^\/ers\/config\/endpointgroup\/(\w+)$/.exec(path) ?? [];
  if (id !== '') return { status: 200, body: { EndPointGroup: { id, name: id } } };
  const [, mac] = /^\/api\/v1\/endpoint\/([^/?]+)$/.exec(path) ?? [];
  if (mac === undefined) return undefined;
  const device = devices.find(({ address }) => address === mac);
  return device
    ? { status: 200, body: { mac, groupId: 'Profiled', ...device.endpoint } }
    : { status: 404, body: { code: 404, message: 'Endpoint not found' } };
}

/** What a device can be asked for by: its MAC address, and every IP address and the user in its session. */
function questionsFor({ address, answer }: Device): string[] {
  const xml = answer.kind === 'session' ? answer.xml : '';
  const ips = [...xml.matchAll(/<(?:framed_ip_address|ipv6_address)>([^<]+)</g)];
  const users = [...xml.matchAll(/<user_name>([^<]+)</g)].map(([, name = '']) => encodeURIComponent(name));
  return [
    `${MAC} ${address}`,
    ...users.map((name) => `Session/UserName ${name}`),
    ...ips.map(([, ip]) => `Session/EndPointIPAddress ${ip}`),
  ];
}

const isAbsent = (answer: Device['answer'], firstAt: number) =>
  answer.kind === 'session' && Date.now() - firstAt < (answer.absentMs ?? 0);

async function answerWith(
  answer: Exclude<Device['answer'], { kind: 'no session' }>,
  pace: number,
  response: ServerResponse,
  reply: ReturnType<typeof replyTo>,
): Promise<void> {
  switch (answer.kind) {
    case 'session':
      if (answer.delayMs !== undefined) await delay(answer.delayMs * pace);
      return reply(200, XML, answer.xml);
    case 'status':
      return answer.status === 500
        ? reply(500, XML, faultXml('Database connection lost.'))
        : reply(answer.status, HTML, page(`HTTP Status ${answer.status}`));
    case 'login page':
      return reply(200, HTML, page('Identity Services - Login'));
    case 'another root':
      return reply(200, XML, '<activeList noOfActiveSession="0"/>');
    case 'cut off':
      response.writeHead(200, { 'content-type': XML, 'content-length': 4000 });
      response.write('<sessionParameters><user_name>cut_off</user_name>', () => response.destroy());
      return;
    case 'too large':
      return reply(200, XML, `<sessionParameters>${'<a>a_b</a>'.repeat(200_000)}</sessionParameters>`, false);
    case 'packed too large':
      return reply(200, XML, `<sessionParameters>${' '.repeat(20_000_000)}</sessionParameters>`, true);
    case 'endless': {
      response.writeHead(200, { 'content-type': XML });
      response.write('<sessionParameters>');
      const timer = setInterval(() => response.write('<a>a_b</a>'), 50);
      return void response.on('close', () => clearInterval(timer));
    }
    case 'silent':
      return; // The connection stays open until the client gives up.
  }
}

const XML = 'application/xml;charset=UTF-8';
const HTML = 'text/html;charset=UTF-8';

function replyTo(response: ServerResponse, isPacked: boolean) {
  return (status: number, type: string, body: string, packed = isPacked) => {
    const bytes = packed ? gzipSync(body) : Buffer.from(body);
    response.writeHead(status, {
      'content-type': type,
      'content-length': bytes.length,
      ...(packed && { 'content-encoding': 'gzip' }),
      ...(status === 401 && { 'www-authenticate': 'Basic realm="NAC"' }),
    });
    response.end(bytes);
  };
}

const page = (title: string) =>
  `<!DOCTYPE html><html><head><title>${title}</title></head><body><h1>${title}</h1><p>user_name: <b>x</b></p></body></html>`;

const faultXml = (info: string) =>
  `<?xml version="1.0" encoding="UTF-8" standalone="yes"?><mnt-rest-result><http-code>500</http-code><cpm-code>34110</cpm-code><description>An unexpected error occured.</description><module-name>MnT</module-name><internal-error-info>com.example.mnt.NoDataException: ${info}</internal-error-info><requested-operation>GET</requested-operation><resource-id>N/A</resource-id><resource-name>N/A</resource-name><resource-type>N/A</resource-type><status>SERVER_ERROR</status></mnt-rest-result>`;
