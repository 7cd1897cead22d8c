import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { openSignedStage, type SignedStage } from '../stage.ts';
import { badHeaders, strangeIssuers } from '../teams/authentication/bad-tokens.ts';
import type { TokenChanges } from '../teams/authentication/identity.ts';

const LOOKUP = 'lookup AA:BB:CC:DD:EE:FF';
const JSON_TYPE = { 'content-type': 'application/json' };
const EVIL = 'https://canary.example/';
const TOO_LARGE = 'canary'.repeat(50_000);
const UNAUTHORIZED = { status: 401, body: { error: 'Unauthorized' }, texts: [] };

let stage: SignedStage;
beforeAll(async () => {
  // This setting has no effect on a bot with an identity.
  stage = await openSignedStage({ ALLOW_UNAUTHENTICATED: '1' });
});
afterAll(() => stage.close());

const bearer = (token: TokenChanges = {}) => `Bearer ${stage.channel.issue(token)}`;
const signed = (token: TokenChanges = {}) => ({ ...JSON_TYPE, authorization: bearer(token) });

/** Expects no call, post or reply, and an answer to the next valid message. */
async function expectNoDeed(before: ReturnType<SignedStage['deeds']>): Promise<void> {
  expect(stage.deeds()).toEqual(before);
  expect(await stage.say('help')).toMatchObject({ status: 200, texts: [expect.stringContaining('lookup')] });
}

describe('a message with a valid token', () => {
  it('is answered, and the answer carries the token that the authority issued', async () => {
    const { status, texts } = await stage.say(LOOKUP);
    expect([status, texts]).toEqual([200, [expect.stringContaining('connected.')]]);
    expect(new Set(stage.carried)).toEqual(new Set([`Bearer ${stage.authority.tokens[0]}`]));
    expect(stage.deeds()).toMatchObject({ nac: 1, posts: 1 });
    expect(stage.channel.requests).toHaveLength(2);
  });
});

describe('a message without a valid token', () => {
  it('gets a 401 without the reason, which only the log says, and has no effect', async () => {
    const [before, lines] = [stage.deeds(), stage.log.length];
    const headers = { ...badHeaders(stage.channel), ...strangeIssuers(stage.channel) };
    for (const [fault, authorization] of Object.entries(headers)) {
      const sent = authorization === undefined ? JSON_TYPE : { ...JSON_TYPE, authorization };
      expect(await stage.post(stage.activity(LOOKUP), sent), fault).toMatchObject(UNAUTHORIZED);
    }
    await vi.waitFor(() => {
      const said = stage.log.slice(lines).join('\n');
      expect(said.match(/"status":401,"reason":"[\w :;,?]+"/g)).toHaveLength(Object.keys(headers).length);
    }, 5000);
    await expectNoDeed(before);
    const [, claims = ''] = stage.channel.issue({}).split('.');
    expect(stage.log.join('\n')).not.toContain(claims.slice(0, 40));
  });

  it('is refused even with a second header, or with a token in another place', async () => {
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
});

describe('several faults: the first in this order decides the status', () => {
  const evil = (changes = {}) => stage.activity(LOOKUP, { serviceUrl: EVIL, ...changes });
  const signedForEvil = () => signed({ claims: { serviceurl: EVIL } });
  const unsigned = () => ({ ...JSON_TYPE, authorization: 'Bearer x.y.z' });

  it.each<[string, number, () => unknown, () => Record<string, string>]>([
    ['too large, no JSON, with a valid token', 413, () => TOO_LARGE, signed],
    ['no JSON, without a token', 401, () => '{', () => JSON_TYPE],
    ['no JSON, with a token for another address', 400, () => `${JSON.stringify(evil())}}`, signed],
    ['a bad token, without a field', 401, () => ({}), unsigned],
    ['a token for another address, without a field', 401, () => evil({ type: undefined }), signed],
    ['a bad token, an evil address', 401, evil, unsigned],
    ['a token for another address, an evil address', 401, evil, signed],
    ['a token for the evil address, without a field', 400, () => evil({ type: undefined }), signedForEvil],
    ['a valid token, no object', 400, () => '[]', signed],
    ['a token for the evil address', 403, evil, signedForEvil],
  ])('%s: %i', async (_, status, body, headers) => {
    const before = stage.deeds();
    const answered = await stage.post(body(), headers());
    expect(answered.status).toBe(status);
    expect(answered.text).not.toContain('canary');
    expect(answered.body).toEqual({ error: expect.stringMatching(/^[A-Z][A-Za-z ]+$/) });
    expect(stage.deeds()).toEqual(before);
  });
});

describe('a channel or a service address', () => {
  it('is not read from the prototype, nor from the second of two fields after a check of the first', async () => {
    const before = stage.deeds();
    const text = JSON.stringify(stage.activity(LOOKUP));
    const { channelId, serviceUrl, ...rest } = stage.activity(LOOKUP);
    const behind = `{"__proto__":${JSON.stringify({ channelId, serviceUrl })},${JSON.stringify(rest).slice(1)}`;
    expect(await stage.post(behind, signed())).toMatchObject({ status: 400 });
    const twice = `${text.slice(0, -1)},"serviceUrl":${JSON.stringify(EVIL)}}`;
    expect(await stage.post(twice, signed())).toMatchObject(UNAUTHORIZED);
    expect(await stage.post(twice, signed({ claims: { serviceurl: EVIL } }))).toMatchObject({ status: 403 });
    await expectNoDeed(before);
  });
});

describe('while the keys of the channel cannot be fetched', { timeout: 40_000 }, () => {
  it('known keys serve for days, and the log says so', async () => {
    stage.channel.mode = 'gone';
    for (let hours = 0; hours < 25; hours++) stage.skip(3_600_000);
    expect(await stage.say('help')).toMatchObject({ status: 200 });
    await vi.waitFor(() => expect(stage.log.join('\n')).toContain('keys cannot be fetched anew'));
  });

  it('and none is known, the channel gets 503, and its message is answered once they can be', async () => {
    const fresh = await openSignedStage();
    onTestFinished(fresh.close);
    const before = fresh.deeds();
    fresh.channel.mode = 'gone';
    const { status, body, texts } = await fresh.say(LOOKUP, { id: 'again' });
    expect([status, body, texts]).toEqual([503, { error: 'Service Unavailable' }, []]);
    expect((await fresh.post('{', { ...JSON_TYPE, authorization: 'Bearer x.y.z' })).status).toBe(401);
    expect(fresh.deeds()).toEqual(before);
    fresh.channel.mode = 'up';
    const comeAgain = async () =>
      expect(await fresh.say(LOOKUP, { id: 'again' })).toMatchObject({ status: 200 });
    await vi.waitFor(comeAgain, { timeout: 15_000, interval: 200 });
    expect(fresh.deeds()).toMatchObject({ nac: 1, posts: 1 });
    expect(fresh.chat.replies).toHaveLength(1);
  });
});
