import { expect, it } from 'vitest';
import { sessionXml } from '../../../src/sandbox/session-xml.ts';
import { inThread } from '../../replies.ts';
import { startBot } from '../../start-bot.ts';

const DEVICE = '00:1B:54:B7:00:01';

const ON =
  'I now answer every message here that holds a MAC address, each in its own thread.  \nI need the permission ChannelMessage.Read.Group in this team to receive messages without a mention. The person who installed me can grant it.';
const stateOf = (state: string) =>
  `Autoreply is ${state} here. \`autoreply on\` and \`autoreply off\` change that.`;

it.each<[string, string[], string, string]>([
  ['autoreply on', [], ON, 'on'],
  ['autoreply off', ['channel;messageid=1'], 'I now answer here only when I am mentioned.', 'off'],
  ['autoreply', ['channel;messageid=1'], stateOf('on'), 'on'],
  ['autoreply', ['elsewhere'], stateOf('off'), 'off'],
  ['autoreply maybe', [], stateOf('off'), 'off'],
])('autoreply: "%s", while it is on in %j', async (typed, places, text, state) => {
  const bot = await startBot();
  for (const place of places) await bot.say('autoreply on', inThread(place));
  expect(await bot.ask(typed, inThread('channel;messageid=1234'))).toBe(text);
  expect(await bot.ask('autoreply', inThread('channel;messageid=2'))).toEqual(stateOf(state));
});

it('autoreply is on in a personal chat anyway', async () => {
  const { texts } = await (await startBot()).say('autoreply on');
  expect(texts).toEqual(['I answer every message in a personal chat anyway.']);
});

it('autoreply says in a group chat of Teams that it hears channels only', async () => {
  const bot = await startBot();
  const conversation = { id: '19:group@thread.v2', conversationType: 'groupChat' };
  const { texts } = await bot.say('<at>bot</at> autoreply on', { ...inThread('19:group'), conversation });
  expect(texts[0]).toMatch(/^Teams delivers messages without a mention only in channels\. /);
});

it('a device that three people name within a minute gets one answer', async () => {
  const bot = await startBot({ nac: { [DEVICE]: sessionXml({ calling_station_id: DEVICE }) } });
  await bot.say('autoreply on', inThread('19:noc'));
  const name = (text: string) => bot.say(text, inThread('19:noc', false));
  const answers = async (text: string) => (await name(text)).texts.length;
  expect(await answers(`anyone knows ${DEVICE}?`)).toBe(1);
  expect(await answers(`yes, ${DEVICE} is the plotter`)).toBe(0);
  expect(await answers(`${DEVICE} still down here`)).toBe(0);
  expect(bot.posts()).toHaveLength(1);
  await bot.clock.skip(60_000);
  expect(await answers(`${DEVICE} again`)).toBe(1);
});

it('a sender whom nobody asks gets no word of a limit', async () => {
  const bot = await startBot({ nac: {}, settings: { NAC_HISTORY: '0' } });
  await bot.say('autoreply on', inThread('channel;messageid=1'));
  const pasted = Array.from({ length: 31 }, (_, index) => `00:1B:54:B7:01:${10 + index}`);
  for (const [index, address] of pasted.entries())
    await bot.say(`seen ${address}`, inThread(`channel;messageid=${100 + index}`, false));
  expect(bot.calls).toHaveLength(30);
  expect(bot.replies).toHaveLength(31); // The command's, and one for each device that was looked up.
});
