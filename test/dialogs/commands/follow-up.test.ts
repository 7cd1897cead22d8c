import { expect, it } from 'vitest';
import { type Bot, startBot } from '../../start-bot.ts';

const DEVICE = '00:1B:54:00:00:07';
const OTHER = '00:1B:54:00:00:08';
const askedOf = ({ logged }: Bot) => logged('audit').map(({ asked }) => asked);

it('a follow-up means the last answer, if there is one', async () => {
  const bot = await startBot({ nac: {} });
  expect((await bot.say('again')).texts[0]).toMatch(/^Which device\? I remember no lookup/);
  for (const typed of [`${DEVICE} ${OTHER}`, 'again', 'and :09?']) await bot.say(typed);
  expect(askedOf(bot).slice(2)).toEqual([DEVICE, OTHER, '00:1B:54:00:00:09']);
});

it('a follow-up means its thread; "recent" means the whole channel', async () => {
  const bot = await startBot({ nac: {} });
  const at = (root: number) => ({
    conversation: { id: `channel;messageid=${root}`, conversationType: 'personal' },
  });
  await bot.say(DEVICE, at(1));
  await bot.say(OTHER, at(2));
  await bot.say('again', at(1));
  expect(askedOf(bot)).toEqual([DEVICE, OTHER, DEVICE]);
  const { texts } = await bot.say('recent', at(3));
  expect(texts[0]?.match(/00:1B\S+(?=:)/g)).toEqual([DEVICE, OTHER]);
});
