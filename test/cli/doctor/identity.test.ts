import { readFile } from 'node:fs/promises';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { answer, closedUrl, serve } from '../../serve.ts';
import { SIGNED_IN } from '../../settings.ts';
import { type ChannelIdentity, openChannelIdentity } from '../../teams/authentication/identity.ts';
import { type Authority, openAuthority } from '../../teams/authentication/identity-authority.ts';
import { diagnose, newFolder } from './diagnose.ts';
import { serveSecurely } from './secure-server.ts';

const TRUSTED = getCACertificates('default');

let authority: Authority;
let channel: ChannelIdentity;
beforeAll(async () => {
  authority = await openAuthority({ tenant: 'tenant', clientId: 'app', clientSecret: 'canary-secret' });
  channel = await openChannelIdentity({ appId: 'app', serviceUrl: 'https://chat.example' });
  setDefaultCACertificates([...TRUSTED, await readFile(authority.certificateFile, 'utf8')]);
});
afterAll(async () => {
  setDefaultCACertificates(TRUSTED);
  await Promise.all([authority.close(), channel.close()]);
});

async function examineWith(changes: Record<string, string> = {}) {
  const down = await closedUrl();
  const { rows } = await diagnose({
    ...SIGNED_IN,
    NAC_URL: down,
    WEBHOOK_URL: down,
    DATA_DIR: newFolder(),
    MicrosoftAppPassword: 'canary-secret',
    ToChannelFromBotLoginUrl: authority.loginUrl,
    BotOpenIdMetadata: channel.metadataUrl,
    ...changes,
  });
  return rows;
}

it('gets one token, and fetches the keys', async () => {
  const rows = await examineWith();
  expect(rows['token authority']).toMatchObject({ state: 'works' });
  expect(authority.tokens).toHaveLength(1);
  expect(rows['signing keys']).toMatchObject({
    state: 'works',
    what: expect.stringContaining('publishes 1'),
  });
  expect(rows.clock).toMatchObject({ state: 'works', what: expect.stringContaining('the token authority') });
});

it.each<[what: string, settings: () => Promise<Record<string, string>>, said: RegExp]>([
  ['a wrong secret', async () => ({ MicrosoftAppPassword: 'canary' }), /MicrosoftAppPassword is wrong/],
  ['an unknown app', async () => ({ MicrosoftAppId: 'other' }), /MicrosoftAppId is unknown in the tenant/],
  [
    'nobody listens',
    async () => ({ ToChannelFromBotLoginUrl: `${await closedUrl()}/tenant`.replace('http:', 'https:') }),
    /nothing listens.*ECONNREFUSED/,
  ],
  [
    'a certificate that is not trusted',
    async () => ({ ToChannelFromBotLoginUrl: (await serveSecurely(() => {})).url }),
    /authority that is not trusted/,
  ],
])('says why there is no token: %s', async (_, settings, said) => {
  const { 'token authority': row } = await examineWith(await settings());
  expect(row).toMatchObject({ state: 'FAILS', what: expect.stringMatching(said) });
});

it('says that the secret has expired', async () => {
  authority.mode = 'refusing';
  const { 'token authority': row } = await examineWith();
  authority.mode = 'up';
  expect(row?.what).toBe('no token: the client secret in MicrosoftAppPassword has expired; make a new one');
});

it.each<[what: string, address: () => Promise<string>, said: RegExp]>([
  ['nobody listens', closedUrl, /nothing listens.*ECONNREFUSED/],
  [
    'no such page',
    () => serve((_, response) => answer(response, 404, {}, 'canary')),
    /cannot be fetched \(status 404\)/,
  ],
  [
    'a login page',
    () => serve((_, response) => answer(response, 200, {}, '<html>canary')),
    /cannot be fetched \(unreadable\)/,
  ],
  [
    'no key',
    () =>
      serve((request, response) =>
        answer(
          response,
          200,
          {},
          JSON.stringify({ jwks_uri: `http://${request.headers.host}/keys`, keys: [] }),
        ),
      ),
    /no key that can be used/,
  ],
])('says why there are no keys: %s', async (_, address, said) => {
  const { 'signing keys': row } = await examineWith({ BotOpenIdMetadata: await address() });
  expect(row).toMatchObject({
    state: 'FAILS',
    what: expect.stringMatching(said),
    next: expect.stringContaining('BotOpenIdMetadata'),
  });
});
