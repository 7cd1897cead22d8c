import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openReadyStage, type Stage } from '../stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openReadyStage({ NAC_TIMEOUT_MS: '1500' });
});
afterAll(() => stage.close());

/** A chat service without cards, so each answer is text. */
const TEXT = { channelId: 'sms' };

describe('a lookup', () => {
  it('answers with the session and its tokens, and posts them to the room once', async () => {
    const before = stage.sandbox.room.posts().length;
    const { status, texts } = await stage.say('lookup AA:BB:CC:DD:EE:FF', TEXT);
    expect(status).toBe(200);
    expect(texts).toEqual([
      expect.stringMatching(
        /^`AA:BB:CC:DD:EE:FF`: connected\. {2}\nUser: `alex` {2}\n[\s\S]*\n`Corp_Wired_Access` {2}\n`Basic_Authenticated_Access`\n\nThe tokens were posted to the room\.$/,
      ),
    ]);
    expect(posts(before)).toEqual(['AA:BB:CC:DD:EE:FF\nCorp_Wired_Access\nBasic_Authenticated_Access']);
  });

  it.each([
    ['lookup 00:1B:54:00:99:99', /: no session\. [\s\S]*The NAC lists no attempt in the last 24 hours\./],
    ['00:1B:54:00:04:03', /: not allowed\. [\s\S]*Report number \d{6}\.$/],
    ['00:1B:54:00:05:00', /: the NAC reported a fault \(HTTP status 500\)\./],
    [
      '00:1B:54:00:05:03',
      /: the NAC reported a fault \(HTTP status 503\)\.[\s\S]*I keep trying for 10 minutes/,
    ],
    ['00:1B:54:00:0B:01', /: the NAC's answer was not usable: a login page came/],
    ['00:1B:54:00:0B:02', /: the NAC's answer was not usable: it was cut off/],
    ['00:1B:54:00:0B:03', /: the NAC's answer was not usable: it began but did not end/],
    ['00:1B:54:00:0B:04', /: the NAC's answer was not usable: too large/],
    ['00:1B:54:00:0B:05', /: the NAC's answer was not usable: too large/],
    [
      '00:1B:54:00:0B:06',
      /: time-out\. The NAC did not answer within 1\.5 s\.[\s\S]*I keep trying for 10 minutes/,
    ],
    ['00:1B:54:00:0B:07', /: the NAC's answer was not usable: it holds no session/],
    ['ff-ff-ff-ff-ff-ff', /: the broadcast address\./],
  ])('of %s is answered only in the chat', async (text, answer) => {
    const before = stage.sandbox.room.posts().length;
    const { status, texts } = await stage.say(text, TEXT);
    expect(status).toBe(200);
    expect(texts).toEqual([expect.stringMatching(answer)]);
    expect(posts(before)).toEqual([]);
  });

  it('of several devices causes one answer and one post', async () => {
    const before = stage.sandbox.room.posts().length;
    const { texts } = await stage.say('see 00-1b-54-00-00-02,\n00:1B:54:00:99:99 and 001b.5400.0003.', TEXT);
    expect(texts).toHaveLength(1);
    expect(texts[0]?.split('\n\n').map((part) => part.slice(0, 32))).toEqual([
      '3 devices: 1 connected, 1 reject',
      expect.stringContaining('`00:1B:54:00:00:03`: rejected.'),
      expect.stringContaining('`00:1B:54:00:99:99`: no session'),
      'The other device is well.',
      expect.stringContaining('`00:1B:54:00:00:02`: connected.'),
      'The tokens were posted to the ro',
    ]);
    expect(posts(before)).toEqual([
      '00:1B:54:00:00:02\nGuest_Internet_Only\nGuest_Access\n\n00:1B:54:00:00:03\nBlacklist_Access-Reject',
    ]);
  });

  it("shows a device's values as text, never as markup", async () => {
    const { texts } = await stage.say('lookup 00:1B:54:00:00:06', TEXT);
    expect(texts[0]).toContain('User: `ˋ**bold** [link](https://example.com) <at>everyone</at> ![:Team](1)`');
  });
});

describe('where a reply goes', () => {
  it('answers in the channel thread of the question', async () => {
    const { replies } = await stage.say('<at>NAC lookup</at>&nbsp;lookup AA:BB:CC:DD:EE:FF', {
      ...TEXT,
      id: 'question-7',
      conversation: { id: '19:team@thread.tacv2;messageid=42', conversationType: 'channel', isGroup: true },
      entities: [
        { type: 'mention', text: '<at>NAC lookup</at>', mentioned: { id: 'bot', name: 'NAC lookup' } },
      ],
    });
    expect(replies).toMatchObject([
      {
        method: 'POST',
        conversationId: '19:team@thread.tacv2;messageid=42',
        replyToId: 'question-7',
        activity: { type: 'message', replyToId: 'question-7', textFormat: 'markdown', from: { id: 'bot' } },
      },
    ]);
  });

  it.each([
    [
      'without entities of mentions',
      {
        text: '@NAC lookup AA:BB:CC:DD:EE:FF',
        entities: [{ type: 'mention', text: '@NAC', mentioned: { id: 'bot' } }],
      },
    ],
    [
      'with broken entities',
      { entities: [null, 5, { type: 'mention' }, { type: 'mention', mentioned: null }] },
    ],
    ['without sender and recipient', { from: undefined, recipient: undefined }],
    ['with fields of another shape', { from: 5, recipient: [], locale: {}, entities: 'x', timestamp: 7 }],
  ])('answers a message %s', async (_, changes) => {
    const from = { id: 'patti' };
    const { status, texts } = await stage.say('lookup AA:BB:CC:DD:EE:FF', { ...TEXT, from, ...changes });
    expect(status).toBe(200);
    expect(texts[0]).toContain('`AA:BB:CC:DD:EE:FF`: connected.');
  });

  it.each(['conversationUpdate', 'typing', 'messageReaction', 'event'])(
    'says nothing to a %s',
    async (type) => {
      expect(await stage.say('lookup AA:BB:CC:DD:EE:FF', { type })).toMatchObject({ status: 200, texts: [] });
    },
  );
});

function posts(from: number): string[] {
  return stage.sandbox.room
    .posts()
    .slice(from)
    .map(({ text }) => text);
}
