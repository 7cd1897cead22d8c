import { describe, expect, it, vi } from 'vitest';
import { textOf } from '../../src/sandbox/chat.ts';
import { inThread, transcriptOf } from '../replies.ts';
import { FAST, startBot, startBotProcess } from '../start-bot.ts';
import { alertmanager, NOC, nameChannel } from './alertmanager.ts';

const STILL = 'Still asking the NAC about 00:1B:54:00:00:07.';
const SLOW = '00:1B:54:00:00:07';
const QUICK = 'AA:BB:CC:DD:EE:FF';
const KEPT = 'I keep trying for 24 hours.';

const CHANNEL = '19:team@thread.tacv2;messageid=7';
const ASKER = '<at>Alex</at>';
const LONG = { timeout: 30_000, interval: 20 };

describe('a lookup that takes longer than a turn', () => {
  it("becomes a job at the turn's end, and is answered in its thread", async () => {
    const bot = await startBot(FAST);
    const { turnMs } = FAST.timing;
    const question = { id: 'slow-1', ...inThread(CHANNEL) };
    const { status, texts, ms } = await bot.say(`lookup ${SLOW}`, question);
    expect({ status, texts }).toEqual({ status: 200, texts: [STILL, `${STILL} The answer will come here.`] });
    expect(ms).toBeGreaterThan(0.9 * turnMs);
    expect(ms).toBeLessThan(turnMs + 1500);
    await bot.replied(4);
    expect(bot.typing.length).toBeLessThan(2); // After half a second; not at the turn's end, nor later.
    const activity = { replyToId: 'slow-1', summary: expect.stringContaining('were posted to the room.') };
    const answer = { method: 'POST', conversationId: CHANNEL, activity };
    const ended = { id: bot.replies[0]?.id, method: 'PUT', activity: { text: 'The answer is below.' } };
    expect(bot.replies.slice(2)).toMatchObject([answer, ended]);
    const isRung = bot.replies.map((reply) => JSON.stringify(reply).includes(ASKER));
    expect(isRung).toEqual([false, false, true, false]);
    expect(bot.calls).toHaveLength(1);
    expect(bot.posts()).toEqual([expect.not.stringContaining('<at>')]);
  });

  it('is resumed if its process dies, and a repeat is left to it', async () => {
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
});

describe('a post that the room does not take', () => {
  it('and at last refuses for good is reported to its asker', async () => {
    const bot = await startBot({ ...FAST, room: [503, 404] });
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
