import { describe, expect, it, vi } from 'vitest';
import { buttonsOf } from '../dialogs/cards.ts';
import { inThread, linesOf, only } from '../replies.ts';
import { type Bot, FAST, startBot } from '../start-bot.ts';

const KNOWN = 'AA:BB:CC:DD:EE:FF';
const VERY_SLOW = '00:1B:54:00:00:07';
const CHANNEL = '19:noc@thread.tacv2;messageid=7';
const BOT = { id: 'bot', name: 'NAC lookup' };
const ASKER = { id: 'user-1', name: 'Alex', aadObjectId: '00000000-0000-0000-0000-000000000001' };

const inChannel = inThread(CHANNEL, false);
const targeted = { ...inChannel, recipient: { ...BOT, isTargeted: true } };

const seenByAll = ({ replies }: Bot) =>
  replies.filter(({ conversationId, isTargeted }) => conversationId === CHANNEL && !isTargeted);

describe('a targeted question in a channel', () => {
  it('is answered to its asker alone; the room has the tokens', async () => {
    const bot = await startBot();
    const { replies } = await bot.say(`lookup ${KNOWN}`, { ...targeted, id: 'question-1' });
    const answer = only(replies);
    expect(answer).toMatchObject({ method: 'POST', isTargeted: true, replyToId: 'question-1' });
    expect(answer.activity).toMatchObject({ from: BOT, recipient: ASKER });
    expect(answer.activity.entities).toEqual([{ type: 'targetedMessageInfo', messageId: 'question-1' }]);
    expect(linesOf(answer).slice(-2)).toEqual([
      'The tokens were posted to the room.',
      'Only you see this answer; everyone in the room sees the tokens.',
    ]);
    expect(bot.posts()).toHaveLength(1);
  });

  it.each(['help', 'lookup 00:1B:54:00:00', 'status'])('is answered so to "%s"', async (text) => {
    const { replies } = await (await startBot()).say(text, targeted);
    expect(replies).toMatchObject([{ isTargeted: true }]);
  });

  it('is not among the recent lookups of the channel, but of its asker', async () => {
    const bot = await startBot();
    await bot.say(`lookup ${KNOWN}`, targeted);
    expect((await bot.say('recent', inThread(CHANNEL))).texts[0]).toContain('No lookups here yet');
    expect((await bot.say('recent', targeted)).texts[0]).toContain(KNOWN);
  });

  it('stays private after the turn, and after a restart', async () => {
    const bot = await startBot({ ...FAST, pace: 0.5 }); // So the NAC answers after the restart.
    await bot.say(`lookup ${VERY_SLOW}`, { ...targeted, id: 'slow-1' });
    await vi.waitFor(() => expect(bot.replies).toHaveLength(4), 15_000);
    await bot.say(`lookup ${VERY_SLOW}`, { ...targeted, id: 'slow-2' });
    await bot.restart();
    await vi.waitFor(() => expect(bot.replies).toHaveLength(8), 40_000);
    const methods = ['POST', 'PUT', 'POST', 'PUT'];
    expect(bot.replies.map(({ method }) => method)).toEqual([...methods, ...methods]);
    for (const { activity, method, isTargeted } of bot.replies) {
      expect(isTargeted).toBe(true);
      expect('recipient' in activity).toBe(method === 'POST');
      expect(JSON.stringify(activity)).not.toContain('<at>');
    }
    expect(bot.typing).toEqual([]);
  });

  it('stays private after a press and an edit without the mark', async () => {
    const bot = await startBot();
    const question = { ...targeted, id: 'question-1' };
    const asked = only((await bot.say(`lookup ${KNOWN}`, question)).replies);
    for (const { title } of buttonsOf(asked))
      expect((await bot.press(title, inChannel)).replies).toMatchObject([{ isTargeted: true }]);
    const { replies } = await bot.edit('lookup 00:1B:54:00:00:01', { recipient: BOT });
    expect(replies).toMatchObject([{ id: asked.id, method: 'PUT', isTargeted: true }]);
    expect(seenByAll(bot)).toEqual([]);
  });
});

it('a place that is named in a targeted message takes alerts for everyone', async () => {
  const bot = await startBot(FAST);
  const named = await bot.say('alerts here as noc', targeted);
  expect(named.replies).toMatchObject([{ isTargeted: true }]);
  expect(named.texts[0]).toContain('Everyone here will see the answers to alerts.');
  expect((await bot.alert(`port down ${KNOWN}`, { thread: 'noc' })).status).toBe(202);
  await vi.waitFor(() => expect(seenByAll(bot)).toHaveLength(1), 10_000);
});
