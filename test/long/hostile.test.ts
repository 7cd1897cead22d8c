import { describe, expect, it } from 'vitest';
import { textOf } from '../../src/sandbox/chat.ts';
import { startHostileBot } from './hostile-bot.ts';
import { wireAttacks } from './wire-attacks.ts';

const bot = await startHostileBot();

describe('open to the whole internet', { timeout: 300_000 }, () => {
  it('an allowed person is answered', async () => {
    expect(await bot.send('lookup AA:BB:CC:DD:EE:FF')).toMatchObject({ status: 200 });
    const [reply] = bot.replies.slice(-1);
    expect(reply && textOf(reply)).toContain('Corp_Wired_Access');
    expect(bot.calls()).toEqual({ nac: 1, room: 1 });
  });

  it.each(Object.entries(wireAttacks))(
    '%s cause no fault and no call, and the bot still answers',
    async (_, run) => {
      const before = bot.calls();
      expect(await run(bot)).toEqual([]);
      expect(bot.calls()).toEqual(before);
      expect(await bot.isAlive()).toBe(true);
    },
  );

  it('no secret has leaked', () => expect(bot.leaks()).toEqual([]));
});
