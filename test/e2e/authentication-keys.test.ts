import { afterEach, describe, expect, it, vi } from 'vitest';
import { openSignedStage, type SignedStage } from '../stage.ts';

const LOOKUP = 'lookup AA:BB:CC:DD:EE:FF';
const A_FETCH = 2; // One for the metadata, one for the keys.
const ANSWERED = { status: 200, texts: [expect.stringContaining('connected.')] };
const UNAUTHORIZED = { status: 401, texts: [] };

let stage: SignedStage;
afterEach(() => stage.close());

const withUnknownKey = (id: number) => ({ header: { kid: `unknown-${id}` } });

describe('the keys of the channel', { timeout: 40_000 }, () => {
  it('are fetched once, and once more for unknown ids, a rotation or a new day', async () => {
    stage = await openSignedStage();
    for (let count = 0; count < 3; count++) expect(await stage.say(LOOKUP)).toMatchObject(ANSWERED);
    expect(stage.channel.requests).toHaveLength(A_FETCH);

    stage.skip(31_000);
    const unknown = Array.from({ length: 50 }, (_, id) => stage.say(LOOKUP, {}, withUnknownKey(id)));
    for (const answered of await Promise.all(unknown)) expect(answered).toMatchObject(UNAUTHORIZED);
    for (let id = 0; id < 20; id++)
      expect(await stage.say(LOOKUP, {}, withUnknownKey(id))).toMatchObject(UNAUTHORIZED);
    expect(stage.channel.requests).toHaveLength(2 * A_FETCH);

    const { kid, privateKey } = stage.channel.key;
    stage.channel.rotate();
    stage.skip(31_000);
    expect(await stage.say(LOOKUP)).toMatchObject(ANSWERED);
    expect(await stage.say(LOOKUP, {}, { header: { kid }, key: privateKey })).toMatchObject(UNAUTHORIZED);
    expect(stage.channel.requests).toHaveLength(3 * A_FETCH);

    stage.channel.mode = 'gone';
    for (let hours = 0; hours < 25; hours++) stage.skip(3_600_000);
    expect(await stage.say(LOOKUP)).toMatchObject(ANSWERED);
    await vi.waitFor(() => expect(stage.channel.requests).toHaveLength(3 * A_FETCH + 1));
    await vi.waitFor(() => expect(stage.log.join('\n')).toContain('keys cannot be fetched anew'));
    expect(await stage.say(LOOKUP, {}, withUnknownKey(1))).toMatchObject(UNAUTHORIZED);
  });

  it('cannot be fetched: the channel gets 503, and its message is answered once they can be', async () => {
    stage = await openSignedStage();
    const before = stage.deeds();
    const json = { 'content-type': 'application/json', authorization: 'Bearer x.y.z' };
    for (const mode of [503, 'gone'] as const) {
      stage.channel.mode = mode;
      const { status, body, texts } = await stage.say(LOOKUP, { id: 'again' });
      expect([status, body, texts]).toEqual([503, { error: 'Service Unavailable' }, []]);
      expect((await stage.post('{', json)).status).toBe(401);
      expect((await stage.post({}, json)).status).toBe(401);
      expect((await stage.say(LOOKUP, { type: undefined })).status).toBe(503);
    }
    expect(stage.deeds()).toEqual(before);

    stage.channel.mode = 'up';
    const comeAgain = async () => expect(await stage.say(LOOKUP, { id: 'again' })).toMatchObject(ANSWERED);
    await vi.waitFor(comeAgain, { timeout: 15_000, interval: 200 });
    expect(stage.deeds()).toMatchObject({ nac: 1, posts: 1 });
    expect(stage.chat.replies).toHaveLength(1);
  });
});
