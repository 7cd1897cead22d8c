import { expect, it } from 'vitest';
import { inThread } from '../../replies.ts';
import { startBot } from '../../start-bot.ts';

const ON =
  'I now answer every message here that holds a MAC address, each in its own thread.  \nI need the permission ChannelMessage.Read.Group in this team to hear messages without a mention. Whoever installed me can grant it.';
const stateOf = (state: string) =>
  `Autoreply is ${state} here. \`autoreply on\` and \`autoreply off\` change that.`;

it.each<[string, string[], string, string]>([
  ['autoreply on', [], ON, 'on'],
  ['Autoreply ON', [], ON, 'on'],
  ['autoreply off', ['channel;messageid=1'], 'I now answer here only when I am mentioned.', 'off'],
  ['autoreply', ['channel;messageid=1'], stateOf('on'), 'on'],
  ['autoreply', ['elsewhere'], stateOf('off'), 'off'],
  ['autoreply maybe', [], stateOf('off'), 'off'],
])('autoreply: "%s", while it is on in %j', async (typed, places, text, state) => {
  const bot = await startBot();
  for (const place of places) await bot.say('autoreply on', inThread(place));
  expect((await bot.say(typed, inThread('channel;messageid=1234'))).texts).toEqual([text]);
  expect((await bot.say('autoreply', inThread('channel;messageid=2'))).texts).toEqual([stateOf(state)]);
});

it('autoreply is on in a personal chat anyway', async () => {
  const { texts } = await (await startBot()).say('autoreply on');
  expect(texts).toEqual(['I answer every message in a personal chat anyway.']);
});
