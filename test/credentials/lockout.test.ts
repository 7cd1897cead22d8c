import { setImmediate as immediate } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { AccountGuard } from '../../src/credentials/lockout.ts';
import type { Judgement, Refusal } from '../../src/domain/lockout.ts';
import { Secret } from '../../src/domain/secret.ts';

const MINUTE = 60_000;

const OUTCOMES = { accepted: { kind: 'found' }, refused: { kind: 'refused' }, unknown: { kind: 'fault' } };

/** A process's guard of an account. `receive` hands it the row that all processes share; `rest` is in minutes. */
function start(spreadMs = 0) {
  const clock = { now: 1000 * MINUTE };
  const password = { now: 'old' };
  const published: Refusal[] = [];
  const withdraw = vi.fn();
  let receive = (_row?: Refusal): void => {};
  const guard = new AccountGuard({
    account: { username: 'svc', password: new Secret(() => password.now) },
    now: () => clock.now,
    by: 'this',
    spreadMs,
    shared(onRefusal) {
      receive = onRefusal;
      return (refusal) => void (refusal ? published.push(refusal) : withdraw());
    },
  });
  const run = <T extends { kind: string }>(call: () => Promise<T>) => guard.run(call);
  const begin = async () => {
    const { promise, resolve } = Promise.withResolvers<{ kind: string }>();
    const begun = Promise.withResolvers<undefined>();
    const ended = run(() => {
      begun.resolve(undefined);
      return promise;
    });
    if (await Promise.race([begun.promise, ended])) throw new Error('the password rests');
    const end = async (judgement: Judgement) => {
      resolve(OUTCOMES[judgement]);
      await ended;
    };
    return { end };
  };
  const use = async (judgement: Judgement) => (await begin()).end(judgement);
  const rest = () => ((guard.until() ?? clock.now) - clock.now) / MINUTE;
  return { clock, password, guard, published, withdraw, receive, run, begin, use, rest };
}

const rowAt = (since: number, at = since, minutes = 1): Refusal => {
  return { by: 'another', restMs: minutes * MINUTE, until: at + minutes * MINUTE, since };
};

describe('a refused password', () => {
  it('rests 1 minute, doubling to 15 until it is accepted', async () => {
    const { clock, use, rest, published } = start();
    const since = clock.now;
    for (const minutes of [1, 2, 4, 8, 15, 15]) {
      await use('unknown');
      await use('refused');
      expect(rest()).toBe(minutes);
      const restMs = minutes * MINUTE;
      expect(published.pop()).toEqual({ by: 'this', restMs, until: clock.now + restMs, since });
      clock.now += restMs - 1;
      await expect(use('accepted')).rejects.toThrow('rests');
      clock.now += 1;
    }
    await use('accepted');
    await use('refused');
    expect(rest()).toBe(1);
  });

  it('is free at once when it changes, despite a late call with the old one', async () => {
    const { guard, password, published, begin, use, rest } = start();
    await use('accepted');
    const late = await begin();
    await use('refused');
    password.now = 'new';
    await late.end('refused');
    expect(guard.isUntried()).toBe(true);
    await use('accepted');
    expect([guard.isUntried(), rest(), published.length]).toEqual([false, 0, 1]);
  });

  it("is free at once when it changes after another process's refusal", async () => {
    const { clock, password, use, receive, rest } = start();
    receive(rowAt(clock.now));
    password.now = 'new';
    receive(rowAt(clock.now));
    expect(rest()).toBe(0);
    await use('refused');
    expect(rest()).toBe(2);
  });

  it('rests neither longer nor shorter because of calls in flight', async () => {
    const { begin, use, rest, published } = start();
    await use('accepted');
    const calls = [await begin(), await begin(), await begin()];
    for (const judgement of ['refused', 'refused', 'accepted'] as const) await calls.pop()?.end(judgement);
    expect([rest(), published.length]).toEqual([1, 1]);
  });
});

/** Twenty callers at once: how many calls were made, and how many at the same time. */
async function callTogether({ run }: ReturnType<typeof start>, judgement: Judgement) {
  let [made, running, most] = [0, 0, 0];
  const call = async () => {
    made++;
    most = Math.max(most, ++running);
    await immediate();
    running--;
    return OUTCOMES[judgement];
  };
  await Promise.all(Array.from({ length: 20 }, () => run(call)));
  return [made, most];
}

it('the first call with a password goes alone until one is accepted', async () => {
  const process = start();
  expect(await callTogether(process, 'unknown')).toEqual([20, 1]);
  expect(await callTogether(process, 'accepted')).toEqual([20, 19]);
  process.password.now = 'new';
  expect(await callTogether(process, 'refused')).toEqual([1, 1]);
  process.clock.now += MINUTE;
  expect(await callTogether(process, 'refused')).toEqual([1, 1]);
});

it('the first call with a password lets the next one go if it throws', async () => {
  const { run, use } = start();
  const failing = run(() => Promise.reject(new Error('bug')));
  const next = use('accepted');
  await expect(failing).rejects.toThrow('bug');
  await next;
});

describe("another process's refusal", () => {
  it('rests longer here by its spread', () => {
    const { clock, receive, rest } = start(3000);
    receive(rowAt(clock.now));
    expect(rest()).toBeCloseTo(1.05);
  });

  it.each<[string, begunAt: number, endedAt: number, counts: boolean]>([
    ['accepted before', 1, 2, true],
    ['accepted by a call from before', 1, 4, true],
    ['accepted since', 4, 5, false],
  ])('counts unless the password here was accepted since: %s', async (_, begunAt, endedAt, counts) => {
    const { clock, begin, receive, rest } = start();
    const from = clock.now;
    clock.now = from + begunAt;
    const call = await begin();
    clock.now = from + endedAt;
    await call.end('accepted');
    receive(rowAt(from + 3));
    expect(rest() > 0).toBe(counts);
    receive(rowAt(from + 3, from + MINUTE)); // The same process was refused again.
    expect(rest() > 0).toBe(counts);
  });

  it.each([
    ['ended, and was longer than the rest here', 8, 0, 15],
    ['ended, and was shorter than the rest here', 0.5, 0, 2],
    ['came while a call was in flight', 8, 8, 8],
  ])('that %s makes the next rest last', async (_, minutes, minutesLeft, next) => {
    const { clock, begin, use, receive, rest } = start();
    await use('refused');
    clock.now += MINUTE;
    const call = await begin();
    receive(rowAt(clock.now, clock.now - (minutes - minutesLeft) * MINUTE, minutes));
    await call.end('refused');
    receive(undefined); // Another process's accepted call ends no rest of this process's own.
    expect(rest()).toBe(next);
  });

  it('stops a password that was not refused here only once', async () => {
    const { clock, use, receive, rest } = start();
    receive(rowAt(clock.now));
    clock.now += MINUTE;
    receive(rowAt(clock.now, clock.now, 2));
    expect(rest()).toBe(0);
    await use('refused');
    expect(rest()).toBe(4);
    receive(rowAt(clock.now, clock.now, 8));
    expect(rest()).toBe(8);
  });

  it('ends when its row is deleted, and lets one call go alone', async () => {
    const process = start();
    await process.use('accepted');
    process.receive(rowAt(++process.clock.now));
    process.receive(undefined);
    expect(await callTogether(process, 'unknown')).toEqual([20, 1]);
  });

  it('is deleted once by an accepted call, as one of this process is', async () => {
    const { clock, password, use, receive, withdraw, published } = start();
    await use('refused');
    receive(published[0]);
    password.now = 'new';
    for (let time = 0; time < 2; time++) await use('accepted');
    expect(withdraw).toHaveBeenCalledTimes(1);
    receive(rowAt(clock.now - 1));
    for (let time = 0; time < 2; time++) await use('accepted');
    expect(withdraw).toHaveBeenCalledTimes(2);
  });
});
