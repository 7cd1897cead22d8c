import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { issue } from '../../src/cli/credential.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts';

const NO_TICKET = { TICKET_URL: '', TICKET_USERNAME: '', TICKET_PASSWORD: '' };

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.close());

describe('the credential command', () => {
  it.each([
    ['key', /^[0-9a-f-]{36}$/],
    ['ticket', /^ST-[0-9a-f-]{36}$/],
  ])('issues a %s', async (word, form) => {
    expect(await issue(word, sandbox.environment)).toEqual({ credential: expect.stringMatching(form) });
  });

  it.each<[string | undefined, Record<string, string>, string]>([
    ['key', { AUTHORIZE_PASSWORD: 'canary' }, 'API key: refused by the authorization service: user name'],
    ['ticket', { TICKET_URL: 'http://127.0.0.1:1' }, 'ticket: the ticket service could not be reached'],
    ['ticket', { HTTP_PROXY: 'http://u:canary@127.0.0.1:1' }, 'the proxy 127.0.0.1:1 lets nothing through'],
    ['ticket', { HTTP_PROXY: 'proxy' }, 'HTTP_PROXY must be http://HOST:PORT'],
    ['key', { AUTHORIZE_USERNAME: '' }, 'AUTHORIZE_USERNAME is missing: set all of AUTHORIZE_URL'],
    ['ticket', NO_TICKET, 'TICKET_URL is missing: this credential is not configured'],
    [undefined, {}, '-- key (or: -- ticket)'],
    ['toString', {}, '-- key (or: -- ticket)'],
  ])('says why there is no %s with %o', async (word, changes, reason) => {
    const issued = await issue(word, { ...sandbox.environment, ...changes });
    expect('reasons' in issued && issued.reasons.join('\n')).toContain(reason);
    expect(JSON.stringify(issued)).not.toContain('canary');
  });
});
