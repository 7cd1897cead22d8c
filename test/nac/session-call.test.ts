import { globSync, readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { describe, expect, it } from 'vitest';
import type { DeviceAddress } from '../../src/domain/device-address.ts';
import type { IpAddress } from '../../src/domain/ip-address.ts';
import type { MacAddress } from '../../src/domain/mac-address.ts';
import { readRecord } from '../../src/domain/record.ts';
import { basicAuthorization, Secret } from '../../src/domain/secret.ts';
import {
  attemptsPath,
  createSessionCall,
  endpointPath,
  ersEndpointPath,
  groupPath,
  readSessionOutcome,
  type SessionCallOptions,
  sessionPath,
  versionPath,
} from '../../src/nac/session-call.ts';
import { DEVICES } from '../../src/sandbox/devices.ts';
import { createNac } from '../../src/sandbox/nac.ts';
import { sessionXml } from '../../src/sandbox/session-xml.ts';
import { makeCertificate } from '../certificate.ts';
import { closedUrl, openUpstream, record, serve, unanswered } from '../serve.ts';
import { timeOf } from '../time-of.ts';

/** Some GETs of the NAC change the network (`CoA/...`), so every path stands here. */
const PATHS = [
  '/admin/API/mnt/AuthStatus/MACAddress/AA:BB:CC:DD:EE:FF/86400/10/All',
  '/admin/API/mnt/Session/EndPointIPAddress/192.0.2.7',
  '/admin/API/mnt/Session/EndPointIPAddress/2001:db8::7',
  '/admin/API/mnt/Session/MACAddress/AA:BB:CC:DD:EE:FF',
  '/admin/API/mnt/Version',
  '/api/v1/endpoint/AA:BB:CC:DD:EE:FF',
  '/ers/config/endpoint/name/AA:BB:CC:DD:EE:FF',
  '/ers/config/endpointgroup/5f2c-11ee',
];

const FILE = 'src/nac/session-call.ts';
const source = (file: string) => readFileSync(file, 'utf8');
const filesWith = (pattern: RegExp, files: string) =>
  globSync(files).filter((file) => !file.startsWith('src/sandbox/') && pattern.test(source(file)));

it('the NAC is asked for these paths alone', () => {
  const addresses = ['AA:BB:CC:DD:EE:FF', '192.0.2.7', '2001:db8::7'] as const;
  const sessions = addresses.map((address) => sessionPath(address as MacAddress, 'colon'));
  const others = [
    attemptsPath(MAC, 'colon'),
    endpointPath(MAC),
    ersEndpointPath(MAC),
    groupPath('5f2c-11ee'),
    versionPath(),
  ];
  expect([...others, ...sessions].toSorted()).toEqual(PATHS);
});

it('the NAC is asked in one place, and only with GET', () => {
  const asking = /\bupstream\s*\.\s*call\b|targetUnder|method: '/;
  expect(filesWith(asking, 'src/nac{,/**/*}.ts')).toEqual([FILE]);
  const calls = source(FILE).match(/upstream\.call\(|targetUnder\([^)]*\)|method: .*/g);
  expect(calls).toEqual(['upstream.call(', "method: 'GET',", 'targetUnder(base, path)']);
});

it('no other code makes a path, or knows the API of the NAC', () => {
  const paths = /as NacPath|API\/mnt|\/ers\/|api\/v1\/endpoint/;
  expect(filesWith(paths, '{src,dialogs}/**/*.ts')).toEqual([FILE]);
});

const MAC = 'AA:BB:CC:DD:EE:FF' as MacAddress;
const ACCOUNT = { username: 'svc-é', password: 'p:ä' };

describe('the session call', () => {
  it('asks for the address with literal colons and Basic credentials in UTF-8', async () => {
    const nac = await startNac();
    expect(await nac.call(MAC)).toMatchObject({ kind: 'found', record: { user: 'alex' } });
    expect(nac.calls).toEqual([{ path: `/admin/API/mnt/Session/MACAddress/${MAC}`, username: 'svc-é' }]);
  });

  it.each(['198.51.100.23', '2001:db8::23'])('asks for %s by the IP address of the device', async (ip) => {
    const nac = await startNac();
    expect(await nac.call(ip as IpAddress)).toMatchObject({ kind: 'found', record: { station: MAC } });
    expect(nac.calls.map(({ path }) => path)).toEqual([`/admin/API/mnt/Session/EndPointIPAddress/${ip}`]);
  });

  it('leaves out ignored tokens', async () => {
    const { url } = await startNac();
    const call = callTo([url], { isIgnored: (token) => token.startsWith('Corp') });
    const record = { authorizationProfiles: undefined, rule: 'Basic_Authenticated_Access' };
    expect(await call(MAC)).toMatchObject({ tokens: ['Basic_Authenticated_Access'], record });
  });

  it('asks with hyphens if configured, under a base path', async () => {
    const { url, received } = await record({ status: 401 });
    expect(await callTo([`${url}/proxy/`], { macForm: 'hyphen' })(MAC)).toEqual({ kind: 'refused' });
    expect(received[0]?.path).toBe('/proxy/admin/API/mnt/Session/MACAddress/AA-BB-CC-DD-EE-FF');
  });

  it.each([
    ['AA:BB:CC:DD:EE:FF', { kind: 'found', record: { passed: true } }],
    ['00:1B:54:00:00:03', { kind: 'found', record: { passed: false } }],
    ['00:1B:54:00:00:04', { kind: 'found', tokens: [] }],
    ['00:1B:54:00:00:09', { record: { ended: { cause: 'User Request' } } }],
    ['00:1B:54:00:00:0A', { record: { portal: 'web login' } }],
    ['00:1B:54:00:00:0B', { record: { portal: 'posture' } }],
    ['00:1B:54:00:00:0C', { record: { portal: 'onboarding' } }],
    ['00:1B:54:00:00:0D', { record: { portal: 'device management' } }],
    ['00:1B:54:00:00:0E', { record: { portal: 'portal' } }],
    ['00:1B:54:00:00:0F', { record: { posture: 'Pending' } }],
    ['00:1B:54:00:00:10', { record: { posture: 'NonCompliant' } }],
    ['00:1B:54:00:05:00', { kind: 'fault', status: 500 }],
    ['00:1B:54:00:04:01', { kind: 'refused' }],
    ['00:1B:54:00:04:03', { kind: 'forbidden' }],
    ['00:1B:54:00:0B:01', { kind: 'unusable', reason: 'login page' }],
    ['00:1B:54:00:0B:02', unanswered({ kind: 'cut off' })],
    ['00:1B:54:00:0B:03', unanswered({ kind: 'timed out', begun: true })],
    ['00:1B:54:00:0B:04', unanswered({ kind: 'too large' })],
    ['00:1B:54:00:0B:05', unanswered({ kind: 'too large' })],
    ['00:1B:54:00:0B:06', unanswered({ kind: 'timed out', timeoutMs: 1000, begun: false })],
    ['00:1B:54:00:0B:07', { kind: 'unusable', reason: 'unknown' }],
    ['00:1B:54:00:99:99', { kind: 'no session' }],
  ])("recognises the sandbox's %s", async (address, outcome) => {
    const nac = await startNac(SILENT.includes(address) ? SOON : {});
    expect(await nac.call(address as MacAddress)).toMatchObject(outcome);
  });

  it("finds each of the sandbox's sessions at an IP address of its own", () => {
    const sessions = DEVICES.flatMap(({ answer }) =>
      answer.kind === 'session' ? [readRecord(answer.xml)] : [],
    );
    expect(new Set(sessions.map(({ ipAddress }) => ipAddress)).size).toBe(sessions.length);
  });

  it('pauses calls to a NAC that failed five times in a row, and asks it again after 5 s', async () => {
    let now = 0;
    const fault = { status: 500 };
    const { url, received } = await record(fault, fault, fault, fault, fault, { status: 403 });
    const call = callTo([url], { now: () => now });
    for (let device = 0; device < 5; device++)
      expect(await call(`${MAC}${device}` as MacAddress)).toEqual({ kind: 'fault', status: 500 });
    expect(await call(MAC)).toEqual({ kind: 'paused', until: 5000, isForAll: true });
    expect(received).toHaveLength(5);
    now = 5000;
    for (let time = 0; time < 2; time++) expect(await call(MAC)).toEqual({ kind: 'forbidden' });
  });

  it('pauses calls to a NAC whose certificate is not trusted: no call gets past it', async () => {
    const { key, cert } = await makeCertificate(['127.0.0.1']);
    const url = await serve(createServer({ key, cert }));
    const call = callTo([url.replace('http:', 'https:')]);
    for (let device = 0; device < 5; device++)
      expect(await call(`${MAC}${device}` as MacAddress)).toMatchObject({ fault: { kind: 'untrusted' } });
    expect(await call(MAC)).toMatchObject({ kind: 'paused' });
  });

  it('asks only the second address while the first is paused', async () => {
    const [first, second] = [await record({ status: 503 }), await record({ status: 403 })];
    const call = callTo([first.url, second.url]);
    for (let device = 0; device < 7; device++)
      expect(await call(`${MAC}${device}` as MacAddress)).toEqual({ kind: 'forbidden' });
    expect([first.received.length, second.received.length]).toEqual([5, 7]);
  });

  it.each([
    ['no session', '00:1B:54:00:99:99'],
    ['credentials refused', '00:1B:54:00:04:01'],
    ['not allowed', '00:1B:54:00:04:03'],
    ['a login page', '00:1B:54:00:0B:01'],
    ['too large', '00:1B:54:00:0B:04'],
  ])('does not count as a failure: %s', async (_, address) => {
    const nac = await startNac();
    for (let time = 0; time < 6; time++) await nac.call(address as MacAddress);
    expect(nac.calls).toHaveLength(6);
  });
});

describe('two addresses', () => {
  it.each([
    ['refuses connections', closedUrl],
    ['answers 503', () => serveStatus(503)],
    ['hangs up', () => serve((request) => request.socket.destroy())],
    ['is silent', () => serve(() => {})],
  ])('asks the second when the first %s', async (_, first) => {
    const nac = await startNac();
    expect(await callTo([await first(), nac.url], SOON)(MAC)).toMatchObject({ kind: 'found' });
  });

  it.each([401, 403, 500, 404])('does not ask the second after status %i', async (status) => {
    const nac = await startNac();
    expect((await callTo([await serveStatus(status), nac.url])(MAC)).kind).not.toBe('found');
    expect(nac.calls).toEqual([]);
  });

  it("returns the first address's fault when both are down", async () => {
    const call = callTo([await serveStatus(503), await closedUrl()]);
    expect(await call(MAC)).toEqual({ kind: 'fault', status: 503 });
  });
});

/** Devices for which the sandbox never ends its answer. */
const SILENT = ['00:1B:54:00:0B:03', '00:1B:54:00:0B:06'];
const SOON = { timeoutMs: 1000 };

async function startNac(options?: Parameters<typeof callTo>[1]) {
  const nac = createNac({ accounts: [ACCOUNT] });
  const url = await serve(nac.server);
  return { url, calls: nac.calls, call: callTo([url], options) };
}

const serveStatus = async (status: number) => (await record({ status })).url;

function callTo(
  addresses: readonly string[],
  { timeoutMs = 30_000, ...options }: Partial<SessionCallOptions> & { timeoutMs?: number } = {},
) {
  const upstream = openUpstream({ timeoutMs });
  const bases = addresses.map((address) => new URL(address));
  const session = createSessionCall({
    upstream,
    addresses: bases,
    macForm: 'colon',
    isIgnored: () => false,
    now: Date.now,
    ...options,
  });
  const account = { ...ACCOUNT, password: new Secret(ACCOUNT.password) };
  return (address: DeviceAddress) =>
    session.call(address, basicAuthorization(account), `who asks for ${address}`);
}

const XML = 'application/xml;charset=UTF-8';
const NO_SESSION =
  '<?xml version="1.0"?><mnt-rest-result><http-code>500</http-code><cpm-code>34110</cpm-code><internal-error-info>Session data is\n not available for 00:00:00:00:00:00.</internal-error-info><status>SERVER_ERROR</status></mnt-rest-result>';

const HTML = 'text/html';
const PAGE = '<html><body>data is not available</body></html>';
const fault = (status: number) => ({ kind: 'fault', status });
const unusable = (reason: string) => ({ kind: 'unusable', reason });

describe('readSessionOutcome', () => {
  it('finds a session, its tokens and its record', () => {
    expect(read(200, sessionXml({ user_name: 'alex' }))).toMatchObject({
      kind: 'found',
      tokens: ['Corp_Wired_Access', 'Basic_Authenticated_Access'],
      record: { user: 'alex', passed: true },
    });
  });

  it.each([
    ['a byte order mark', `\ufeff${sessionXml({})}`],
    ['stray lines before and behind', `warning: cache is cold\n${sessionXml({})}\n-- end --`],
    ['a comment before', `<!-- <html> -->${sessionXml({})}`],
    ['a prefix', '<ns2:sessionParameters><a>x_y</a></ns2:sessionParameters>'],
    ['unbound prefixes inside', '<sessionParameters><q:a>x_y</q:a></sessionParameters>'],
    ['white space in the closing tag', '<sessionParameters><a>x_y</a></sessionParameters >'],
    ['an empty element', '<sessionParameters/>'],
  ])('finds a session with %s, whatever the content type', (_, text) => {
    expect([read(200, text).kind, read(200, text, 'text/plain').kind]).toEqual(['found', 'found']);
  });

  it.each([
    ['the words of "no session"', `<mnt-rest-result>${'session '.repeat(100_000)}`],
    ['half of them', `<mnt-rest-result>${'session is not '.repeat(60_000)}`],
    ['comments', '<!--'.repeat(200_000)],
    ['ends', `<sessionParameters>${'</sessionParameters '.repeat(50_000)}`],
    ['prefixes', '<a:'.repeat(300_000)],
  ])('needs little time for a megabyte of %s', (_, text) => {
    expect(timeOf(() => read(500, text))).toBeLessThan(200);
    expect(timeOf(() => read(200, text))).toBeLessThan(200);
  });

  it.each([
    ['the words of "no session"', 500, NO_SESSION, XML, { kind: 'no session' }],
    ['them with another status', 503, NO_SESSION, XML, fault(503)],
    ['another fault with the same code', 500, NO_SESSION.replace('Session', 'My'), XML, fault(500)],
    ['other words with the same code', 500, NO_SESSION.replace('not available', 'lost'), XML, fault(500)],
    ['401', 401, PAGE, HTML, { kind: 'refused' }],
    ['403', 403, PAGE, HTML, { kind: 'forbidden' }],
    ['404', 404, PAGE, HTML, fault(404)],
    ['500', 500, PAGE, HTML, fault(500)],
    ['302', 302, PAGE, HTML, unusable('login page')],
    ['an HTML page', 200, PAGE, HTML, unusable('login page')],
    ['an HTML page called XML', 200, `<!DOCTYPE html>\n${PAGE.toUpperCase()}`, XML, unusable('login page')],
    ['HTML without a root', 200, '<p>Login</p>', `${HTML};charset=UTF-8`, unusable('login page')],
    ['a session without its end', 200, sessionXml({}).slice(0, -30), XML, unusable('cut off')],
    ['an XML declaration alone', 200, '<?xml version="1.0"?>', XML, unusable('cut off')],
    ['half a root element', 200, '<sessionPara', XML, unusable('cut off')],
    ['nothing', 200, '', XML, unusable('cut off')],
    ['another root', 200, '<activeList noOfActiveSession="0"/>', XML, unusable('unknown')],
    ['JSON', 200, '{"session_id": "a_b:c"}', 'application/json', unusable('unknown')],
  ])('reads %s', (_, status, text, type, outcome) => expect(read(status, text, type)).toEqual(outcome));
});

function read(status: number, text: string, type = XML) {
  return readSessionOutcome({ kind: 'answered', status, headers: { 'content-type': type }, text });
}
