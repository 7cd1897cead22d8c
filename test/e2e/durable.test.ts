import { describe, expect, it, vi } from 'vitest';
import { textOf } from '../../src/sandbox/chat.ts';
import { transcriptOf } from '../replies.ts';
import { FAST, startBot, startBotProcess } from '../start-bot.ts';
import { alertmanager, NOC, nameChannel } from './alertmanager.ts';

const SLOW = '00:1B:54:00:00:07';
const QUICK = 'AA:BB:CC:DD:EE:FF';
const KEPT = 'I keep trying for 24 hours.';
const LONG = { timeout: 30_000, interval: 20 };

it('a late lookup is resumed if its process dies; a repeat is left to it', async () => {
  const bot = await startBotProcess();
  const question = { id: 'slow-2', timestamp: new Date().toISOString() };
  await bot.say(`lookup ${SLOW}`, question);
  await bot.restart();
  const restarted = Date.now();
  expect(await bot.say(`lookup ${SLOW}`, question)).toMatchObject({ status: 200, texts: [] });
  await vi.waitFor(() => expect(bot.replies).toHaveLength(4), 40_000);
  const activity = { replyToId: 'slow-2', summary: expect.stringContaining('connected. megan,') };
  expect(bot.replies[2]).toMatchObject({ method: 'POST', activity });
  expect(Date.now() - restarted).toBeLessThan(30_000); // 20 s, plus the 10 s that this device takes.
  expect(bot.posts()).toHaveLength(1);
});

describe('a post that the room does not take', () => {
  it('and at last refuses for good is reported to its asker', async () => {
    const bot = await startBot({ timing: { posts: FAST.timing.posts }, room: [503, 404] });
    expect(await bot.ask(`lookup ${QUICK}`)).toContain(KEPT);
    await bot.replied(2);
    const gaveUp = /^The room never took the post about .*: not found\. Please tell /;
    expect(bot.replies.map(textOf)[1]).toMatch(gaveUp);
  });

  it.each([
    ['taken at last', [503], 2],
    ['given up, and now taken', [503, 404], 3],
  ])('is reported by a repeat of its alert as %s', async (_, statuses, count) => {
    const bodies: string[] = [];
    const room = (text: string) => statuses[bodies.push(text) - 1];
    const bot = await startBot({ ...FAST, room });
    await nameChannel(bot);
    const isSaid = (words: RegExp) =>
      vi.waitFor(() => expect(transcriptOf(bot.replies).some((each) => words.test(each))).toBe(true), LONG);
    await bot.alert(alertmanager('firing', [QUICK]), NOC);
    await isSaid(/^POST Alert firing[\s\S]* I keep trying for 24 hours\./);
    await (count === 2
      ? vi.waitFor(() => expect(bodies).toHaveLength(2), LONG)
      : isSaid(/never took the post/));
    await bot.alert(alertmanager('firing', [QUICK]), NOC);
    await isSaid(/^PUT [\s\S]* reported 2 times[\s\S]* posted to the room/);
    expect(bodies).toHaveLength(count);
    expect(bodies.at(-1)).toContain('Corp_Wired_Access');
    const numbers = transcriptOf(bot.replies).flatMap((each) => each.match(/Report number \d+/) ?? []);
    expect(new Set(numbers).size).toBe(1);
  });
});
