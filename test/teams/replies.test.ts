import { describe, expect, it } from 'vitest';
import { sessionXml } from '../../src/sandbox/session-xml.ts';
import { inThread, transcriptOf } from '../replies.ts';
import { startBot } from '../start-bot.ts';
import { until } from '../test-clock.ts';

const DEVICE = '00:1B:54:00:00:07';
const HELP = 'I ask the network access control system (NAC) about devices.';
const QUESTION = { id: 'question-1' };
const CARD = { contentType: 'application/vnd.microsoft.card.adaptive', content: { type: 'AdaptiveCard' } };
const SAID = {
  method: 'POST',
  conversationId: 'personal-chat',
  replyToId: 'question-1',
  activity: { type: 'message', attachments: [CARD], summary: expect.stringContaining(HELP) },
};
const TEXT = { channelId: 'sms' };
const LATER = { status: 429, retryAfter: '30' };
const ALL_TAKEN = { chat: { refusals: [] } };

/** So many tokens that their answer needs two messages. */
const TOKENS = Array.from({ length: 2000 }, (_, index) => `Token_number_${index}:`).join('');
const LONG = { [DEVICE]: sessionXml({ response: TOKENS }) };

describe('a reply', () => {
  it('is sent again while the channel refuses it for now, and there is time', async () => {
    const bot = await startBot();
    bot.refuse(429, 412);
    await bot.say('help', QUESTION);
    expect(bot.replies).toMatchObject([SAID]);
  });

  it('that the channel refuses is stored with its card, and sent later', async () => {
    const bot = await startBot();
    bot.refuse(LATER);
    expect(await bot.say('help', QUESTION)).toMatchObject({ status: 200, replies: [] });
    await bot.clock.skip(30_000);
    await bot.replied(1);
    expect(bot.replies).toMatchObject([SAID]);
  });

  it('that can be neither sent nor stored is an error', async () => {
    const settings = { DATABASE_URL: 'postgres://bot@127.0.0.1:1/bot' };
    const bot = await startBot({ settings, waits: false });
    bot.refuse(400);
    expect((await bot.say('help')).status).toBe(502);
  });

  it.each([403, 404])('to a conversation that is gone (%i) is an error in its turn alone', async (status) => {
    const slow = Promise.withResolvers<undefined>();
    const bot = await startBot({ nac: { [DEVICE]: slow.promise }, timing: { progressMs: 50, turnMs: 200 } });
    bot.refuse(status);
    expect((await bot.say('help')).status).toBe(502);
    await bot.say(DEVICE);
    bot.refuse(status, status);
    slow.resolve(undefined);
    await until(() => expect(bot.logged('a reply has no conversation to go to any more')).toHaveLength(1));
    expect(bot.replies).toHaveLength(2);
  });

  it('that is long goes in pieces, of which a refused one is stored', async () => {
    const bot = await startBot({ nac: LONG });
    bot.refuse(400);
    const { texts } = await bot.say(DEVICE, TEXT);
    expect(texts).toHaveLength(1);
    await bot.clock.skip(10_000);
    const pieces = await bot.replied(2);
    expect(pieces.map((piece) => piece.includes('connected.'))).toEqual([false, true]);
    expect(pieces.every((piece) => piece.length <= 28_000)).toBe(true);
  });
});

describe('a stored reply', () => {
  it('waits for at least as long as the channel asks', async () => {
    const bot = await startBot();
    bot.refuse(LATER, { status: 429, retryAfter: '400' });
    await bot.say('help', QUESTION);
    await bot.clock.skip(30_000);
    await until(() => expect(bot).toMatchObject(ALL_TAKEN));
    expect((await bot.say('status')).texts[0]).toContain('Answers: 1 waiting, 0 given up.');
    await bot.clock.skip(400_000);
    await bot.replied(2);
    expect(bot.replies[1]).toMatchObject(SAID);
  });

  it('is given up after a day, with a post to the room', async () => {
    const bot = await startBot();
    bot.refuse(LATER, 500);
    await bot.say('help');
    await bot.clock.skip(24 * 3_600_000);
    await until(() => expect(bot.posts()).toHaveLength(1));
    expect(bot.posts()[0]).toMatch(/^I could not deliver an answer to its asker, and gave it up: 500\./);
    expect((await bot.say('status')).texts[0]).toContain('Answers: 0 waiting, 1 given up.');
  });

  it('is forgotten when its conversation is gone', async () => {
    const bot = await startBot();
    bot.refuse(LATER, 404);
    await bot.say('help');
    await bot.clock.skip(30_000);
    await until(() =>
      expect(bot.logged('a queued reply has no conversation to go to any more')).toHaveLength(1),
    );
    expect((await bot.say('status')).texts[0]).not.toContain('Answers');
  });

  it('that is too large goes in pieces; the first mentions its asker', async () => {
    const slow = Promise.withResolvers<string>();
    const bot = await startBot({ nac: { [DEVICE]: slow.promise }, timing: { progressMs: 50, turnMs: 200 } });
    await bot.say(DEVICE, { ...QUESTION, ...inThread('19:noc;messageid=1') });
    bot.refuse(405, 413, 413);
    slow.resolve(LONG[DEVICE] ?? '');
    await until(() => expect(bot).toMatchObject(ALL_TAKEN));
    await bot.clock.skip(10_000);
    const pieces = () => bot.replies.slice(1).map(({ activity }) => JSON.stringify(activity));
    await until(() => {
      expect(pieces().join()).toContain('connected.');
      expect(pieces().length).toBeGreaterThan(1);
    });
    const first = expect.stringContaining('connected.');
    expect(pieces().filter((piece) => piece.includes('<at>Alex</at>'))).toEqual([first]);
  });
});

describe('a private reply that its conversation refuses', () => {
  const ASK_ALONE =
    'I cannot answer one person alone in this conversation. Please ask me in a personal chat.';
  const isPrivate = { ...QUESTION, ...inThread('19:noc', false), recipient: { id: 'bot', isTargeted: true } };
  const OPEN = { method: 'POST', replyToId: 'question-1', isTargeted: false, activity: { text: ASK_ALONE } };

  it('becomes one sentence for everyone, without the answer', async () => {
    const bot = await startBot({ nac: LONG });
    bot.refuse(403);
    await bot.say(`lookup ${DEVICE}`, { ...isPrivate, ...TEXT });
    expect(bot.replies).toMatchObject([OPEN]);
    expect(bot.replies[0]?.activity).not.toHaveProperty('entities');
  });

  it('does so when it was stored, and the sentence is stored, too', async () => {
    const bot = await startBot();
    bot.refuse(400, 403, 500);
    await bot.say('help', isPrivate);
    await bot.clock.skip(10_000);
    await until(() => expect(bot).toMatchObject(ALL_TAKEN));
    await bot.clock.skip(10_000);
    await bot.replied(1);
    expect(bot.replies).toMatchObject([OPEN]);
  });
});

describe('a replacement', () => {
  it('with a text takes the card away', async () => {
    const bot = await startBot();
    await bot.say('connect');
    await bot.press('Connect', { typed: { username: 'alex', password: 'alex' } });
    const text = expect.stringMatching(/^Sent\./);
    expect(bot.replies[1]).toMatchObject({ method: 'PUT', activity: { text, attachments: [] } });
  });

  it('that is long puts its first piece there and sends the others', async () => {
    const bot = await startBot({ nac: LONG });
    await bot.say('00:1B:54:00:00:01', TEXT);
    const { replies } = await bot.edit(DEVICE);
    expect(transcriptOf(replies)).toEqual([
      expect.stringMatching(/^PUT `00:1B:54:00:00:07`: connected/),
      expect.stringMatching(/^POST /),
    ]);
  });
});
