import { describe, expect, it, vi } from 'vitest';
import { createLockoutGuard } from '../../src/credentials.ts';
import type { Join, Judgement, Refusal } from '../../src/domain/lockout.ts';
import { Secret } from '../../src/domain/secret.ts';

const MINUTE = 60_000;
/** What a told rest may last longer. */
const LONGER = 5000;

describe('a lockout', () => {
  it('lets no call through for a minute after a refusal, then one, doubling to fifteen', async () => {
    const { clock, use } = alone();
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
    const { clock, account, use } = alone();
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
    const { clock, late, account, use } = alone();
    const before = late('refused');
    account.password = 'new';
    await use('refused');
    await before.ends();
    expect(await use('accepted')).toEqual({ kind: 'resting', until: clock.now + MINUTE });
  });

  it('does not forget the refusals for a call that did not get through', async () => {
    const { clock, use } = alone();
    await use('refused');
    clock.now += MINUTE;
    await use('unknown');
    await use('refused');
    expect(await use('refused')).toEqual({ kind: 'resting', until: clock.now + 2 * MINUTE });
  });

  it('sends one probe after the rest, and the others follow its outcome', async () => {
    const { clock, rest, use } = alone();
    await use('refused');
    clock.now += MINUTE;
    let calls = 0;
    const probe = async () => {
      calls++;
      await new Promise(setImmediate);
      return 'refused' as const;
    };
    const all = await Promise.all(Array.from({ length: 10 }, () => rest.guard(probe, itself)));
    expect(calls).toBe(1);
    const resting = { kind: 'resting', until: clock.now + 2 * MINUTE };
    expect(all.filter((each) => each !== 'refused')).toEqual(Array(9).fill(resting));
  });

  it.each(['old', 'new'])('sends the first call with a password alone: %s', async (password) => {
    const { account, rest, use } = alone();
    if (password === 'new') await use('accepted');
    account.password = password;
    let calls = 0;
    const call = async () => {
      calls++;
      await new Promise(setImmediate);
      return 'refused' as const;
    };
    const all = await Promise.all(Array.from({ length: 8 }, () => rest.guard(call, itself)));
    expect([calls, all.filter((each) => each === 'refused')]).toEqual([1, ['refused']]);
  });

  it('lets others go after a second if the first call with a password takes longer', async () => {
    const { late, use } = alone();
    const first = late('accepted');
    expect(await use('accepted')).toBe('called');
    await first.ends();
  });

  it('lets calls in flight end without lengthening the rest', async () => {
    const { clock, rest, late, use } = alone();
    await use('accepted');
    const calls = [late('refused'), late('refused'), late('refused')];
    for (const call of calls) await call.ends();
    expect(rest.until()).toBe(clock.now + MINUTE);
  });

  it('is not ended by a call that began before and is accepted late', async () => {
    const { clock, rest, late, use } = alone();
    await use('accepted');
    const before = late('accepted');
    await use('refused');
    await before.ends();
    expect(rest.until()).toBe(clock.now + MINUTE);
  });

  it('throws a failed probe to its caller alone, and lets the next caller try', async () => {
    const { clock, rest, use } = alone();
    await use('refused');
    clock.now += MINUTE;
    const failing = rest.guard(() => Promise.reject<Judgement>(new Error('bug')), itself);
    const next = use('accepted');
    await expect(failing).rejects.toThrow('bug');
    expect(await next).toBe('called');
  });
});

describe('processes that share an account', () => {
  it('rest all after one refusal, the others up to 5 s longer and not equally long', async () => {
    vi.spyOn(Math, 'random').mockReturnValueOnce(0.9).mockReturnValueOnce(0.2).mockReturnValueOnce(1);
    const { clock, start } = stage();
    const [first, ...others] = [start('old'), start('old'), start('old')];
    expect(await first.use('refused')).toBe('called');
    const untils = [0, 1000, LONGER].map((longer) => clock.now + MINUTE + longer);
    for (const other of others) expect(await other.use('refused')).toMatchObject({ kind: 'resting' });
    expect([first, ...others].map(({ rest }) => rest.until())).toEqual(untils);
  });

  it('double the rest together, whichever of them is refused', async () => {
    const { clock, one, other } = two();
    await one.use('refused');
    clock.now += MINUTE + LONGER;
    expect(await other.use('refused')).toBe('called');
    expect(other.rest.until()).toBe(clock.now + 2 * MINUTE);
    expect(one.rest.until()).toBeGreaterThanOrEqual(clock.now + 2 * MINUTE);
  });

  it('rest if a password is refused that was accepted before, here and there', async () => {
    const { one, other } = two();
    for (const each of [other, one]) {
      await each.use('accepted');
    }
    await one.use('refused');
    expect(await other.use('accepted')).toMatchObject({ kind: 'resting' });
  });

  it('rest no more once a call is accepted in one of them; who was refused rests on', async () => {
    const { clock, start, told } = stage();
    const [refused, waiting, changed] = [start('old'), start('old'), start('old')];
    await refused.use('refused');
    const until = clock.now + MINUTE;
    changed.account.password = 'new';
    expect(await changed.use('accepted')).toBe('called');
    expect(told()).toEqual([]);
    expect([waiting.rest.until(), refused.rest.until()]).toEqual([undefined, until]);
  });

  it('begin with a minute again after an acceptance', async () => {
    const { clock, one, other } = two();
    await one.use('refused');
    clock.now += MINUTE + LONGER;
    await other.use('accepted');
    await other.use('refused');
    expect(other.rest.until()).toBe(clock.now + MINUTE);
  });

  it('rest on when a call is accepted that began before the refusal was told', async () => {
    const { told, one: slow, other: refused } = two();
    const call = slow.late('accepted');
    await refused.use('refused');
    await call.ends();
    expect(told()).toHaveLength(1);
  });

  it('keep a rest of their own if they are refused while they hear of another refusal', async () => {
    const { clock, told, deliver, one, other } = two();
    await Promise.all([one.use('refused'), other.use('refused')]);
    expect(told()).toHaveLength(1);
    deliver([]);
    for (const each of [one, other]) expect(each.rest.until()).toBeGreaterThanOrEqual(clock.now + MINUTE);
  });

  it('heed a refusal no longer than its rest, even if the database moves its end away', async () => {
    const { clock, told, deliver, one: refused, other } = two();
    await refused.use('refused');
    const until = other.rest.until();
    clock.now += 1000;
    deliver(told().map((each) => ({ ...each, until: each.until + 60 * MINUTE })));
    expect(other.rest.until()).toBe(until);
  });
});

describe('a process does not rest for a refusal', () => {
  it('of a password that was first refused before this process started', async () => {
    const { clock, start } = stage();
    const old = start('old');
    await old.use('refused');
    const fresh = start('new');
    expect(fresh.rest.until()).toBeUndefined();
    clock.now += MINUTE;
    await old.use('refused');
    expect(await fresh.use('accepted')).toBe('called');
  });

  it('of a password that was last accepted before this process got its own', async () => {
    const { start, one: old, other } = two();
    await old.use('accepted');
    other.account.password = 'new';
    const fresh = start('new');
    other.rest.until(); // A look at the file.
    await old.use('refused');
    for (const each of [other, fresh]) expect(await each.use('accepted')).toBe('called');
  });

  it('of a password that was never accepted, if its own was', async () => {
    const { start } = stage();
    const good = start('good');
    await good.use('accepted');
    const slip = start('slip');
    await slip.use('refused');
    expect(await good.use('accepted')).toBe('called');
    expect(await slip.use('refused')).toMatchObject({ kind: 'resting' });
  });
});

it('what is told of a refusal holds nothing that comes from the password', async () => {
  const ids = ['old', 'another'].map(async (password) => {
    const { clock, start, told } = stage();
    await start(password).use('refused');
    const id = expect.stringMatching(/^[0-9a-f-]{36}$/);
    const until = clock.now + MINUTE;
    expect(told()).toEqual([{ id, restMs: MINUTE, until, wasAccepted: false, fitUntil: clock.now }]);
    return told()[0]?.id;
  });
  expect(new Set(await Promise.all(ids)).size).toBe(2);
});

const itself = (judgement: Judgement) => judgement;

/** A process that shares its account with nobody. */
function alone() {
  const { clock, start } = stage({ tickMs: 0 });
  return { clock, ...start('old') };
}

/** Two processes with the same password. */
function two() {
  const { start, ...rest } = stage();
  return { ...rest, start, one: start('old'), other: start('old') };
}

/** Processes that tell one another at once. Each call comes a moment after what was before. */
function stage({ tickMs = 1 } = {}) {
  const clock = { now: Date.UTC(2026, 0, 1) };
  let told: readonly Refusal[] = [];
  const hearers: Array<(refusals: readonly Refusal[]) => void> = [];
  const deliver = (refusals: readonly Refusal[]) => {
    told = refusals;
    for (const hear of hearers) hear(told);
  };
  const join: Join = (hear) => {
    hearers.push(hear);
    return {
      tell: (refusal) => deliver([...told, refusal]),
      withdraw: (ids) => deliver(told.filter(({ id }) => !ids.includes(id))),
    };
  };
  const start = (password: string) => {
    const account = { password };
    const rest = createLockoutGuard({ password: new Secret(() => account.password) }, () => clock.now, join);
    deliver(told);
    const use = (judgement: Judgement) => {
      clock.now += tickMs;
      return rest.guard(
        async () => 'called' as const,
        () => judgement,
      );
    };
    /** A call in flight that ends when it is told to. */
    const late = (judgement: Judgement) => {
      const { promise, resolve } = Promise.withResolvers<Judgement>();
      const call = rest.guard(() => promise, itself);
      return {
        ends: async () => {
          resolve(judgement);
          await call;
        },
      };
    };
    return { account, rest, use, late };
  };
  return { clock, start, deliver, told: () => told };
}
