import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { openSignedStage, type SignedStage } from '../stage.ts';
import type { TokenChanges } from '../teams/authentication/identity.ts';

const LOOKUP = 'lookup AA:BB:CC:DD:EE:FF';
const CONNECTED = expect.stringContaining('connected.');
const JSON_TYPE = { 'content-type': 'application/json' };
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
  async function expectNoDeed(before: ReturnType<SignedStage['deeds']>): Promise<void> {
    expect(stage.deeds()).toEqual(before);
    expect(await stage.say('help')).toMatchObject({
      status: 200,
      texts: [expect.stringContaining('Commands')],
    });
  }

  it('answers a valid token, and the answer carries the token that the authority issued', async () => {
    expect(await stage.say(LOOKUP)).toMatchObject({ status: 200, texts: [CONNECTED] });
    expect(new Set(stage.carried)).toEqual(new Set([`Bearer ${stage.authority.tokens[0]}`]));
    expect(stage.deeds()).toMatchObject({ nac: 1, posts: 1 });
    expect(stage.channel.requests).toHaveLength(2);
  });

  it('answers any other with a 401 without the reason, which only the log says, and does nothing', async () => {
    const [before, lines] = [stage.deeds(), stage.log.length];
    const tokens = [{ header: { alg: 'none' } }, { claims: { iss: 'x' } }, { claims: { exp: 1 } }];
    const headers = [JSON_TYPE, { ...JSON_TYPE, authorization: 'Bearer x.y.z' }, ...tokens.map(signed)];
    for (const sent of headers)
      expect(await stage.post(stage.activity(LOOKUP), sent)).toMatchObject(UNAUTHORIZED);
    await vi.waitFor(() => {
      const said = stage.log.slice(lines).join('\n');
      expect(said.match(/"status":401,"reason":"[\w :;,?]+"/g)).toHaveLength(headers.length);
    }, 5000);
    await expectNoDeed(before);
    const [, claims = ''] = stage.channel.issue({}).split('.');
    expect(stage.log.join('\n')).not.toContain(claims.slice(0, 40));
  });

  it('takes no token from a second header, or from another place', async () => {
    const before = stage.deeds();
    for (const headers of [
      ...['Bearer x.y.z', ''].map((first) => ['authorization', first, 'authorization', bearer()]),
      ...['proxy-authorization', 'x-forwarded-authorization'].map((name) => [name, bearer()]),
      ['cookie', `authorization=${bearer()}`],
    ]) {
      const all = ['content-type', 'application/json', 'host', 'x', ...headers];
      expect(await stage.post(stage.activity(LOOKUP), all), headers[0]).toMatchObject(UNAUTHORIZED);
    }
    await expectNoDeed(before);
  });

  it.each<[string, number, () => unknown, TokenChanges]>([
    ['too large, no JSON, a valid token', 413, () => 'canary'.repeat(50_000), {}],
    ['no JSON, a token for another address', 400, () => `${JSON.stringify(evil())}}`, {}],
    ['a token for another address, without a field', 401, () => evil({ type: undefined }), {}],
    ['a token for another address, an evil address', 401, evil, {}],
    ['a token for the evil address, without a field', 400, () => evil({ type: undefined }), forEvil],
    ['a token for the evil address', 403, evil, forEvil],
  ])('lets the first of several faults decide: %s: %i', async (_, status, body, token) => {
    const before = stage.deeds();
    const answered = await stage.post(body(), signed(token));
    expect(answered.status).toBe(status);
    expect(answered.text).not.toContain('canary');
    expect(answered.body).toEqual({ error: expect.stringMatching(/^[A-Z][A-Za-z ]+$/) });
    expect(stage.deeds()).toEqual(before);
  });

  it('reads no address from the prototype, nor from the second of two fields after a check of the first', async () => {
    const before = stage.deeds();
    const text = JSON.stringify(stage.activity(LOOKUP));
    const { channelId, serviceUrl, ...rest } = stage.activity(LOOKUP);
    const behind = `{"__proto__":${JSON.stringify({ channelId, serviceUrl })},${JSON.stringify(rest).slice(1)}`;
    expect(await stage.post(behind, signed())).toMatchObject({ status: 400 });
    const twice = `${text.slice(0, -1)},"serviceUrl":${JSON.stringify(EVIL)}}`;
    expect(await stage.post(twice, signed())).toMatchObject(UNAUTHORIZED);
    expect(await stage.post(twice, signed(forEvil))).toMatchObject({ status: 403 });
    await expectNoDeed(before);
  });

  it('goes on with known keys for days while they cannot be fetched, and the log says so', async () => {
    stage.channel.mode = 'gone';
    stage.skip(25 * 3_600_000);
    expect(await stage.say('help')).toMatchObject({ status: 200 });
    await vi.waitFor(() => expect(stage.log.join('\n')).toContain('keys cannot be fetched anew'));
  });
});

it('while no key is known, the channel gets 503, and its message is answered once one is', async () => {
  const stage = await open();
  const before = stage.deeds();
  stage.channel.mode = 'gone';
  const { status, body, texts } = await stage.say(LOOKUP, { id: 'again' });
  expect([status, body, texts]).toEqual([503, { error: 'Service Unavailable' }, []]);
  expect((await stage.post('{', { ...JSON_TYPE, authorization: 'Bearer x.y.z' })).status).toBe(401);
  expect(stage.deeds()).toEqual(before);
  stage.channel.mode = 'up';
  const comeAgain = async () =>
    expect(await stage.say(LOOKUP, { id: 'again' })).toMatchObject({ status: 200 });
  await vi.waitFor(comeAgain, { timeout: 15_000, interval: 200 });
  expect(stage.deeds()).toMatchObject({ nac: 1, posts: 1 });
  expect(stage.chat.replies).toHaveLength(1);
});

it('a person who may not use the bot gets one sentence with the id, and nothing else happens', async () => {
  const stage = await open({ ALLOWED_USERS: 'user-2', ALLOWED_TENANTS: 'sandbox-tenant' });
  const before = stage.deeds();
  const from = { id: 'new', name: 'New' };
  const sorry = 'Sorry, I may not answer you here. My administrator can change that; your id is `new`.';
  expect(await stage.say(LOOKUP, { from })).toMatchObject({ status: 200, texts: [sorry] });
  for (const again of [{}, { type: 'installationUpdate', action: 'add' }])
    expect(await stage.say('help', { from, ...again })).toMatchObject({ status: 200, texts: [] });
  expect(stage.deeds()).toMatchObject({ nac: before.nac, posts: before.posts });
  expect(await stage.say(LOOKUP, { from: { id: 'user-2' } })).toMatchObject({ texts: [CONNECTED] });
});

it('a token that the channel refuses is fetched again, and the reply is sent again with the new one', async () => {
  const stage = await open();
  const { authority, carried } = stage;
  stage.refuse({ status: 401 });
  expect(await stage.say(LOOKUP)).toMatchObject({ status: 200, texts: [CONNECTED] });
  expect([...new Set(carried)]).toEqual(authority.tokens.map((token) => `Bearer ${token}`));
  expect(authority.tokens).toHaveLength(2);
  expect(stage.log.join('\n')).not.toContain('issued-');
});
