import { describe, expect, it } from 'vitest';
import { startSignedBot } from '../start-signed.ts';
import type { TokenChanges } from '../teams/authentication/identity.ts';
import { until } from '../test-clock.ts';

const LOOKUP = 'lookup AA:BB:CC:DD:EE:FF';
const CONNECTED = expect.stringContaining('connected.');
const JSON_TYPE = { 'content-type': 'application/json' };
const EVIL = 'https://canary.example/';
const UNAUTHORIZED = { status: 401, body: { error: 'Unauthorized' }, texts: [] };

describe('a bot with an identity', async () => {
  // This setting has no effect on a bot with an identity.
  const bot = await startSignedBot({ settings: { ALLOW_UNAUTHENTICATED: '1' } });
  const signed = (token: TokenChanges = {}) => {
    return { ...JSON_TYPE, authorization: `Bearer ${bot.channel.issue(token)}` };
  };
  const forEvil = { claims: { serviceurl: EVIL } };
  const evil = (changes = {}) => bot.activity(LOOKUP, { serviceUrl: EVIL, ...changes });

  it('answers a valid token, with the token that the authority issued', async () => {
    expect(await bot.say(LOOKUP)).toMatchObject({ status: 200, texts: [CONNECTED] });
    expect(new Set(bot.carried)).toEqual(new Set([`Bearer ${bot.authority.tokens[0]}`]));
    expect(bot.actions()).toMatchObject({ nac: 1, posts: 1 });
    expect(bot.channel.requests).toHaveLength(2);
  });

  it.each<[string, number, () => unknown, TokenChanges]>([
    ['a token of nobody', 401, () => bot.activity(LOOKUP), { claims: { iss: 'x' } }],
    ['an old token', 401, () => bot.activity(LOOKUP), { claims: { exp: 1 } }],
    ['too large, no JSON, a valid token', 413, () => 'canary'.repeat(50_000), {}],
    ['no JSON, a token for another address', 400, () => `${JSON.stringify(evil())}}`, {}],
    ['a token for another address, without a field', 401, () => evil({ type: undefined }), {}],
    ['a token for another address, an evil address', 401, evil, {}],
    ['a token for the evil address, without a field', 400, () => evil({ type: undefined }), forEvil],
    ['a token for the evil address', 403, evil, forEvil],
  ])('lets the first of several faults decide: %s: %i', async (_, status, body, token) => {
    const before = bot.actions();
    const answered = await bot.post(body(), signed(token));
    expect(answered.status).toBe(status);
    expect(answered.text).not.toContain('canary');
    expect(answered.body).toEqual({ error: expect.stringMatching(/^[A-Z][A-Za-z ]+$/) });
    expect(bot.actions()).toEqual(before);
    const [, claims = ''] = bot.channel.issue({}).split('.');
    expect(bot.log.join()).not.toContain(claims.slice(0, 40));
  });

  it('reads no address from the prototype, nor from a second field', async () => {
    const before = bot.actions();
    const text = JSON.stringify(bot.activity(LOOKUP));
    const { channelId, serviceUrl, ...rest } = bot.activity(LOOKUP);
    const behind = `{"__proto__":${JSON.stringify({ channelId, serviceUrl })},${JSON.stringify(rest).slice(1)}`;
    expect(await bot.post(behind, signed())).toMatchObject({ status: 400 });
    const twice = `${text.slice(0, -1)},"serviceUrl":${JSON.stringify(EVIL)}}`;
    expect(await bot.post(twice, signed())).toMatchObject(UNAUTHORIZED);
    expect(await bot.post(twice, signed(forEvil))).toMatchObject({ status: 403 });
    expect(bot.actions()).toEqual(before);
  });
});

it('without a known key the channel gets 503 until one is known', async () => {
  const bot = await startSignedBot();
  const before = bot.actions();
  bot.channel.mode = 'gone';
  bot.clock.skip(6 * 24 * 3_600_000); // The keys of the start serve for five days.
  const refused = { status: 503, body: { error: 'Service Unavailable' }, texts: [] };
  expect(await bot.say(LOOKUP, { id: 'again' })).toMatchObject(refused);
  expect((await bot.post('{', { ...JSON_TYPE, authorization: 'Bearer x.y.z' })).status).toBe(401);
  expect(bot.actions()).toEqual(before);
  bot.channel.mode = 'up';
  await until(async () => expect(await bot.say(LOOKUP, { id: 'again' })).toMatchObject({ status: 200 }));
  expect(bot.actions()).toMatchObject({ nac: 1, posts: 1 });
  expect(bot.replies).toHaveLength(1);
});

it('a refused token is fetched again, and the reply sent again', async () => {
  const bot = await startSignedBot();
  bot.refuse(401);
  expect(await bot.say(LOOKUP)).toMatchObject({ status: 200, texts: [CONNECTED] });
  expect([...new Set(bot.carried)]).toEqual(bot.authority.tokens.map((token) => `Bearer ${token}`));
  expect(bot.authority.tokens).toHaveLength(2);
  expect(bot.log.join()).not.toContain('issued-');
});
