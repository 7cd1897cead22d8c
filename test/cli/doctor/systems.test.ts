import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { State } from '../../../src/cli/doctor/finding.ts';
import { type Sandbox, startSandbox } from '../../../src/sandbox/sandbox.ts';
import type { Environment } from '../../../src/settings/environment.ts';
import { answer, closedUrl, record, serve } from '../../serve.ts';
import { diagnose, newFolder } from './diagnose.ts';
import { serveSecurely } from './secure-server.ts';

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.close());

/** The sandbox's settings with changes, and an empty `DATA_DIR`. */
const settings = (changes: Environment = {}): Environment => ({
  ...sandbox.environment,
  DATA_DIR: newFolder(),
  ...changes,
});

/** A listener that answers everything alike. */
const says =
  (status: number, body = '', headers: Record<string, string> = {}): RequestListener =>
  (_, response) =>
    answer(response, status, headers, body);

const NO_SESSION =
  '<mnt-rest-result><internal-error-info>Session data is not available for 00:00:00:00:00:00.</internal-error-info></mnt-rest-result>';
const LOGIN_PAGE = '<!DOCTYPE html><html><title>canary</title></html>';

/** A server that sends something else than HTTP. */
async function serveNoise(): Promise<string> {
  const server = createServer((socket) => socket.on('error', () => {}).end('SSH-2.0-canary\r\n'));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`;
}

describe('the doctor with all systems well', () => {
  it('says so of each, asks each once, and posts nothing', async () => {
    const { nacCalls, room } = sandbox;
    const before = nacCalls.length;
    const { rows, table } = await diagnose(settings());
    expect(Object.entries(rows).map(([system, { state }]) => `${system}: ${state}`)).toEqual([
      'settings: works',
      'NAC: works',
      'authorization service: works',
      'ticket service: works',
      'webhook: works',
      'database: works',
      'clock: works',
    ]);
    expect(table).toContain('All 7 work.\n');
    expect(nacCalls.slice(before)).toEqual([
      { path: '/admin/API/mnt/Session/MACAddress/00:00:00:00:00:00', username: 'sandbox' },
    ]);
    expect(room.posts()).toEqual([]);
  });

  it('posts one line if that is asked for', async () => {
    const { rows } = await diagnose(settings(), { post: true });
    expect(rows.webhook).toMatchObject({ state: 'works', what: expect.stringContaining('one line stands') });
    expect(sandbox.room.posts()).toHaveLength(1);
  });

  it('shows the fingerprint of each certificate that can be pinned', async () => {
    const nac = await serveSecurely(says(500, NO_SESSION));
    const pem = join(newFolder(), 'ca.pem');
    writeFileSync(pem, nac.pem);
    for (const tls of [nac.pin, `ca:${pem}`]) {
      const { rows, table } = await diagnose(settings({ NAC_URL: nac.url, NAC_TLS: tls }));
      expect(rows.NAC?.state).toBe('works');
      expect(table).toContain(nac.pin);
    }
  });

  it('warns of a certificate that nobody checks, and offers its pin', async () => {
    const nac = await serveSecurely(says(500, NO_SESSION));
    const { rows, table } = await diagnose(settings({ NAC_URL: nac.url, NAC_TLS: 'insecure' }));
    expect(rows.NAC).toMatchObject({
      state: 'warning',
      next: expect.stringContaining('set NAC_TLS to that pin'),
    });
    expect(table).toContain(nac.pin);
    expect(table).toContain('Look at: NAC.');
  });
});

type Case = [
  what: string,
  changes: () => Environment | Promise<Environment>,
  what: RegExp,
  next: RegExp,
  options?: { post?: boolean },
];

/** One row is red with the right advice, and no other. */
function shows(system: string, cases: Case[]): void {
  it.each(cases)(`${system}: %s`, async (_, change, what, next, options = {}) => {
    const { rows } = await diagnose(settings(await change()), options);
    const red = Object.values(rows).filter(({ state }) => state === ('FAILS' satisfies State));
    expect(red.map((each) => each.system)).toEqual([system]);
    expect(red[0]?.what).toMatch(what);
    expect(red[0]?.next ?? '').toMatch(next);
  });
}

const nacAt = async (listener: RequestListener) => ({ NAC_URL: await serve(listener) });
const MONITORING = /NAC_URL must name the monitoring node/;

describe('the doctor with one broken system', () => {
  shows('NAC', [
    [
      'wrong password',
      () => ({ NAC_PASSWORD: 'canary' }),
      /refuses .*password \(401\)/,
      /NAC_PASSWORD.*not locked/,
    ],
    ['no right', () => nacAt(says(403)), /does not let the account read sessions \(403\)/, /MnT Admin/],
    ['no such call', () => nacAt(says(404)), /not the monitoring node/, MONITORING],
    [
      'a fault',
      () => nacAt(says(500, 'canary')),
      /reports a fault \(HTTP status 500\)/,
      /ask those who run the NAC/,
    ],
    ['a login page', () => nacAt(says(200, LOGIN_PAGE)), /a login page/, MONITORING],
    [
      'a redirect to a login page',
      () => nacAt(says(302, '', { location: '/canary' })),
      /a login page/,
      MONITORING,
    ],
    ['another system', () => nacAt(says(200, '{"canary": 1}')), /not as the monitoring API/, MONITORING],
    [
      'a session of nobody',
      () => nacAt(says(200, '<sessionParameters><passed>true</passed></sessionParameters>')),
      /which no device has/,
      MONITORING,
    ],
    [
      'silence',
      async () => ({ ...(await nacAt(() => {})), NAC_TIMEOUT_MS: '200' }),
      /not answer within 0.2 s \(time-out\)/,
      /firewall/,
    ],
    [
      'nobody listens',
      async () => ({ NAC_URL: await closedUrl() }),
      /nothing listens.*ECONNREFUSED/,
      /NAC_URL/,
    ],
    [
      'an unknown name',
      () => ({ NAC_URL: 'https://nowhere.invalid' }),
      /DNS .*nowhere\.invalid/,
      /DNS of this machine/,
    ],
    [
      'something else than HTTP',
      async () => ({ NAC_URL: await serveNoise() }),
      /does not speak HTTP/,
      /http or https, and the port/,
    ],
    [
      'https to a port of http',
      async () => ({ NAC_URL: (await serve(says(200))).replace('http:', 'https:') }),
      /no common TLS/,
      /NAC_URL: https and its port/,
    ],
  ]);

  shows('authorization service', [
    [
      'wrong password',
      () => ({ AUTHORIZE_PASSWORD: 'canary' }),
      /refuses .*\(401\)/,
      /AUTHORIZE_USERNAME and AUTHORIZE_PASSWORD/,
    ],
    [
      'no right',
      async () => ({ AUTHORIZE_URL: await serve(says(403)) }),
      /not allowed/,
      /have the account allowed/,
    ],
    [
      'wrong prefix',
      () => ({ AUTHORIZE_SDK_PREFIX: 'elsewhere' }),
      /HTTP status 404/,
      /AUTHORIZE_SDK_PREFIX/,
    ],
    [
      'a redirect elsewhere',
      async () => ({ AUTHORIZE_URL: await serve(says(307, '', { location: 'https://canary.example' })) }),
      /does not send the password there/,
      /own address/,
    ],
    ['nobody listens', async () => ({ AUTHORIZE_URL: await closedUrl() }), /ECONNREFUSED/, /AUTHORIZE_URL/],
  ]);

  shows('ticket service', [
    [
      'wrong password',
      () => ({ TICKET_PASSWORD: 'canary' }),
      /refuses .*\(401\)/,
      /TICKET_USERNAME and TICKET_PASSWORD/,
    ],
    [
      'no ticket',
      async () => ({ TICKET_URL: await serve(says(200, '{"canary":1}')) }),
      /without a ticket/,
      /check TICKET_URL/,
    ],
  ]);

  shows('webhook', [
    ['nobody listens', async () => ({ WEBHOOK_URL: await closedUrl() }), /ECONNREFUSED/, /WEBHOOK_URL/],
    [
      'not there any more',
      () => ({ WEBHOOK_TOKEN: 'canary' }),
      /not found/,
      /make a new webhook/,
      { post: true },
    ],
    [
      'an error in a 200',
      () => ({ WEBHOOK_TOKEN: 'answers-error-object' }),
      /answered with an error/,
      /try again/,
      { post: true },
    ],
    [
      'a refusal',
      () => ({ WEBHOOK_TOKEN: 'answers-400' }),
      /HTTP status 400/,
      /WEBHOOK_FORM/,
      { post: true },
    ],
  ]);
});

describe.each([
  ['NAC', 'NAC', false],
  ['webhook', 'WEBHOOK', false],
  ['webhook', 'WEBHOOK', true],
  ['ticket service', 'TICKET', false],
] as const)('the certificate of the %s (%s_TLS, post: %s)', (system, prefix, post) => {
  it('that is not trusted is shown, to be compared before it is pinned', async () => {
    const asked: string[] = [];
    const server = await serveSecurely((request, response) => {
      asked.push(request.url ?? '');
      answer(response, 200, {}, '');
    });
    for (const [tls, what] of [
      ['verify', 'comes from an authority that is not trusted'],
      [`pin:${'AB'.repeat(32)}`, 'does not match its pin'],
    ]) {
      const { rows } = await diagnose(settings({ [`${prefix}_URL`]: server.url, [`${prefix}_TLS`]: tls }), {
        post,
      });
      expect(rows[system]).toMatchObject({
        state: 'FAILS',
        what: expect.stringContaining(what ?? ''),
        next: expect.stringMatching(
          `compare the fingerprint below with what the owners.*set ${prefix}_TLS to that pin`,
        ),
        certificate: { presented: { fingerprint: server.pin.slice('pin:'.length) } },
      });
    }
    expect(asked).toEqual([]);
  });
});

it('a certificate for another name says so', async () => {
  const server = await serveSecurely(says(200), { name: 'nac.example' });
  const pem = join(newFolder(), 'ca.pem');
  writeFileSync(pem, server.pem);
  const { rows } = await diagnose(settings({ NAC_URL: server.url, NAC_TLS: `ca:${pem}` }));
  expect(rows.NAC).toMatchObject({
    what: expect.stringContaining('issued for another name'),
    next: expect.stringContaining('name the system in NAC_URL as its certificate does'),
  });
});

describe('two addresses of the NAC', () => {
  it('are both asked', async () => {
    const second = await record({ status: 403 });
    const { rows } = await diagnose(settings({ NAC_URL: `${sandbox.environment.NAC_URL},${second.url}` }));
    expect(rows.NAC?.state).toBe('works');
    expect(rows['NAC (second)']).toMatchObject({
      state: 'FAILS',
      next: expect.stringContaining('MnT Admin'),
    });
    expect(second.received).toHaveLength(1);
  });

  it('get one try of an account that is refused', async () => {
    const second = await record({ status: 401 });
    const changes = { NAC_URL: `${sandbox.environment.NAC_URL},${second.url}`, NAC_PASSWORD: 'canary' };
    for (const again of [false, true]) {
      const { rows } = await diagnose(settings(changes), { again });
      expect(rows['NAC (second)']).toMatchObject({
        state: 'skipped',
        what: expect.stringContaining('was refused'),
      });
    }
    expect(second.received).toEqual([]);
  });
});

describe('a refused account', () => {
  it.each([
    ['NAC', 'NAC'],
    ['authorization service', 'AUTHORIZE'],
    ['ticket service', 'TICKET'],
  ])('is not tried again by later runs, unless that is asked for: %s', async (system, prefix) => {
    const server = await record({ status: 401, body: 'canary' });
    const environment = settings({ [`${prefix}_URL`]: server.url, [`${prefix}_PASSWORD`]: 'canary' });
    await diagnose(environment);
    for (const run of [2, 3]) {
      const { rows } = await diagnose(environment);
      expect(rows[system], `run ${run}`).toMatchObject({
        state: 'FAILS',
        what: expect.stringMatching(/not asked: an earlier run was refused \(401\).* 15 min more/),
        next: 'with a new password:\nnpm run doctor -- --again',
      });
    }
    expect(server.received).toHaveLength(1);
    await diagnose(environment, { again: true });
    expect(server.received).toHaveLength(2);
  });

  it('is forgotten once it is accepted', async () => {
    const environment = settings();
    await diagnose({ ...environment, NAC_PASSWORD: 'canary' });
    expect((await diagnose(environment, { again: true })).rows.NAC?.state).toBe('works');
    expect((await diagnose(environment)).rows.NAC?.state).toBe('works');
  });

  it('says when it cannot be remembered', async () => {
    const file = join(newFolder(), 'file');
    writeFileSync(file, '');
    const { rows } = await diagnose(settings({ NAC_PASSWORD: 'canary', DATA_DIR: join(file, 'below') }));
    expect(rows.NAC?.next).toContain('cannot be noted in DATA_DIR: wait 15 min before the next run');
  });
});

describe('wrong settings', () => {
  it('are all named, and the other systems are asked', async () => {
    const { rows } = await diagnose(settings({ NAC_TLS: 'pin:canary', LOG_LEVEL: 'canary', PORT: 'canary' }));
    expect(rows.settings).toMatchObject({
      state: 'FAILS',
      what: expect.stringMatching(/^(?=.*NAC_TLS has a pin)(?=.*LOG_LEVEL must be)(?=.*PORT must be)/s),
    });
    expect(rows.NAC).toMatchObject({ state: 'skipped', what: 'not asked, because its settings are wrong' });
    expect(rows['ticket service']?.state).toBe('works');
  });

  it('of the proxy leave only what is reached without', async () => {
    const before = sandbox.nacCalls.length;
    const { rows } = await diagnose(settings({ HTTPS_PROXY: 'socks5://user:canary@proxy' }));
    const skipped = Object.values(rows).filter(({ state }) => state === 'skipped');
    expect(skipped.map(({ system }) => system)).toEqual([
      'NAC',
      'authorization service',
      'ticket service',
      'webhook',
      'clock',
    ]);
    expect(sandbox.nacCalls).toHaveLength(before);
  });
});
