import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { DEVICES, type Device, type Fault } from './devices.ts';
import { attemptsXml } from './session-xml.ts';

export type SandboxAccount = { username: string; password: string };

/** The bot's own account, and an account for a person who tries `connect`. */
export const SERVICE_ACCOUNT: SandboxAccount = { username: 'sandbox', password: 'sandbox' };
export const PERSONAL_ACCOUNT: SandboxAccount = { username: 'alex', password: 'alex' };

export type NacOptions = {
  accounts: readonly SandboxAccount[];
  devices?: readonly Device[];
  /** How fast slow devices are answered. */
  pace?: number;
  /** Answers the calls for a device's last attempts instead. */
  sisters?: RequestListener;
};

/** One call as the sandbox's NAC received it. `username` is undefined if the credentials were wrong. */
type NacCall = { path: string; username: string | undefined };

/** Endpoint 3, with a real NAC's habits: checks Basic credentials, sends gzip, answers "no session" with 500. */
export function createNac({ accounts, devices = DEVICES, pace = 1, sisters }: NacOptions) {
  const usernames = new Map(
    accounts.map(({ username, password }) => {
      return [`Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`, username];
    }),
  );
  const known = new Map(devices.flatMap((device) => keysFor(device).map((key) => [key, device])));
  const calls: NacCall[] = []; // For sessions. The calls for what explains an answer are apart.
  const sisterCalls: NacCall[] = [];
  const firstCalls = new Map<string, number>();

  const server = createServer(async (request, response) => {
    const { method, url: path = '', headers } = request;
    const username = usernames.get(headers.authorization ?? '');
    const isSession = path.startsWith(`${MNT}Session/`) && path !== `${MNT}Session/ActiveCount`;
    (isSession ? calls : sisterCalls).push({ path, username });
    const send = senderTo(response, /\bgzip\b/.test(String(headers['accept-encoding'])));
    if (username === undefined) return send(401, page('HTTP Status 401 - Unauthorized'));
    if (path.includes('/AuthStatus/') && sisters) return sisters(request, response);
    const record = CONSTANTS[path] ?? endpointRecord(path, devices);
    if (record !== undefined) return send(record === NO_ENDPOINT ? 404 : 200, record);
    const [, kind, written] = QUESTION.exec(path) ?? [];
    if (method !== 'GET' || kind === undefined || written === undefined)
      return send(404, page('HTTP Status 404'));
    const address = written.replaceAll('-', ':');
    if (kind.startsWith('AuthStatus'))
      return send(200, attemptsXml(address, known.get(`${MAC} ${address}`)?.attempts ?? []));
    const { session, delayMs, absentMs = 0, fault } = known.get(`${kind} ${address}`) ?? {};
    if (fault !== undefined) return answerOddly(fault, response, send);
    const firstAt = firstCalls.get(address) ?? Date.now();
    firstCalls.set(address, firstAt);
    if (session === undefined || Date.now() - firstAt < absentMs)
      return send(500, faultXml(`Session data is not available for ${address}.`));
    if (delayMs !== undefined) await delay(delayMs * pace);
    send(200, session);
  });
  return { server, calls, sisterCalls };
}

const MNT = '/admin/API/mnt/';
const CONSTANTS: Readonly<Record<string, string>> = {
  [`${MNT}Version`]: '<product><version>3.3.0.430</version><type_of_node>0</type_of_node></product>',
  [`${MNT}Session/ActiveCount`]: '<sessionCount><count>1024</count></sessionCount>',
};
const MAC = 'Session/MACAddress';
const QUESTION =
  /^\/admin\/API\/mnt\/(Session\/(?:MACAddress|EndPointIPAddress|UserName)|AuthStatus\/MACAddress)\/([^/?]+)(?:\/86400\/10\/All)?$/;
const NO_ENDPOINT = '{"code":404,"message":"Endpoint not found"}';

/** The administration node's answers: a device's own record by its address, and the name of its group, which is its id. */
function endpointRecord(path: string, devices: readonly Device[]): string | undefined {
  const [, id, mac] =
    /^\/(?:ers\/config\/endpointgroup\/(\w+)|api\/v1\/endpoint\/([^/?]+))$/.exec(path) ?? [];
  if (id !== undefined) return JSON.stringify({ EndPointGroup: { id, name: id } });
  if (mac === undefined) return undefined;
  const device = devices.find(({ address }) => address === mac);
  return device ? JSON.stringify({ mac, groupId: 'Profiled', ...device.endpoint }) : NO_ENDPOINT;
}

function keysFor({ address, session = '' }: Device): string[] {
  const ips = [...session.matchAll(/<(?:framed_ip_address|ipv6_address)>([^<]+)</g)];
  const users = [...session.matchAll(/<user_name>([^<]+)</g)];
  return [
    `${MAC} ${address}`,
    ...users.map(([, name = '']) => `Session/UserName ${encodeURIComponent(name)}`),
    ...ips.map(([, ip]) => `Session/EndPointIPAddress ${ip}`),
  ];
}

/** Answers with a fault. After `silent`, the connection stays open until the client gives up. */
function answerOddly(fault: Fault, response: ServerResponse, send: ReturnType<typeof senderTo>): void {
  const body = (content: string) => `<sessionParameters>${content}</sessionParameters>`;
  if (fault === 500) send(500, faultXml('Database connection lost.'));
  else if (typeof fault === 'number') send(fault, page(`HTTP Status ${fault}`));
  else if (fault === 'no directory') send(500, faultXml('Session directory service is not available.'));
  else if (fault === 'login page') send(200, page('Identity Services - Login'));
  else if (fault === 'another root') send(200, '<activeList noOfActiveSession="0"/>');
  else if (fault === 'too large') send(200, body('<a>a_b</a>'.repeat(200_000)), false);
  else if (fault === 'packed too large') send(200, body(' '.repeat(20_000_000)), true);
  else if (fault === 'cut off') {
    response.writeHead(200, { 'content-type': XML, 'content-length': 4000 });
    response.write('<sessionParameters><user_name>cut_off</user_name>', () => response.destroy());
  } else if (fault === 'endless') {
    response.writeHead(200, { 'content-type': XML });
    const timer = setInterval(() => response.write('<a>a_b</a>'), 50);
    response.on('close', () => clearInterval(timer));
  }
}

const XML = 'application/xml;charset=UTF-8';

/** Sends XML, or HTML or JSON by its first character. */
function senderTo(response: ServerResponse, isPacked: boolean) {
  return (status: number, body: string, packed = isPacked) => {
    const bytes = packed ? gzipSync(body) : Buffer.from(body);
    const other = body.startsWith('{') ? 'application/json' : XML;
    response.writeHead(status, {
      'content-type': body.startsWith('<!') ? 'text/html;charset=UTF-8' : other,
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
