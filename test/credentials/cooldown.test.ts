import { describe, expect, it } from 'vitest';
import { createLockoutGuard } from '../../src/credentials/lockout-guard.ts';
import type { Judgement } from '../../src/domain/lockout.ts';
import { Secret } from '../../src/domain/secret.ts';

const MINUTE = 60_000;

describe('createLockoutGuard', () => {
  it('lets no call through for a minute after a refusal, then one, doubling to fifteen', async () => {
    const { clock, use } = stage();
    await use('refused');
    const rests: number[] = [];
    for (let round = 0; round < 6; round++) {
      const resting = await use('refused');
      if (resting === 'called' || resting.kind !== 'resting') throw new Error('must rest');
      rests.push((resting.until - clock.now) / MINUTE);
      clock.now = resting.until - 1;
      expect(await use('refused')).toMatchObject({ kind: 'resting' });
      clock.now = resting.until;
      expect(await use('refused')).toBe('called');
    }
    expect(rests).toEqual([1, 2, 4, 8, 15, 15]);
  });

  it('is over at once when the credential changes, and after a call that was accepted', async () => {
    const { clock, account, use } = stage();
    await use('refused');
    account.password = 'new';
    expect(await use('accepted')).toBe('called');
    account.password = 'old';
    clock.now += MINUTE;
    expect(await use('accepted')).toBe('called');
    expect(await use('refused')).toBe('called');
    expect(await use('refused')).toEqual({ kind: 'resting', until: clock.now + MINUTE });
  });

  it('is not ended by a late refusal of the credential before', async () => {
    const { clock, rest, account, use } = stage();
    const { promise: late, resolve } = Promise.withResolvers<Judgement>();
    const before = rest.guard(
      () => late,
      (outcome) => outcome,
    );
    account.password = 'new';
    await use('refused');
    resolve('refused');
    await before;
    expect(await use('accepted')).toEqual({ kind: 'resting', until: clock.now + MINUTE });
  });

  it('goes on after a refused probe, time and again', async () => {
    const { clock, use } = stage();
    for (let round = 0; round < 5; round++) {
      expect(await use('refused')).toBe('called');
      clock.now += 15 * MINUTE;
    }
  });

  it('does not forget the refusals for a call that did not get through', async () => {
    const { clock, use } = stage();
    await use('refused');
    clock.now += MINUTE;
    await use('unknown');
    await use('refused');
    expect(await use('refused')).toEqual({ kind: 'resting', until: clock.now + 2 * MINUTE });
  });

  it('sends one probe after the rest, and the others follow its outcome', async () => {
    const { clock, rest, use } = stage();
    await use('refused');
    clock.now += MINUTE;
    let calls = 0;
    const probe = async (): Promise<Judgement> => {
      calls++;
      await new Promise(setImmediate);
      return 'refused';
    };
    const all = await Promise.all(Array.from({ length: 10 }, () => rest.guard(probe, (outcome) => outcome)));
    expect(calls).toBe(1);
    expect(all.filter((each) => each !== 'refused')).toEqual(
      Array(9).fill({ kind: 'resting', until: clock.now + 2 * MINUTE }),
    );
  });

  it('lets calls in flight end without lengthening the rest', async () => {
    const { clock, rest } = stage();
    const call = async (): Promise<Judgement> => {
      await new Promise(setImmediate);
      return 'refused';
    };
    await Promise.all(Array.from({ length: 4 }, () => rest.guard(call, (outcome) => outcome)));
    expect(rest.until()).toBe(clock.now + MINUTE);
  });

  it('throws a failed probe to its caller alone, and lets the next caller try', async () => {
    const { clock, rest, use } = stage();
    await use('refused');
    clock.now += MINUTE;
    await expect(
      rest.guard(
        () => Promise.reject(new Error('bug')),
        () => 'unknown',
      ),
    ).rejects.toThrow('bug');
    expect(await use('accepted')).toBe('called');
  });
});

function stage() {
  const clock = { now: 0 };
  const account = { password: 'old' };
  const rest = createLockoutGuard({ password: new Secret(() => account.password), now: () => clock.now });
  const use = async (judgement: Judgement) =>
    rest.guard(
      async () => 'called' as const,
      () => judgement,
    );
  return { clock, account, rest, use };
}
