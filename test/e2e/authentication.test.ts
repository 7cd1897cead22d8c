import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { openSignedStage, type SignedStage } from '../stage.ts';
import type { TokenChanges } from '../teams/authentication/identity.ts';

const LOOKUP = 'lookup AA:BB:CC:DD:EE:FF';
const CONNECTED = expect.stringContaining('connected.');
const JSON_TYPE = { 'content-type': 'application/json' };
const HOUR_MS = 3_600_000;
const EVIL = 'https://canary.example/';
const UNAUTHORIZED = { status: 401, body: { error: 'Unauthorized' }, texts: [] };

async function open(settings?: Parameters<typeof openSignedStage>[0]): Promise<SignedStage> {
  const stage = await openSignedStage(settings);
  onTestFinished(stage.close);
  return stage;
}

describe('a bot with an identity', () => {
  let stage: SignedStage;
  beforeAll(async () => {
    // This setting has no effect on a bot with an identity.
    stage = await openSignedStage({ ALLOW_UNAUTHENTICATED: '1' });
  });
  afterAll(() => stage.close());

  const bearer = (token: TokenChanges = {}) => `Bearer ${stage.channel.issue(token)}`;
  const signed = (token: TokenChanges = {}) => ({ ...JSON_TYPE, authorization: bearer(token) });
  const forEvil = { claims: { serviceurl: EVIL } };
  const evil = (changes = {}) => stage.activity(LOOKUP, { serviceUrl: EVIL, ...changes });

  /** Expects no call, post or reply, and an answer to the next valid message. */
  async function expectNoAction(before: ReturnType<SignedStage['actions']>): Promise<void> {
    expect(stage.actions()).toEqual(before);
    expect(await stage.say('help')).toMatchObject({
      status: 200,
      texts: [expect.stringContaining('Commands')],
    });
  }

  it('answers a valid token, with the token that the authority issued', async () => {
    expect(await stage.say(LOOKUP)).toMatchObject({ status: 200, texts: [CONNECTED] });
    expect(new Set(stage.carried)).toEqual(new Set([`Bearer ${stage.authority.tokens[0]}`]));
    expect(stage.actions()).toMatchObject({ nac: 1, posts: 1 });
    expect(stage.channel.requests).toHaveLength(2);
  });

  it('refuses any other token with a 401, and only the log has the reason', async () => {
    const [before, lines] = [stage.actions(), stage.log.length];
    const tokens = [{ header: { alg: 'none' } }, { claims: { iss: 'x' } }, { claims: { exp: 1 } }];
    const headers = [JSON_TYPE, { ...JSON_TYPE, authorization: 'Bearer x.y.z' }, ...tokens.map(signed)];
    for (const sent of headers)
      expect(await stage.post(stage.activity(LOOKUP), sent)).toMatchObject(UNAUTHORIZED);
    await vi.waitFor(() => {
      const logged = stage.log.slice(lines).join('\n');
      expect(logged.match(/"status":401,"reason":"[\w :;,?]+"/g)).toHaveLength(headers.length);
    }, 5000);
    await expectNoAction(before);
    const [, claims = ''] = stage.channel.issue({}).split('.');
    expect(stage.log.join('\n')).not.toContain(claims.slice(0, 40));
  });

  it('accepts no token from a second header, or from another place', async () => {
    const before = stage.actions();
    for (const headers of [
      ...['Bearer x.y.z', ''].map((first) => ['authorization', first, 'authorization', bearer()]),
      ...['proxy-authorization', 'x-forwarded-authorization'].map((name) => [name, bearer()]),
      ['cookie', `authorization=${bearer()}`],
    ]) {
      const all = ['content-type', 'application/json', 'host', 'x', ...headers];
      expect(await stage.post(stage.activity(LOOKUP), all), headers[0]).toMatchObject(UNAUTHORIZED);
    }
    await expectNoAction(before);
  });

  it.each<[string, number, () => unknown, TokenChanges]>([
    ['too large, no JSON, a valid token', 413, () => 'canary'.repeat(50_000), {}],
    ['no JSON, a token for another address', 400, () => `${JSON.stringify(evil())}}`, {}],
    ['a token for another address, without a field', 401, () => evil({ type: undefined }), {}],
    ['a token for another address, an evil address', 401, evil, {}],
    ['a token for the evil address, without a field', 400, () => evil({ type: undefined }), forEvil],
    ['a token for the evil address', 403, evil, forEvil],
  ])('refuses for the first of several faults: %s: %i', async (_, status, body, token) => {
    const before = stage.actions();
    const answered = await stage.post(body(), signed(token));
    expect(answered.status).toBe(status);
    expect(answered.text).not.toContain('canary');
    expect(answered.body).toEqual({ error: expect.stringMatching(/^[A-Z][A-Za-z ]+$/) });
    expect(stage.actions()).toEqual(before);
  });

  it('reads no address from a prototype, nor from a repeated field', async () => {
    const before = stage.actions();
    const text = JSON.stringify(stage.activity(LOOKUP));
    const { channelId, serviceUrl, ...rest } = stage.activity(LOOKUP);
    const behind = `{"__proto__":${JSON.stringify({ channelId, serviceUrl })},${JSON.stringify(rest).slice(1)}`;
    expect(await stage.post(behind, signed())).toMatchObject({ status: 400 });
    const twice = `${text.slice(0, -1)},"serviceUrl":${JSON.stringify(EVIL)}}`;
    expect(await stage.post(twice, signed())).toMatchObject(UNAUTHORIZED);
    expect(await stage.post(twice, signed(forEvil))).toMatchObject({ status: 403 });
    await expectNoAction(before);
  });

  it('accepts cached keys for days while they cannot be fetched', async () => {
    stage.channel.mode = 'gone';
    stage.skip(25 * HOUR_MS);
    expect(await stage.say('help')).toMatchObject({ status: 200 });
    await vi.waitFor(() => expect(stage.log.join('\n')).toContain('signing keys cannot be fetched'));
  });
});

it('rotated keys count though the wall clock was 30 days ahead', async () => {
  const stage = await open();
  stage.moveWall(30 * 24 * HOUR_MS);
  expect(await stage.say('help')).toMatchObject({ status: 200 });
  stage.moveWall(-30 * 24 * HOUR_MS);
  const withdrawn = stage.channel.key;
  stage.channel.rotate();
  stage.skip(25 * HOUR_MS);
  const header = { kid: withdrawn.kid };
  const sayWithdrawn = () => stage.say('help', {}, { header, key: withdrawn.privateKey });
  await vi.waitFor(async () => expect(await sayWithdrawn()).toMatchObject(UNAUTHORIZED));
  expect(await stage.say('help')).toMatchObject({ status: 200 });
});

it('a message gets 503 while no key is known, and is answered afterwards', async () => {
  const stage = await open();
  const before = stage.actions();
  stage.channel.mode = 'gone';
  const { status, body, texts } = await stage.say(LOOKUP, { id: 'again' });
  expect([status, body, texts]).toEqual([503, { error: 'Service Unavailable' }, []]);
  expect((await stage.post('{', { ...JSON_TYPE, authorization: 'Bearer x.y.z' })).status).toBe(401);
  expect(stage.actions()).toEqual(before);
  stage.channel.mode = 'up';
  const comeAgain = async () =>
    expect(await stage.say(LOOKUP, { id: 'again' })).toMatchObject({ status: 200 });
  await vi.waitFor(comeAgain, { timeout: 15_000, interval: 200 });
  expect(stage.actions()).toMatchObject({ nac: 1, posts: 1 });
  expect(stage.chat.replies).toHaveLength(1);
});

it('a person who may not use the bot gets one sentence with the id', async () => {
  const stage = await open({ ALLOWED_USERS: 'user-2', ALLOWED_TENANTS: 'sandbox-tenant' });
  const before = stage.actions();
  const from = { id: 'new', name: 'New' };
  const sorry = 'Sorry, I may not answer you here. My administrator can change that; your id is `new`.';
  expect(await stage.say(LOOKUP, { from })).toMatchObject({ status: 200, texts: [sorry] });
  for (const again of [{}, { type: 'installationUpdate', action: 'add' }])
    expect(await stage.say('help', { from, ...again })).toMatchObject({ status: 200, texts: [] });
  expect(stage.actions()).toMatchObject({ nac: before.nac, posts: before.posts });
  expect(await stage.say(LOOKUP, { from: { id: 'user-2' } })).toMatchObject({ texts: [CONNECTED] });
});

it('a reply whose token is refused is sent again with a new one', async () => {
  const stage = await open();
  const { authority, carried } = stage;
  stage.refuse({ status: 401 });
  expect(await stage.say(LOOKUP)).toMatchObject({ status: 200, texts: [CONNECTED] });
  expect([...new Set(carried)]).toEqual(authority.tokens.map((token) => `Bearer ${token}`));
  expect(authority.tokens).toHaveLength(2);
  expect(stage.log.join('\n')).not.toContain('issued-');
});
