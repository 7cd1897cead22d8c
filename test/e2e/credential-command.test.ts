import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startProcess } from '../../src/sandbox/process.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts';

const MAIN = fileURLToPath(new URL('../../src/cli/credential.ts', import.meta.url));
let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.close());

describe('the credential command', () => {
  it.each([
    ['key', /^[0-9a-f-]{36}$/],
    ['ticket', /^ST-[0-9a-f-]{36}$/],
  ])('prints only the %s', async (name, form) => {
    const lines: string[] = [];
    await startProcess({
      args: [MAIN, name],
      env: sandbox.environment,
      upWhen: () => true,
      onLine: (line) => lines.push(line),
    });
    expect(lines).toEqual([expect.stringMatching(form)]);
  });

  it.each([
    [
      'key',
      { AUTHORIZE_PASSWORD: 'canary' },
      'API key: refused by the authorization service: user name or password is wrong',
    ],
    ['ticket', { TICKET_URL: 'http://127.0.0.1:1' }, 'ticket: the ticket service could not be reached'],
    [
      'ticket',
      { HTTP_PROXY: 'http://user:canary@127.0.0.1:1' },
      'the proxy 127.0.0.1:1 lets nothing through: it cannot be reached, or ends the connection (ECONNREFUSED)',
    ],
    ['ticket', { HTTP_PROXY: 'proxy' }, 'HTTP_PROXY must be http://HOST:PORT'],
    [
      'ticket',
      { TICKET_TLS: 'pin:x' },
      'TICKET_TLS has a pin that is not a SHA-256 fingerprint of 64 hexadecimal digits',
    ],
    ['key', { AUTHORIZE_USERNAME: '' }, 'AUTHORIZE_USERNAME is missing: set all of AUTHORIZE_URL'],
  ])('says on stderr why there is no %s, and exits 1: %o', async (name, changes, reason) => {
    const failure = await startProcess({
      args: [MAIN, name],
      env: { ...sandbox.environment, ...changes },
      upWhen: () => undefined,
    }).catch(String);
    expect(failure).toContain('ended with 1');
    expect(failure).toContain(reason);
    expect(failure).not.toContain('canary');
  });

  it.each([[[]], [['password']], [['toString']]])('says which words it accepts: %o', (words) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, ...words], { encoding: 'utf8' });
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toContain('-- key (or: -- ticket)');
  });
});
