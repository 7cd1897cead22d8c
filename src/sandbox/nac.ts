import { createServer, type ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { DEVICES, type Device } from './devices.ts';
import { attemptsXml } from './session-xml.ts';

export type SandboxAccount = { username: string; password: string };

/** The bot's own account, and an account for a person who tries `connect`. */
export const SERVICE_ACCOUNT: SandboxAccount = { username: 'sandbox', password: 'sandbox' };
export const PERSONAL_ACCOUNT: SandboxAccount = { username: 'alex', password: 'alex' };

/** One call as the sandbox's NAC received it. `username` is undefined if the credentials were wrong. */
type NacCall = { path: string; username: string | undefined };

const MNT = '/admin/API/mnt/';
const MAC = 'Session/MACAddress';
const COUNT = `${MNT}Session/ActiveCount`;
const QUESTION =
  /^\/admin\/API\/mnt\/(Session\/(?:MACAddress|EndPointIPAddress|UserName)|AuthStatus\/MACAddress)\/([^/?]+)(?:\/86400\/10\/All)?$/;

/** The NAC, with a real one's habits: checks Basic credentials, sends gzip, answers "no session" with 500. @param pace of slow devices */
export function createNac(accounts: readonly SandboxAccount[], pace = 1, devices = DEVICES) {
  const known = new Map(devices.flatMap((device) => keysFor(device).map((key) => [key, device])));
  const calls: NacCall[] = []; // For sessions. The calls that explain an answer are apart.
  const otherCalls: NacCall[] = [];
  const firstCalls = new Map<string, number>();

  const server = createServer(async (request, response) => {
    const { method, url: path = '', headers } = request;
    const account = Buffer.from(headers.authorization?.slice('Basic '.length) ?? '', 'base64').toString();
    const user = accounts.find(({ username, password }) => account === `${username}:${password}`);
    const isSession = path.startsWith(`${MNT}Session/`) && path !== COUNT;
    (isSession ? calls : otherCalls).push({ path, username: user?.username });
    const send = senderTo(response, /\bgzip\b/.test(String(headers['accept-encoding'])));
    if (user === undefined) return send(401, page('HTTP Status 401 - Unauthorized'));
    const other = otherAnswer(path, devices);
    if (other) return send(...other);
    const [, kind, written = ''] = QUESTION.exec(path) ?? [];
    if (method !== 'GET' || kind === undefined) return send(404, page('HTTP Status 404'));
    const address = written.replaceAll('-', ':');
    if (kind.startsWith('AuthStatus'))
      return send(200, attemptsXml(address, known.get(`${MAC} ${address}`)?.attempts ?? []));
    const { session, delayMs = 0, absentMs = 0, fault } = known.get(`${kind} ${address}`) ?? {};
    if (fault !== undefined) return answerOddly(fault, response, send);
    const firstAt = firstCalls.get(address) ?? Date.now();
    firstCalls.set(address, firstAt);
    if (session === undefined || Date.now() - firstAt < absentMs)
      return send(500, faultXml(`Session data is not available for ${address}.`));
    if (delayMs > 0) await delay(delayMs * pace);
    send(200, session);
  });
  return { server, calls, otherCalls };
}

function otherAnswer(path: string, devices: readonly Device[]): [status: number, body: string] | undefined {
  if (path === COUNT) return [200, '<sessionCount><count>1024</count></sessionCount>'];
  if (path === `${MNT}Version`)
    return [200, '<product><version>3.3.0.430</version><type_of_node>0</type_of_node></product>'];
  const [, id, mac] =
    /^\/(?:ers\/config\/endpointgroup\/(\w+)|api\/v1\/endpoint\/([^/?]+))$/.exec(path) ?? [];
  if (id !== undefined) return [200, JSON.stringify({ EndPointGroup: { id, name: id } })];
  if (mac === undefined) return undefined;
  const device = devices.find(({ address }) => address === mac);
  if (!device) return [404, '{"code":404,"message":"Endpoint not found"}'];
  return [200, JSON.stringify({ mac, groupId: 'Profiled', ...device.endpoint })];
}

function keysFor({ address, session = '' }: Device): string[] {
  const found = (form: RegExp) => [...session.matchAll(form)].map(([, text = '']) => text);
  const users = found(/<user_name>([^<]+)</g).map((name) => `Session/UserName ${encodeURIComponent(name)}`);
  const ips = found(/<(?:framed_ip_address|ipv6_address)>([^<]+)</g);
  return [`${MAC} ${address}`, ...users, ...ips.map((ip) => `Session/EndPointIPAddress ${ip}`)];
}

const page = (title: string) =>
  `<!DOCTYPE html><html><head><title>${title}</title></head><body><h1>${title}</h1><p>user_name: <b>x</b></p></body></html>`;

const faultXml = (info: string) =>
  `<?xml version="1.0" encoding="UTF-8" standalone="yes"?><mnt-rest-result><http-code>500</http-code><cpm-code>34110</cpm-code><description>An unexpected error occured.</description><module-name>MnT</module-name><internal-error-info>com.example.mnt.NoDataException: ${info}</internal-error-info><requested-operation>GET</requested-operation><resource-id>N/A</resource-id><resource-name>N/A</resource-name><resource-type>N/A</resource-type><status>SERVER_ERROR</status></mnt-rest-result>`;

const XML = 'application/xml;charset=UTF-8';
const sessionOf = (content: string) => `<sessionParameters>${content}</sessionParameters>`;

/** Faults that are whole answers; `true`: always packed. */
const ANSWERS: Readonly<Record<string, Parameters<ReturnType<typeof senderTo>>>> = {
  500: [500, faultXml('Database connection lost.')],
  'no directory': [500, faultXml('Session directory service is not available.')],
  'login page': [200, page('Identity Services - Login')],
  'another root': [200, '<activeList noOfActiveSession="0"/>'],
  'too large': [200, sessionOf('<a>a_b</a>'.repeat(200_000)), false],
  'packed too large': [200, sessionOf(' '.repeat(20_000_000)), true],
};

/** Answers with a fault. After `silent`, the connection stays open until the client gives up. */
function answerOddly(fault: number | string, response: ServerResponse, send: ReturnType<typeof senderTo>) {
  const answer = ANSWERS[fault];
  if (answer) send(...answer);
  else if (typeof fault === 'number') send(fault, page(`HTTP Status ${fault}`));
  else if (fault === 'cut off') {
    response.writeHead(200, { 'content-type': XML, 'content-length': 4000 });
    response.write('<sessionParameters><user_name>cut_off</user_name>', () => response.destroy());
  } else if (fault === 'endless') {
    response.writeHead(200, { 'content-type': XML });
    const timer = setInterval(() => response.write('<a>a_b</a>'), 50);
    response.on('close', () => clearInterval(timer));
  }
}

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
