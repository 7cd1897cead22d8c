import { describe, expect, it } from 'vitest';
import { type Bot, startBot } from '../../start-bot.ts';

const DEVICE = '00:1B:54:00:00:07';
const OTHER = '00:1B:54:00:00:08';
const FORGOTTEN = /^Which device\? I remember no lookup that you could mean\./;

describe('a follow-up', () => {
  const askedOf = ({ logged }: Bot) => logged('audit').map(({ asked }) => asked);

  it.each([
    ['again', [DEVICE, OTHER]],
    ['try again', [DEVICE, OTHER]],
    ['And again, please?', [DEVICE, OTHER]],
    ['and :09?', ['00:1B:54:00:00:09']],
    ['what about :0A:0B', ['00:1B:54:00:0A:0B']],
  ])('"%s" means the last answer, if there is one', async (text, asked) => {
    const bot = await startBot({ nac: {} });
    expect((await bot.say(text)).texts[0]).toMatch(FORGOTTEN);
    for (const typed of ['00:1B:54:00:00:01', `${DEVICE} ${OTHER}`, text]) await bot.say(typed);
    expect(askedOf(bot).slice(3)).toEqual(asked);
  });

  it("with other pairs means the first device's address", async () => {
    const bot = await startBot({ nac: {} });
    for (const text of [`lookup AA:BB:CC:DD:EE:FF ${DEVICE}`, 'and :08?']) await bot.say(text);
    expect(askedOf(bot).at(-1)).toBe('AA:BB:CC:DD:EE:08');
  });

  it('with other pairs needs a MAC address before it', async () => {
    const bot = await startBot({ nac: {} });
    await bot.say(`lookup 198.51.100.23`);
    const { texts } = await bot.say('and :08?');
    expect(texts[0]).toMatch(FORGOTTEN);
  });

  it('means its thread; "recent" means the whole channel', async () => {
    const bot = await startBot({ nac: {} });
    for (const [root, text] of [
      [1, DEVICE],
      [2, OTHER],
      [1, 'again'],
    ] as const)
      await bot.say(text, {
        conversation: { id: `channel;messageid=${root}`, conversationType: 'personal' },
      });
    expect(askedOf(bot)).toEqual([DEVICE, OTHER, DEVICE]);
    const { texts } = await bot.say('recent', {
      conversation: { id: 'channel;messageid=3', conversationType: 'personal' },
    });
    expect(texts[0]?.match(/00:1B\S+(?=:)/g)).toEqual([DEVICE, OTHER]);
  });
});
