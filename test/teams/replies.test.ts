import { describe, expect, it } from 'vitest';
import { sessionXml } from '../../src/sandbox/session-xml.ts';
import { inThread, transcriptOf } from '../replies.ts';
import { type Bot, startBot } from '../start-bot.ts';
import { until } from '../test-clock.ts';

const DEVICE = '00:1B:54:00:00:07';
const QUESTION = { id: 'question-1' };
const CARD = { contentType: 'application/vnd.microsoft.card.adaptive', content: { type: 'AdaptiveCard' } };
const HELP = expect.stringContaining('I ask the network access control system (NAC) about devices.');
const SENT = {
  method: 'POST',
  conversationId: 'personal-chat',
  replyToId: 'question-1',
  activity: { type: 'message', attachments: [CARD], summary: HELP },
};
const TEXT = { channelId: 'sms' };
const LATER = { status: 429, retryAfter: '30' };
const SLOW = { timing: { progressMs: 50, turnMs: 200 } };

/** Waits until the chat service has refused as often as it should. */
const refusedAll = (bot: Bot) => until(() => expect(bot).toMatchObject({ chat: { refusals: [] } }));

/** So many tokens that their answer needs two messages. */
const TOKENS = Array.from({ length: 2000 }, (_, index) => `Token_number_${index}:`).join('');
const LONG = { [DEVICE]: sessionXml({ response: TOKENS }) };

describe('a reply', () => {
  it('is sent again while the channel refuses it for now, and there is time', async () => {
    const bot = await startBot();
    bot.refuse(429, 412);
    await bot.say('help', QUESTION);
    expect(bot.replies).toMatchObject([SENT]);
  });

  it('that can be neither sent nor stored is an error', async () => {
    const settings = { DATABASE_URL: 'postgres://bot@127.0.0.1:1/bot' };
    const bot = await startBot({ settings, waits: false });
    bot.refuse(400);
    expect((await bot.say('help')).status).toBe(502);
  });

  it.each([403, 404])('to a conversation that is gone (%i) is an error in its turn alone', async (status) => {
    const slow = Promise.withResolvers<undefined>();
    const bot = await startBot({ nac: { [DEVICE]: slow.promise }, ...SLOW });
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
    expect((await bot.say(DEVICE, TEXT)).texts).toHaveLength(1);
    await bot.clock.skip(10_000);
    const pieces = await bot.replied(2);
    expect(pieces.map((piece) => piece.includes('connected.'))).toEqual([false, true]);
    expect(pieces.every((piece) => piece.length <= 28_000)).toBe(true);
  });
});

describe('a stored reply', () => {
  it('is sent with its card, as late as the channel asks', async () => {
    const bot = await startBot();
    bot.refuse(LATER, { status: 429, retryAfter: '400' });
    expect(await bot.say('help', QUESTION)).toMatchObject({ status: 200, replies: [] });
    await bot.clock.skip(30_000);
    await refusedAll(bot);
    expect((await bot.say('status')).texts[0]).toContain('Answers: 1 waiting, 0 given up.');
    await bot.clock.skip(400_000);
    await bot.replied(2);
    expect(bot.replies[1]).toMatchObject(SENT);
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
    const forgotten = 'a queued reply has no conversation to go to any more';
    await until(() => expect(bot.logged(forgotten)).toHaveLength(1));
    expect((await bot.say('status')).texts[0]).not.toContain('Answers');
  });

  it('that is too large goes in pieces; the first mentions its asker', async () => {
    const slow = Promise.withResolvers<string>();
    const bot = await startBot({ nac: { [DEVICE]: slow.promise }, ...SLOW });
    await bot.say(DEVICE, { ...QUESTION, ...inThread('19:noc;messageid=1') });
    bot.refuse(405, 413, 413);
    slow.resolve(LONG[DEVICE] ?? '');
    await refusedAll(bot);
    await bot.clock.skip(10_000);
    const pieces = () => bot.replies.slice(1).map(({ activity }) => JSON.stringify(activity));
    await until(() => expect(pieces().length).toBeGreaterThan(1));
    await until(() => expect(pieces().join()).toContain('connected.'));
    const first = expect.stringContaining('connected.');
    expect(pieces().filter((piece) => piece.includes('<at>Alex</at>'))).toEqual([first]);
  });
});

it.each([
  ['in the turn', [403]],
  ['once stored, and its sentence', [400, 403, 500]],
])('a refused private reply becomes one sentence for everyone: %s', async (_, refusals) => {
  const bot = await startBot({ nac: LONG });
  bot.refuse(...refusals);
  const recipient = { id: 'bot', isTargeted: true };
  await bot.say(`lookup ${DEVICE}`, { ...QUESTION, ...inThread('19:noc', false), recipient, ...TEXT });
  if (refusals.length > 1) await bot.clock.skip(10_000);
  await refusedAll(bot);
  if (refusals.length > 1) await bot.clock.skip(10_000);
  await bot.replied(1);
  const text = 'I cannot answer one person alone in this conversation. Please ask me in a personal chat.';
  const open = { method: 'POST', replyToId: 'question-1', isTargeted: false, activity: { text } };
  expect(bot.replies).toMatchObject([open]);
  expect(bot.replies[0]?.activity).not.toHaveProperty('entities');
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
