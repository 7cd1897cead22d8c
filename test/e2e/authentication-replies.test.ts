import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { textOf } from '../../src/sandbox/chat.ts';
import { APP_PASSWORD, openSignedStage, type SignedStage } from '../stage.ts';

const LOOKUP = 'lookup AA:BB:CC:DD:EE:FF';
const CONNECTED = expect.stringContaining('connected.');

/** The distinct tokens of the replies after the first `count`. */
const carriedSince = ({ carried }: SignedStage, count: number) => [...new Set(carried.slice(count))];
const latest = ({ authority }: SignedStage) => `Bearer ${authority.tokens.at(-1)}`;

it('a token is fetched again when the channel refuses it, and the reply is sent again with the new token', async () => {
  const stage = await openSignedStage();
  onTestFinished(stage.close);
  for (let count = 0; count < 3; count++) await stage.say('help');
  expect(carriedSince(stage, 0)).toEqual([latest(stage)]);
  stage.chat.refusals.push({ status: 401 });
  expect(await stage.say(LOOKUP)).toMatchObject({ status: 200, texts: [CONNECTED] });
  expect(stage.authority.tokens).toHaveLength(2);
  expect(carriedSince(stage, 0)).toEqual(stage.authority.tokens.map((token) => `Bearer ${token}`));
  stage.skip(3_600_000);
  await stage.say('help');
  expect(stage.authority.tokens).toHaveLength(3);
  expect(stage.log.join('\n')).not.toContain('issued-');
});

/** All replies to a message so far. */
const answersTo = ({ chat }: SignedStage, id: string) =>
  chat.replies.filter(({ replyToId }) => replyToId === id).map(textOf);

describe.concurrent('while the authority issues no token', { timeout: 60_000 }, () => {
  it('because it refuses the secret, replies are kept, and delivered once when it issues tokens again', async (test) => {
    const stage = await openSignedStage({}, (authority) => {
      authority.clientSecret = 'another';
    });
    test.onTestFinished(stage.close);
    await stage.ready();
    const asked = [stage.say('help', { id: 'help-1' }), stage.say(LOOKUP, { id: 'lookup-1' })];
    for (const answered of await Promise.all(asked))
      expect(answered).toMatchObject({ status: 200, texts: [] });
    expect(stage.carried).toEqual([]);
    expect(stage.authority.refusals).toContain('AADSTS7000215');
    expect(stage.log.join('\n')).not.toContain(APP_PASSWORD);

    stage.authority.mode = 'gone';
    await expect(vi.waitFor(() => expect(stage.carried).not.toEqual([]), 2000)).rejects.toThrow();
    Object.assign(stage.authority, { mode: 'up', clientSecret: APP_PASSWORD });
    await vi.waitFor(() => expect(stage.chat.replies).toHaveLength(2), 30_000);
    expect(answersTo(stage, 'help-1')).toEqual([expect.stringContaining('Commands')]);
    expect(answersTo(stage, 'lookup-1')).toEqual([CONNECTED]);
    expect(carriedSince(stage, 0)).toEqual([latest(stage)]);
    expect(stage.deeds()).toMatchObject({ nac: 1, posts: 1 });
  });

  it('because it never answers: without a database the channel gets an error in time, and an answer on its retry', async (test) => {
    const stage = await openSignedStage({ DATABASE_URL: 'postgres://bot@127.0.0.1:1/bot' }, (authority) => {
      authority.mode = 'silent';
    });
    test.onTestFinished(stage.close);
    const { status, texts, ms } = await stage.say('help', { id: 'help-2' });
    expect([status, texts]).toEqual([502, []]);
    expect(ms).toBeLessThan(15_000);
    stage.authority.mode = 'up';
    expect(await stage.say('help', { id: 'help-2' })).toMatchObject({
      status: 200,
      texts: [expect.stringContaining('Commands')],
    });
    expect(answersTo(stage, 'help-2')).toHaveLength(1);
  });
});
