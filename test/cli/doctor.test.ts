import { writeFile } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Finding } from '../../src/cli/doctor/systems.ts';
import { examine, renderRow } from '../../src/cli/doctor.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import type { Environment } from '../../src/settings/schema.ts';
import { openClosingProxy } from '../proxy.ts';
import { answer, closedUrl, record, says, serve } from '../serve.ts';
import { accept, SIGNED_IN } from '../settings.ts';
import { newFolder } from '../store/engines.ts';
import { openAuthority, openChannelIdentity } from '../teams/authentication/identity.ts';
import { serveSecurely } from './secure-server.ts';

const sandbox = await startSandbox();
afterAll(() => sandbox.close());

/** Runs the doctor with the sandbox's settings and changes. Returns each row as `STATE: WHAT next: NEXT`. */
async function diagnose(changes: Environment = {}, { post = false } = {}) {
  const settings = accept({ ...sandbox.environment, DATA_DIR: await newFolder(), ...changes });
  const rows: Array<[system: string, found: Finding]> = [];
  for await (const row of examine({ settings }, post)) rows.push(row);
  expect(rows.map((row) => renderRow(...row)).join('')).not.toMatch(/canary/);
  const shown = ({ state, what, next }: Finding) => `${state}: ${what} next: ${next}`;
  return Object.fromEntries(rows.map(([system, found]) => [system, shown(found)]));
}

const at = async (name: string, listener: RequestListener) => ({ [`${name}_URL`]: await serve(listener) });
const away = async (prefix: string) => ({ [`${prefix}_URL`]: await closedUrl() });

const NODE = 'administration node';
const NO_SESSION = '<internal-error-info>Session data is not available for x.</internal-error-info>';
const sayNoSession = says(500, `<mnt-rest-result>${NO_SESSION}</mnt-rest-result>`);

type Change = () => Environment | Promise<Environment>;

it('a doctor reports each system, asks once, and posts on request', async () => {
  const before = sandbox.nacCalls.length;
  const rows = await diagnose();
  const systems = ['settings', 'NAC', NODE, 'authorization service', 'ticket service', 'webhook', 'database'];
  expect(rows).toEqual(
    Object.fromEntries(systems.map((system) => [system, expect.stringMatching(/^works: /)])),
  );
  const path = '/admin/API/mnt/Session/MACAddress/00:00:00:00:00:00';
  expect(sandbox.nacCalls.slice(before)).toEqual([{ path, username: 'sandbox' }]);
  expect(sandbox.posts).toEqual([]);
  expect((await diagnose({}, { post: true })).webhook).toMatch(/^works: .*one line stands/);
  expect(sandbox.posts).toHaveLength(1);
});

describe('the doctor with one broken system', () => {
  const [KEYS, TICKETS] = ['authorization service', 'ticket service'];
  const SESSION = '<sessionParameters><passed>true</passed></sessionParameters>';
  const silentFor = async (ms: number) => ({ ...(await at('NAC', () => {})), NAC_TIMEOUT_MS: String(ms) });
  const httpsNac = async () => ({ NAC_URL: (await serve(says(200))).replace('http:', 'https:') });
  const WRONG_TOKEN = { WEBHOOK_TOKEN: 'canary' };

  it.each<[string, Change, RegExp, { post: boolean }?]>([
    ['NAC', () => ({ NAC_PASSWORD: 'canary' }), /credentials refused.* next: .*NAC_PASSWORD.*locked/],
    ['NAC', () => at('NAC', says(403)), /not allowed\. .* next: give the account .*MnT Admin/],
    ['NAC', () => at('NAC', says(404)), /404.* next: check that NAC_URL names the monitoring .* no path/],
    ['NAC', () => at('NAC', says(500, 'canary')), /status 500.* next: ask those who run the system/],
    ['NAC', () => at('NAC', says(200, '<!DOCTYPE html>')), /login page.* next: check that NAC_URL/],
    ['NAC', () => at('NAC', says(200, SESSION)), /not usable.* next: check .*NAC_/],
    ['NAC', () => silentFor(200), /time-out.* next: .*firewall/],
    ['NAC', () => away('NAC'), /could not be reached.* \(ECONNREFUSED\) next: check the port in NAC_URL/],
    ['NAC', httpsNac, /TLS handshake.* next: check http or https and the port in NAC_URL/],
    [NODE, () => at('ENDPOINTS', says(403)), /\(refused\) next: check ENDPOINTS_USERNAME and/],
    [NODE, () => at('ENDPOINTS', says(404)), /^warning: .*\(failed\) next: check ENDPOINTS_URL.* ERS\) is/],
    [KEYS, () => ({ AUTHORIZE_PASSWORD: 'canary' }), /password is wrong next: check AUTHORIZE_USERNAME and/],
    [TICKETS, () => at('TICKET', says(200, '{"canary":1}')), /without one next: ask those who/],
    ['webhook', () => away('WEBHOOK'), /not be reached \(ECONNREFUSED\) next: .*WEBHOOK_/],
    ['webhook', () => WRONG_TOKEN, /not found.* next: make a new webhook.* WEBHOOK_/, { post: true }],
  ])('says it of the %s alone: %s', async (system, change, said, options) => {
    const rows = await diagnose(await change(), options);
    const broken = Object.entries(rows).filter(([, row]) => /^(?:FAILS|warning)/.test(row));
    expect(broken).toEqual([[system, expect.stringMatching(said)]]);
  });

  it.each<[part: string, row: RegExp]>([
    ['<type_of_node>0</type_of_node>', /^works: .*as it must next: undefined/],
    ['<type_of_node>2</type_of_node>', /^warning: .*standby.* next: .*active monitoring node first/],
    ['<type_of_node>3</type_of_node>', /^FAILS: .*no monitoring node.* next: name the active/],
    ['<html>canary', /^works: .*as it must next: undefined/],
  ])('reads the part of the NAC: %s', async (part, row) => {
    const version = part.startsWith('<html') ? part : `<product><version>3.3</version>${part}</product>`;
    const sayVersion = says(200, version);
    const url = await serve((request, response) =>
      (request.url === '/admin/API/mnt/Version' ? sayVersion : sayNoSession)(request, response),
    );
    const rows = await diagnose({ NAC_URL: `${url},${url}/second` });
    expect(rows.NAC).toMatch(row);
    if (part.includes('2')) expect(rows['NAC (second)']).toMatch(/^works/); // There a standby is in its place.
  });

  it('asks no second address with an account that the first refused', async () => {
    const second = await record({ status: 403 });
    const NAC_URL = `${sandbox.environment.NAC_URL},${second.url}`;
    const refused = await diagnose({ NAC_URL, NAC_PASSWORD: 'canary' });
    expect(refused['NAC (second)']).toMatch(/^skipped: .*was refused/);
    expect(second.received).toEqual([]);
    const rows = await diagnose({ NAC_URL });
    expect(rows.NAC).toMatch(/^works/);
    expect(rows['NAC (second)']).toContain('MnT Admin');
  });
});

const NOT_TRUSTED = /trust the certificate .*\(unknown authority\)/;

it.each([
  ['NAC', 'NAC', 'verify', NOT_TRUSTED],
  [NODE, 'ENDPOINTS', 'verify', NOT_TRUSTED],
  ['ticket service', 'TICKET', `pin:${'AB'.repeat(32)}`, /\(wrong pin\)/],
])('an untrusted certificate of the %s is shown, to be pinned', async (system, prefix, tls, what) => {
  const listener = vi.fn<RequestListener>((_, response) => void response.end());
  const server = await serveSecurely(listener);
  const rows = await diagnose({ [`${prefix}_URL`]: server.url, [`${prefix}_TLS`]: tls });
  const shown = `certificate for ${prefix}_TLS, issued by CN=.*, valid to .*:\n${server.pin} next:`;
  const state = system === NODE ? 'warning' : 'FAILS';
  expect(rows[system]).toMatch(RegExp(`^${state}: .*${what.source}.*\\nits ${shown} .*${prefix}_TLS`));
  expect(listener).not.toHaveBeenCalled();
});

it.each<[what: string, options: object, kind: 'ca' | 'pin' | 'insecure', row: RegExp]>([
  ['of another name', { name: 'other.example' }, 'ca', /name the system in NAC_URL as its certificate does/],
  ['that has ended', { to: -0.5 }, 'ca', /^FAILS: [\s\S]* next: .*renew the certificate first/],
  ['that ends in 13 days', { to: 13 }, 'ca', /^warning: [\s\S]*\nit ends on \d.* next: /],
  ['that is pinned', {}, 'pin', /^works: [\s\S]*\npin:[\dA-F]{64} next: undefined$/],
  [
    'that is not checked',
    {},
    'insecure',
    /^warning: [\s\S]*\npin:[\dA-F]{64}\nit is not checked \(insecure\) next: compare/,
  ],
])("the NAC's certificate %s is shown, or has its cure", async (_, options, kind, row) => {
  const { url, pem, pin } = await serveSecurely(sayNoSession, options);
  const file = join(await newFolder(), 'ca.pem');
  await writeFile(file, pem);
  const NAC_TLS = { ca: `ca:${file}`, pin, insecure: 'insecure' }[kind];
  expect((await diagnose({ NAC_URL: url, NAC_TLS })).NAC).toMatch(row);
});

describe('the identity', async () => {
  const authority = await openAuthority({ tenant: 'tenant', clientId: 'app', clientSecret: 'canary-secret' });
  const channel = await openChannelIdentity({ appId: 'app', serviceUrl: 'https://chat.example' });
  beforeAll(authority.trust);
  afterAll(() => Promise.all([authority.close(), channel.close()]));

  const examineWith = async (changes: Environment = {}) =>
    diagnose({
      ...{ ...SIGNED_IN, ...(await away('NAC')), ...(await away('WEBHOOK')) },
      MicrosoftAppPassword: 'canary-secret',
      ToChannelFromBotLoginUrl: authority.loginUrl,
      BotOpenIdMetadata: channel.metadataUrl,
      SERVICE_HOSTS: `*.example.com,${new URL(authority.loginUrl).host}`,
      ...changes,
    });

  it('gets one token, the keys, and the time', async () => {
    expect(await examineWith()).toMatchObject({
      'token authority': expect.stringMatching(/^works/),
      'signing keys': expect.stringMatching(/^works: .*publishes 1/),
      clock: expect.stringMatching(/^works/),
      'chat service': expect.stringMatching(/^works: .*is reached/),
    });
    expect(authority.tokens).toHaveLength(1);
  });

  it.each([
    [250, /^works: .*agrees with that of 127/],
    [-3600, /^FAILS: .*(3599|36\d\d) s ahead of .* so that tokens get refused/],
  ])('whose clock is %s s ahead tells the time', async (seconds, row) => {
    const date = new Date(Date.now() + seconds * 1000).toUTCString();
    expect((await examineWith(await keysAt(says(200, '{}', { date })))).clock).toMatch(row);
  });

  const noKey: RequestListener = (request, response) => {
    const keys = { jwks_uri: `http://${request.headers.host}/keys`, keys: [] };
    answer(response, 200, {}, JSON.stringify(keys));
  };
  const keysAt = async (listener: RequestListener) => ({ BotOpenIdMetadata: await serve(listener) });
  const chatAt = (url: string) => ({ SERVICE_HOSTS: new URL(url).host });
  const untrusted = async () => (await serveSecurely(says(200))).url;
  const NOT_KNOWN = /the certificate of 127\.0\.0\.1:\d+ \(unknown authority\) .* NODE_EXTRA_CA_CERTS$/;
  const NOT_REACHED = /127\.0\.0\.1:\d+ could not be reached \(ECONNREFUSED\) next: .*HTTPS_PROXY/;

  it.each<[string, Change, RegExp]>([
    ['token authority', () => ({ MicrosoftAppPassword: 'canary' }), /MicrosoftAppPassword is wrong/],
    ['chat service', async () => chatAt(await closedUrl()), NOT_REACHED],
    ['chat service', async () => chatAt(await untrusted()), NOT_KNOWN],
    ['signing keys', () => keysAt(says(200, '<html>canary')), /cannot be fetched .*\(unreadable\)/],
    ['signing keys', () => keysAt(noKey), /no key that can be used/],
  ])('says what is wrong with the %s: %s', async (system, change, said) =>
    expect((await examineWith(await change()))[system]).toMatch(RegExp(`^FAILS: .*${said.source}`)),
  );
});

const ACCOUNT = 'bot:canary-proxy';

it('the row of a system names the proxy on its way', async () => {
  const proxy = await openClosingProxy({ account: ACCOUNT });
  const room = await serveSecurely(says(200));
  const HTTPS_PROXY = proxy.url.replace('//', `//${ACCOUNT}@`);
  const rows = await diagnose({ HTTPS_PROXY, WEBHOOK_URL: room.url, WEBHOOK_TLS: room.pin });
  const through = `\nthrough the proxy ${new URL(proxy.url).host}\n`;
  expect(rows.webhook).toMatch(RegExp(`^works: .*${through}.*WEBHOOK_TLS`));
  expect(rows.NAC).not.toContain('through');
});

it.each([
  ['wants a password', async () => (await openClosingProxy({ account: ACCOUNT })).url, /\(407\)/],
  ['is away', closedUrl, /ECONNREFUSED/],
])('the proxy that %s is what fails', async (_, urlOf, what) => {
  const rows = await diagnose({ HTTP_PROXY: await urlOf() });
  expect(rows.NAC).toMatch(RegExp(`^FAILS: .*\n.* next: the proxy .*${what.source}`));
});

it('a row has state, system and finding on one line, the rest below', () => {
  const found: Finding = { state: 'FAILS', what: 'refused\npin:AB', next: 'name the authority' };
  const row = renderRow('authorization service', found);
  expect(row).toBe('FAILS    authorization service  refused\n  pin:AB\n  next: name the authority\n');
});
