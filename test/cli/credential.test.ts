import { afterAll, expect, it } from 'vitest';
import { credential } from '../../src/cli/credential.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';

const NO_TICKET = { TICKET_URL: '', TICKET_USERNAME: '', TICKET_PASSWORD: '' };

const sandbox = await startSandbox();
afterAll(() => sandbox.close());

it.each<[string, Record<string, string>, string, number?]>([
  ['key', { AUTHORIZE_PASSWORD: 'canary' }, 'API key: refused by the authorization service: user name'],
  ['ticket', { TICKET_URL: 'http://127.0.0.1:1' }, 'ticket: the ticket service could not be reached'],
  ['ticket', { HTTP_PROXY: 'http://u:canary@127.0.0.1:1' }, 'the proxy 127.0.0.1:1 lets nothing through'],
  ['ticket', { HTTP_PROXY: 'proxy' }, 'HTTP_PROXY must be http://HOST:PORT', 2],
  ['key', { AUTHORIZE_USERNAME: '' }, 'AUTHORIZE_USERNAME is missing: set all of AUTHORIZE_URL', 2],
  ['ticket', NO_TICKET, 'TICKET_URL is missing: there is no ticket', 2],
])('the credential command says why there is no %s with %o', async (word, changes, reason, expected = 1) => {
  const ending = await credential(word.split(' '), { ...sandbox.environment, ...changes });
  expect(ending).toEqual({ code: expected, text: expect.stringContaining(reason) });
  expect(ending?.text).not.toContain('canary');
});

it.each([[], [''], ['key', 'ticket'], ['toString']])(
  'the credential %j has wrong arguments',
  async (...words) => expect(await credential(words, sandbox.environment)).toBeUndefined(),
);
