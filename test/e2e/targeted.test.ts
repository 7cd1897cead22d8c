import { expect, it } from 'vitest';
import { buttonsOf } from '../dialogs/cards.ts';
import { inThread, linesOf, only } from '../replies.ts';
import { type Bot, FAST, startBot } from '../start-bot.ts';
import { until } from '../test-clock.ts';

const KNOWN = 'AA:BB:CC:DD:EE:FF';
const VERY_SLOW = '00:1B:54:00:00:07';
const CHANNEL = '19:noc@thread.tacv2;messageid=7';
const BOT = { id: 'bot', name: 'NAC lookup' };
const inChannel = inThread(CHANNEL, false);
const targeted = { ...inChannel, recipient: { ...BOT, isTargeted: true } };
const seenByAll = ({ replies }: Bot) => replies.filter(({ isTargeted }) => !isTargeted);

it('a targeted question is answered to its asker alone, and posted', async () => {
  const bot = await startBot();
  const answer = only((await bot.say(`lookup ${KNOWN}`, { ...targeted, id: 'question-1' })).replies);
  expect(answer).toMatchObject({ method: 'POST', isTargeted: true, replyToId: 'question-1' });
  const recipient = { id: 'user-1', name: 'Alex', aadObjectId: '00000000-0000-0000-0000-000000000001' };
  const entities = [{ type: 'targetedMessageInfo', messageId: 'question-1' }];
  expect(answer.activity).toMatchObject({ from: BOT, recipient, entities });
  expect(linesOf(answer).slice(-2)).toEqual([
    'The tokens were posted to the room.',
    'Only you see this answer; everyone in the room sees the tokens.',
  ]);
  expect(bot.posts()).toHaveLength(1);
  expect(bot.logged('audit')).toMatchObject([{ private: true, conversation: '19:noc@thread.tacv2' }]);
  expect(await bot.ask('recent', inThread(CHANNEL))).toContain('No lookups here yet');
  expect(await bot.ask('recent', targeted)).toContain(KNOWN);
  for (const text of ['help', 'lookup 00:1B:54:00:00', 'status'])
    expect((await bot.say(text, targeted)).replies).toMatchObject([{ isTargeted: true }]);
});

it('a targeted question stays private after the turn and a restart', async () => {
  const bot = await startBot({ ...FAST, pace: 0.5 }); // So the NAC answers after the restart.
  await bot.say(`lookup ${VERY_SLOW}`, { ...targeted, id: 'slow-1' });
  await bot.replied(4);
  await bot.say(`lookup ${VERY_SLOW}`, { ...targeted, id: 'slow-2' });
  await bot.restart();
  await bot.replied(8);
  const methods = ['POST', 'PUT', 'POST', 'PUT'];
  expect(bot.replies.map(({ method }) => method)).toEqual([...methods, ...methods]);
  expect(seenByAll(bot)).toEqual([]);
  expect(bot.log.join()).not.toMatch(/(?:nac|chat) failing|quick lookups go on/); // Its end is no outage.
  for (const { activity, method } of bot.replies) {
    expect('recipient' in activity).toBe(method === 'POST');
    expect(JSON.stringify(activity)).not.toContain('<at>');
  }
});

it('a targeted question stays private after a press and an edit', async () => {
  const bot = await startBot();
  const asked = only((await bot.say(`lookup ${KNOWN}`, { ...targeted, id: 'question-1' })).replies);
  for (const { title } of buttonsOf(asked))
    expect((await bot.press(title, inChannel)).replies).toMatchObject([{ isTargeted: true }]);
  const { replies } = await bot.edit('lookup 00:1B:54:00:00:01', { recipient: BOT });
  expect(replies).toMatchObject([{ id: asked.id, method: 'PUT', isTargeted: true }]);
});

it('a place that is named in a targeted message takes alerts for everyone', async () => {
  const bot = await startBot(FAST);
  const named = await bot.say('alerts here as noc', targeted);
  expect(named.replies).toMatchObject([{ isTargeted: true }]);
  await bot.alert(`port down ${KNOWN}`, { thread: 'noc' });
  await until(() => expect(seenByAll(bot)).toMatchObject([{ conversationId: CHANNEL }]));
});
