import { generateKeyPairSync } from 'node:crypto';
import { inspect } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { createSigningKeys, createTokenCheck } from '../../../src/teams/authentication/channel-token.ts';
import { openUpstream } from '../../serve.ts';
import { CHANNEL_ISSUER, openChannelIdentity, type TokenChanges, writeToken } from './identity.ts';

const APP_ID = 'app';
const SERVICE_URL = 'https://smba.trafficmanager.net/emea/';
type Claimed = { channelId: unknown; serviceUrl: unknown };
const CLAIMED: Claimed = { channelId: 'msteams', serviceUrl: SERVICE_URL };
const ACCEPTED = { kind: 'accepted' };
const refusedFor = (reason: unknown) => ({ kind: 'refused', status: 401, reason });

const channel = await openChannelIdentity({ appId: APP_ID, serviceUrl: SERVICE_URL });
afterAll(channel.close);

/** Both steps of a check without cached keys: the token alone, and then its claims against an activity. */
function openJudge({ metadataUrl } = channel) {
  const source = { upstream: openUpstream(), metadata: new URL(metadataUrl) };
  const keys = createSigningKeys(source, Date.now, () => {});
  const check = createTokenCheck(keys, APP_ID, Date.now);
  return async (header: string | undefined, claimed: Claimed = CLAIMED) => {
    const verdict = await check(header);
    if (verdict.kind !== 'verified') return verdict;
    const reason = verdict.findFault(claimed);
    return reason === undefined ? ACCEPTED : refusedFor(reason);
  };
}

const judgeToken = (changes: TokenChanges, claimed?: Claimed) =>
  openJudge()(`Bearer ${channel.issue(changes)}`, claimed);
const seconds = (from: number) => Math.floor(Date.now() / 1000) + from;

it.each<[string, () => TokenChanges]>([
  ['a valid one', () => ({})],
  ['for the bot among others', () => ({ claims: { aud: ['another', APP_ID] } })],
  ['expired less than five minutes ago', () => ({ claims: { exp: seconds(-290) } })],
  ['valid in less than five minutes', () => ({ claims: { nbf: seconds(290) } })],
  ['without a beginning', () => ({ claims: { nbf: undefined } })],
  ['without type and thumbprint', () => ({ header: { typ: undefined, x5t: undefined } })],
])('a token that is accepted %s', async (_, changes) =>
  expect(await judgeToken(changes())).toEqual(ACCEPTED),
);

it('a token that is accepted after the scheme in any case', async () => {
  for (const scheme of ['bearer', 'BEARER', 'Bearer '])
    expect(await openJudge()(`${scheme} ${channel.issue({})}`)).toEqual(ACCEPTED);
});

/** Faults in the header, the claims or the signature of a token from the right issuer. */
function badChanges(): TokenChanges[] {
  const { metadataUrl, key } = channel;
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const jwk = publicKey.export({ format: 'jwk' });
  const { publicKey: own } = key;
  const secrets = [own.export({ type: 'spki', format: 'pem' }), own.export({ format: 'jwk' }).n];
  const headers = [
    ...['unknown', '__proto__', undefined, [key.kid]].map((kid) => ({ kid })),
    ...['None', undefined, ['RS256'], 'RS384', 'RS512', 'PS256'].map((alg) => ({ alg })),
    { crit: ['canary'], canary: true },
    { crit: ['b64'], b64: false },
  ];
  const claims = [
    ...[seconds(-310), undefined, 'never', null].map((exp) => ({ exp })),
    ...[seconds(310), 'always'].map((nbf) => ({ nbf })),
    ...['another-bot', ['another-bot', 'a-third'], CHANNEL_ISSUER, '', undefined].map((aud) => ({ aud })),
    ...['https://smba.trafficmanager.net/', undefined, ''].map((serviceurl) => ({ serviceurl })),
    ...[[SERVICE_URL], { href: SERVICE_URL }, null, 5].map((serviceurl) => ({ serviceurl })),
  ];
  return [
    ...[{}, { jwk }, { jku: metadataUrl, x5u: metadataUrl }].map((header) => ({ header, key: privateKey })),
    ...secrets.map((secret) => ({ header: { alg: 'HS256' }, key: String(secret) })),
    { header: { alg: 'none' }, key: undefined },
    ...headers.map((header) => ({ header })),
    ...claims.map((changed) => ({ claims: changed })),
  ];
}

/** Damaged tokens, and headers that hold a valid one in another form. */
function badForms(): Array<string | undefined> {
  const valid = channel.issue({});
  const [header, claims, signature] = valid.split('.');
  const encoded = (part: string | Buffer) => Buffer.from(part as string).toString('base64url');
  const unreadable = ['{"alg":', 'null', '["RS256"]', Buffer.from([0xff, 0xfe])].map(encoded);
  const tokens = [
    `${channel.issue({ header: { alg: 'none' }, key: undefined })}AAAA`,
    writeToken({ alg: 'RS256', kid: channel.key.kid }, [], channel.key.privateKey),
    ...['A', '', claims, ...unreadable].map((first) => `${first}.${claims}.${signature}`),
    ...[`${header}.${encoded('{"iss":')}.${signature}`, `${claims}.${header}.${signature}`],
    ...[`${header}.${claims}.A`, `${header}.${claims}.`, `${header}.${claims}`, `${valid}.${signature}`],
    ...[`${header}..${signature}.${claims}.${signature}`, `${valid}==`, `${valid} canary`, `"${valid}"`],
    ...[`${valid}, Bearer ${valid}`, valid + 'A'.repeat(14_000)],
  ];
  const schemes = ['Basic ', 'Basic x, Bearer ', 'Bearer: ', 'Bearer', ''].map((scheme) => scheme + valid);
  return [undefined, '', 'Bearer', ...schemes, ...tokens.map((token) => `Bearer ${token}`)];
}

describe('a token that is refused', () => {
  it('for each fault, with a reason that repeats no part of the token', async () => {
    const issued = badChanges().map((each) => [inspect(each), `Bearer ${channel.issue(each)}`] as const);
    for (const [fault, header] of [...issued, ...badForms().map((form) => [String(form), form] as const)]) {
      const verdict = await openJudge()(header).catch((error: Error) => error);
      expect(verdict, fault).toEqual(refusedFor(expect.stringMatching(/^[\w :;,?]+$/)));
      expect(JSON.stringify(verdict), fault).not.toMatch(/another-bot|canary|unknown-/);
    }
  });

  const CLOCK = '300 s are tolerated; is the clock of this machine right\\?';
  it.each<[string, () => object]>([
    [`exp: 31\\d s off, and ${CLOCK}`, () => ({ exp: seconds(-310) })],
    [`nbf: (?:900|899) s off, and ${CLOCK}`, () => ({ nbf: seconds(900) })],
    ['aud: meant for another bot than MicrosoftAppId', () => ({ aud: 'another' })],
    ['exp: missing', () => ({ exp: undefined })],
    ['serviceurl: another than the service address of the message', () => ({ serviceurl: 'https://x/' })],
  ])('with the claim that failed, and the difference: %s', async (reason, claims) => {
    const words = expect.stringMatching(new RegExp(`^${reason}$`));
    expect(await judgeToken({ claims: claims() })).toEqual(refusedFor(words));
  });

  it('for another issuer, without fetching a key', async () => {
    const before = channel.requests.length;
    const refused = refusedFor('iss: not the Bot Framework');
    for (const iss of [
      ...[undefined, null, '', [CHANNEL_ISSUER], { toString: CHANNEL_ISSUER }],
      ...[`${CHANNEL_ISSUER}/`, CHANNEL_ISSUER.toUpperCase(), 'https://api.botframework.us'],
      'https://sts.windows.net/d6d49420-f39b-4df7-a1dc-d59a935871db/',
    ])
      expect(await judgeToken({ claims: { iss } }), inspect(iss)).toEqual(refused);
    expect(channel.requests).toHaveLength(before);
  });

  it('signed with a key under 2048 bits, though that key is published', async () => {
    const weak = await openChannelIdentity({ appId: APP_ID, serviceUrl: SERVICE_URL });
    weak.key = { kid: 'weak', ...generateKeyPairSync('rsa', { modulusLength: 1024 }) };
    const refused = refusedFor('unknown key');
    const judge = openJudge(weak);
    for (let again = 0; again < 2; again++) expect(await judge(`Bearer ${weak.issue({})}`)).toEqual(refused);
    await weak.close();
  });

  it('for a service address that is not exactly its own', async () => {
    for (const serviceUrl of [
      ...[SERVICE_URL.slice(0, -1), `${SERVICE_URL}/`, ` ${SERVICE_URL}`, `${SERVICE_URL}?`],
      ...[SERVICE_URL.toUpperCase(), SERVICE_URL.replace('https', 'http')],
      'https://smba.trafficmanager.net:443/emea/',
    ])
      expect(await judgeToken({}, { ...CLAIMED, serviceUrl }), serviceUrl).toMatchObject({ kind: 'refused' });
  });

  it('but not for a channel or a service address that the activity lacks', async () => {
    for (const value of [undefined, null, '', ' \t', 5, true, [], ['msteams'], {}, { length: 1 }])
      expect(await judgeToken({}, { channelId: value, serviceUrl: value })).toEqual(ACCEPTED);
  });
});

it("a key's channel is compared exactly, except blanks around it", async () => {
  const refused = refusedFor('channel not endorsed');
  for (const channelId of 'slack, slack\n,MSTEAMS,msteams2,msteam,msteams;webchat,__proto__,0'.split(',')) {
    expect(await judgeToken({}, { ...CLAIMED, channelId }), channelId).toEqual(refused);
  }
  expect(await judgeToken({}, { ...CLAIMED, channelId: ' msteams\n' })).toEqual(ACCEPTED);
});

it.each([
  ['any, where the key names none', undefined, 'accepted'],
  ['none, where its list is empty', [], 'refused'],
] as const)('a key may sign for the channel: %s', async (_, endorsements, kind) => {
  const other = await openChannelIdentity({ appId: APP_ID, serviceUrl: SERVICE_URL, endorsements });
  expect(await openJudge(other)(`Bearer ${other.issue({})}`)).toMatchObject({ kind });
  await other.close();
});
