import { describe, expect, it, vi } from 'vitest';
import { createLockoutGuard } from '../../src/credentials.ts';
import type { Join, Judgement, Refusal } from '../../src/domain/lockout.ts';
import { Secret } from '../../src/domain/secret.ts';

const MINUTE = 60_000;
/** What a told rest may last longer. */
const LONGER = 5000;

/**
 * Processes one, two and three share an account and hold its password `old`; others start later. Each step is made at once, if
 * it is not `wait SECONDS`. A judgement is that of a call, which must be made; `begins` and `ends` make one that lasts. From
 * `away` on nothing is told.
 */
const STORIES = {
  'lets no call through for a minute after a refusal, then one, doubling to fifteen':
    'one refused, one rests 60, wait 59.999, one rests 0.001, wait 0.001, one refused, one rests 120, wait 120, ' +
    'one refused, one rests 240, wait 240, one refused, one rests 480, wait 480, one refused, one rests 900, ' +
    'wait 900, one refused, one rests 900',
  'is over at once when the password changes': 'one refused, one holds new, one accepted',
  'is over after an accepted call': 'one refused, wait 60, one accepted, one refused, one rests 60',
  'goes on doubling after a call that did not get through':
    'one refused, wait 60, one unknown, one refused, one rests 120',
  'is not ended by a late refusal of the password before':
    'one begins, one holds new, one refused, one ends refused, one rests 60',
  'is not lengthened by calls in flight':
    'one accepted, one begins, one begins, one refused, one ends refused, one ends refused, one rests 60',
  'is not ended by a call that began before and is accepted late':
    'one accepted, one begins, one refused, one ends accepted, one rests 60',
  'is that of all after one refusal': 'one refused, two rests 60, three rests 60',
  'doubles for all, whichever is refused': 'one refused, wait 60, two refused, two rests 120, one rests 120',
  'begins for all if a password is refused that all saw accepted':
    'one accepted, two accepted, wait 1, one refused, two rests 60',
  'is over for all once one call is accepted, but for who was refused':
    'one refused, three holds new, three accepted, two free, one rests 60',
  'begins with a minute again after another accepted call':
    'one refused, wait 60, two accepted, two refused, two rests 60',
  'goes on if a call is accepted that began before the refusal was told':
    'one begins, two refused, one ends accepted, one rests 60',
  'is told once, and is their own, for who are refused at once':
    'one begins, two begins, one ends refused, two ends refused, told 1, untell, one rests 60, two rests 60',
  'is not told of a password that is held no more': 'one begins, one holds new, one ends refused, told 0',
  'is withdrawn once, even while the database is away':
    'away, one refused, wait 60, one accepted, one accepted, withdrawn 1',
  'is withdrawn once by who was told, even while the database is away':
    'one refused, away, wait 60, two accepted, two accepted, withdrawn 1',
  'is not for who started later with another password':
    'one refused, four starts new, four free, wait 60, one refused, four accepted',
  'is not for who got another password after the last accepted call':
    'one accepted, two holds new, four starts new, two free, wait 1, one refused, two accepted, four accepted',
  'lasts over restarts once a process was refused that took its password for a new one':
    'one refused, four starts old, four free, four refused, four rests 120, five starts old, five rests 120, ' +
    'five holds new, five accepted, six starts old, six free',
  'is not for whose password was accepted, if the refused one never was':
    'four starts good, four accepted, five starts slip, wait 1, five refused, four accepted, five rests 60',
};

describe('a lockout', () => {
  it.each(Object.entries(STORIES))('%s', async (_, story) => {
    vi.spyOn(Math, 'random').mockReturnValue(0);
    const { clock, start, deliver, database, tells, withdrawals } = stage();
    const processes: Record<string, Process> = { one: start(), two: start(), three: start() };
    clock.now += 1000;
    for (const step of story.split(', ')) {
      const [name = '', verb = '', value = ''] = step.split(' ');
      if (verb === 'starts') processes[name] = start(value);
      else if (name === 'wait') clock.now += Number(verb) * 1000;
      else if (name === 'told') expect(tells).toHaveLength(Number(verb));
      else if (name === 'withdrawn') expect(withdrawals).toHaveLength(Number(verb));
      else if (name === 'away') database.isAway = true;
      else if (name === 'untell') deliver(undefined);
      else await take(step, processes[name] as Process);
    }
  });

  async function take(step: string, { account, use, begin, end, restMs }: Process): Promise<void> {
    const [, verb = '', value = ''] = step.split(' ');
    const ms = Number(value) * 1000;
    if (verb === 'holds') account.password = value;
    else if (verb === 'begins') begin();
    else if (verb === 'ends') await end(value as Judgement);
    else if (verb === 'free') expect([step, restMs()]).toEqual([step, undefined]);
    else if (verb === 'rests') expect([step, restMs(), await use('refused')]).toEqual([step, ms, ms]);
    else expect([step, await use(verb as Judgement)]).toEqual([step, 'called']);
  }

  it.each([
    ['the first with a password', 'free', 'old', MINUTE],
    ['the first with a new password', 'accepted', 'new', MINUTE],
    ['the first after a rest', 'rested', 'old', 2 * MINUTE],
  ])('sends one call alone, and the others follow its outcome: %s', async (_, before, password, restMs) => {
    const { account, run, use } = before === 'rested' ? await rested() : stage().start();
    if (before === 'accepted') await use('accepted');
    account.password = password;
    const call = vi.fn(async () => {
      await new Promise(setImmediate);
      return 'refused' as const;
    });
    const all = await Promise.all(Array.from({ length: 10 }, () => run(call)));
    expect(call).toHaveBeenCalledTimes(1);
    expect(all).toEqual(['called', ...Array(9).fill(restMs)]);
  });

  it('lets others go after a second if the first call with a password takes longer, and later at once', async () => {
    const { begin, end, use } = stage().start();
    for (const [leastMs, mostMs] of [
      [900, 10_000],
      [0, 900],
    ] as const) {
      begin();
      const begun = performance.now();
      expect(await use('accepted')).toBe('called');
      await end('accepted');
      expect(performance.now() - begun).toBeGreaterThan(leastMs);
      expect(performance.now() - begun).toBeLessThan(mostMs);
    }
  });

  it('throws a failed probe to its caller alone, and lets the next caller try', async () => {
    const { run, use } = await rested();
    const failing = run(() => Promise.reject(new Error('bug')));
    const next = use('accepted');
    await expect(failing).rejects.toThrow('bug');
    expect(await next).toBe('called');
  });

  it('lasts up to 5 s longer for who were told, not equally long, whatever is told later', async () => {
    vi.spyOn(Math, 'random').mockReturnValueOnce(0.9).mockReturnValueOnce(0.2).mockReturnValueOnce(1);
    const { clock, start, tells, deliver } = stage();
    const all = [start(), start(), start()];
    clock.now += 1;
    await all[0]?.use('refused');
    clock.now += 1000;
    for (const each of tells) deliver({ ...each, until: each.until + 60 * MINUTE }); // The database may move it.
    expect(all.map(({ restMs }) => restMs())).toEqual([MINUTE - 1000, MINUTE, MINUTE - 1000 + LONGER]);
  });

  it("lasts no longer than its rest for who hear of it late, whatever the database's clock says", async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0);
    const { clock, start, tells, deliver, database } = stage();
    const [one, two] = [start(), start()];
    database.isAway = true;
    clock.now += 1;
    await one.use('refused');
    for (const each of tells) deliver({ ...each, until: each.until + 60 * MINUTE });
    expect(two.restMs()).toBe(MINUTE);
  });
});

it('what is told of a refusal holds nothing that comes from the password', async () => {
  const ids = ['old', 'another'].map(async (password) => {
    const { clock, start, tells } = stage();
    await start(password).use('refused');
    const id = expect.stringMatching(/^[0-9a-f-]{36}$/);
    const until = clock.now + MINUTE;
    expect(tells).toEqual([
      { id, restMs: MINUTE, until, wasAccepted: false, fitUntil: clock.now, isAgain: false },
    ]);
    return tells[0]?.id;
  });
  expect(new Set(await Promise.all(ids)).size).toBe(2);
});

async function rested() {
  const { clock, start } = stage();
  const process = start();
  await process.use('refused');
  clock.now += MINUTE;
  return process;
}

type Process = ReturnType<ReturnType<typeof stage>['start']>;

/** Processes that tell one another at once, unless the database is away. `tells`, `withdrawals`: all that was to be told. */
function stage() {
  const clock = { now: Date.UTC(2026, 0, 1) };
  const tells: Refusal[] = [];
  const withdrawals: Array<readonly string[]> = [];
  let latest: Refusal | undefined;
  const database = { isAway: false };
  const hearers: Array<Parameters<Join>[0]> = [];
  const deliver = (refusal: Refusal | undefined) => {
    latest = refusal;
    for (const hear of hearers) hear(latest);
  };
  const join: Join = (hear) => {
    hearers.push(hear);
    return {
      tell(refusal) {
        tells.push(refusal);
        if (!database.isAway) deliver(refusal);
      },
      withdraw(ids) {
        withdrawals.push(ids);
        if (!database.isAway && latest && ids.includes(latest.id)) deliver(undefined);
      },
    };
  };
  const start = (held = 'old') => {
    const account = { password: held };
    const password = new Secret(() => account.password);
    const lockout = createLockoutGuard({ password }, () => clock.now, join);
    const inFlight: Array<{ resolve(judgement: Judgement): void; call: Promise<unknown> }> = [];
    deliver(latest);
    /** Resolves to `called`, or to how long the account still rests. */
    const run = async (call: () => Promise<Judgement>) => {
      const outcome = await lockout.guard(call, (judgement) => judgement);
      return typeof outcome === 'string' ? 'called' : outcome.until - clock.now;
    };
    return {
      account,
      run,
      use: (judgement: Judgement) => run(async () => judgement),
      begin() {
        const { promise, resolve } = Promise.withResolvers<Judgement>();
        inFlight.push({ resolve, call: run(() => promise) });
      },
      async end(judgement: Judgement) {
        const { resolve, call } = inFlight.shift() ?? {};
        resolve?.(judgement);
        await call;
      },
      restMs() {
        const until = lockout.until();
        return until && until - clock.now;
      },
    };
  };
  return { clock, start, deliver, database, tells, withdrawals };
}
