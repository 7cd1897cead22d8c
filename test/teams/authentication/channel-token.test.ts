import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Claimed } from '../../../src/server/activity-request.ts';
import { badHeaders, strangeIssuers } from './bad-tokens.ts';
import { type ChannelIdentity, openChannelIdentity, type TokenChanges } from './identity.ts';
import { openJudge } from './judge.ts';

const APP_ID = 'app';
const SERVICE_URL = 'https://smba.trafficmanager.net/emea/';
const CLAIMED = { channelId: 'msteams', serviceUrl: SERVICE_URL };
const NOT_TEXT = [undefined, null, '', ' \t', 5, true, [], ['msteams'], {}, { length: 1 }];

let channel: ChannelIdentity;
beforeAll(async () => {
  channel = await openChannelIdentity({ appId: APP_ID, serviceUrl: SERVICE_URL });
});
afterAll(() => channel.close());

/** The verdict on a header, by a check that has fetched no key yet. */
function judge(header: string | undefined, claimed: Claimed = CLAIMED, from = channel) {
  return openJudge(from.metadataUrl, APP_ID)(header, claimed);
}

const judgeToken = (changes: TokenChanges, claimed?: Claimed) =>
  judge(`Bearer ${channel.issue(changes)}`, claimed);

const seconds = (from: number) => Math.floor(Date.now() / 1000) + from;

describe('a token that is accepted', () => {
  it.each<[string, () => TokenChanges]>([
    ['a valid one', () => ({})],
    ['for the bot among others', () => ({ claims: { aud: ['another', APP_ID] } })],
    ['expired less than five minutes ago', () => ({ claims: { exp: seconds(-290) } })],
    ['valid in less than five minutes', () => ({ claims: { nbf: seconds(290) } })],
    ['without a beginning', () => ({ claims: { nbf: undefined } })],
    ['without type and thumbprint', () => ({ header: { typ: undefined, x5t: undefined } })],
  ])('%s', async (_, changes) => {
    expect(await judgeToken(changes())).toEqual({ kind: 'accepted' });
  });

  it.each(['bearer', 'BEARER', 'Bearer '])('after the scheme %j', async (scheme) => {
    expect(await judge(`${scheme} ${channel.issue({})}`)).toEqual({ kind: 'accepted' });
  });
});

describe('a token that is refused', () => {
  it('for each fault, with a reason that holds no part of the token', async () => {
    for (const [fault, header] of Object.entries({ ...badHeaders(channel), ...strangeIssuers(channel) })) {
      const verdict = await judge(header).catch((error: Error) => error);
      expect(verdict, fault).toEqual({ kind: 'refused', reason: expect.stringMatching(/^[\w :;,?]+$/) });
      expect(verdict, fault).toMatchObject({
        reason: expect.not.stringMatching(/another-bot|canary|unknown-/),
      });
    }
  });

  it.each<[string, () => object]>([
    [
      'exp: over for 310 s, and 300 s are tolerated; is the clock of this machine right?',
      () => ({ exp: seconds(-310) }),
    ],
    [
      'nbf: valid only in 900 s, and 300 s are tolerated; is the clock of this machine right?',
      () => ({ nbf: seconds(900) }),
    ],
    ['aud: meant for another bot than MicrosoftAppId', () => ({ aud: 'another' })],
    ['exp: missing', () => ({ exp: undefined })],
    [
      'serviceurl: another than the service address of the message',
      () => ({ serviceurl: 'https://smba.trafficmanager.net/' }),
    ],
  ])('with the claim that failed, and by how much: %s', async (reason, claims) => {
    const words = expect.stringMatching(
      new RegExp(`^${reason.replace('?', '\\?').replace(/\d{3}(?= s,)/, '\\d{3}')}$`),
    );
    expect(await judgeToken({ claims: claims() })).toEqual({ kind: 'refused', reason: words });
  });

  it('for a strange issuer, without fetching a key', async () => {
    const before = channel.requests.length;
    for (const [issuer, header] of Object.entries(strangeIssuers(channel)))
      expect(await judge(header), issuer).toEqual({ kind: 'refused', reason: 'iss: not the Bot Framework' });
    expect(channel.requests).toHaveLength(before);
  });

  it('for a service address that is not exactly its own', async () => {
    for (const serviceUrl of [
      SERVICE_URL.slice(0, -1),
      `${SERVICE_URL}/`,
      ` ${SERVICE_URL}`,
      SERVICE_URL.toUpperCase(),
      SERVICE_URL.replace('https', 'http'),
      `${SERVICE_URL}?`,
      'https://smba.trafficmanager.net:443/emea/',
    ])
      expect(await judgeToken({}, { ...CLAIMED, serviceUrl }), serviceUrl).toMatchObject({ kind: 'refused' });
  });

  it('with a service address that is no text, whatever the activity says', async () => {
    for (const serviceurl of [[SERVICE_URL], { href: SERVICE_URL }, null, 5])
      expect(await judgeToken({ claims: { serviceurl } })).toMatchObject({ kind: 'refused' });
  });
});

describe('the channel that a key may speak for', () => {
  it.each(['slack', 'MSTEAMS', 'msteams2', 'msteam', 'msteams,webchat', '__proto__', 'length', '0'])(
    'is not %j',
    async (channelId) => {
      expect(await judgeToken({}, { ...CLAIMED, channelId })).toEqual({
        kind: 'refused',
        reason: 'channel not endorsed',
      });
    },
  );

  it.each([
    ['any, where the key does not say', undefined, 'accepted'],
    ['none, where the key names none', [], 'refused'],
  ] as const)('is %s', async (_, endorsements, kind) => {
    const other = await openChannelIdentity({ appId: APP_ID, serviceUrl: SERVICE_URL, endorsements });
    expect(await judge(`Bearer ${other.issue({})}`, CLAIMED, other)).toMatchObject({ kind });
    await other.close();
  });

  it("is compared without the blanks around the activity's channel", async () => {
    expect(await judgeToken({}, { ...CLAIMED, channelId: ' msteams\n' })).toEqual({ kind: 'accepted' });
    expect(await judgeToken({}, { ...CLAIMED, channelId: ' slack\n' })).toMatchObject({ kind: 'refused' });
  });
});

describe('an activity without a channel or a service address', () => {
  it('does not make a bad token good', async () => {
    for (const value of NOT_TEXT) {
      for (const claimed of [
        { ...CLAIMED, channelId: value },
        { ...CLAIMED, serviceUrl: value },
        { channelId: value, serviceUrl: value },
      ]) {
        expect(await judgeToken({ header: { kid: 'unknown' } }, claimed)).toMatchObject({ kind: 'refused' });
        expect(await judgeToken({ claims: { exp: 1 } }, claimed)).toMatchObject({ kind: 'refused' });
        expect(await judgeToken({ claims: { aud: 'another' } }, claimed)).toMatchObject({ kind: 'refused' });
      }
    }
  });
});
