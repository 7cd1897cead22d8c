import type { Judgement, LockoutGuard } from '../domain/lockout.ts';
import type { Busy, Disconnected, Resting, Whose } from '../domain/outcome.ts';
import type { Secret } from '../domain/secret.ts';

export type Question<T> = {
  /** Equal keys in flight share one call under the same account. */
  key: string;
  person: string;
  /** Is handed the `Authorization` header's value when its turn has come. */
  call(authorization: Secret): Promise<T>;
  /** What an outcome says of the account: a refused one rests, or is forgotten if it is a person's. */
  judge(outcome: T): Judgement;
};

/** What became of a question. `forgotten`: not asked, because the NAC refused the person's account while the question waited. */
export type Asked<T> =
  | { kind: 'asked'; whose: Whose; outcome: T }
  | { kind: 'forgotten' }
  | Disconnected
  | Resting
  | Busy;

type Held = { kind: 'held'; credential: Secret; since: number };
type NotConnected = { kind: 'not connected'; refused?: true; unknown?: true };

export type AccountsOptions = {
  /** Hands out the `Authorization` header's value, and forgets a person's that was refused. */
  vault: {
    service(): Secret;
    basic(owner: { kind: 'person'; id: string }): Promise<Held | NotConnected>;
    dropRefused(person: string, since: number): Promise<void>;
  };
  lockout: LockoutGuard;
  concurrency: number;
};

export type Accounts = ReturnType<typeof createAccounts>;

/** The accounts for the NAC. All questions share their lockout, and the places for calls: at most `concurrency` run at once. */
export function createAccounts({ vault, lockout, concurrency }: AccountsOptions) {
  const queue = createFairQueue(concurrency);

  const askAsPerson = <T>(own: Held, { key, person, call, judge }: Question<T>): Promise<Asked<T>> =>
    // The account is read again in its turn: it may have been refused, and forgotten, while this question waited.
    queue.run<Asked<T>>(`${key} ${person} ${own.since}`, person, async () => {
      const read = await vault.basic({ kind: 'person', id: person });
      const present = read.kind === 'not connected' && read.unknown ? own : read;
      if (present.kind !== 'held') return { kind: present.refused ? 'forgotten' : 'disconnected' };
      const outcome = await call(present.credential);
      if (judge(outcome) === 'refused') await vault.dropRefused(person, present.since);
      return { kind: 'asked', whose: 'person', outcome };
    });

  const askAsService = <T>({ key, person, call, judge }: Question<T>): Promise<Asked<T>> =>
    // The lockout is checked in the question's turn, because a call that waited must not follow a refused call.
    queue.run(key, person, () =>
      lockout.guard(
        async () => ({ kind: 'asked', whose: 'service', outcome: await call(vault.service()) }) as const,
        ({ outcome }) => judge(outcome),
      ),
    );

  return {
    /** Asks for a person, with the person's own account if there is one, else with the bot's. */
    async ask<T>(question: Question<T>): Promise<Asked<T>> {
      const own = await vault.basic({ kind: 'person', id: question.person });
      if (own.kind === 'held') return askAsPerson(own, question);
      const asked = await askAsService(question);
      return own.unknown && asked.kind === 'asked' ? { ...asked, whose: 'stand-in' } : asked;
    },
    /** Until when the service account rests, by the steady clock. */
    restsUntil: lockout.until,
    counts: queue.counts,
  };
}

/** The most calls that wait for a place. The limits per minute keep the number well below. */
const MOST_WAITING = 5000;

type Turn = { isStarted: boolean; persons: Set<string>; start(): void };

/**
 * Shields the NAC, which is slow and fragile: runs at most `limit` calls at once. Waiting calls start round robin by person,
 * so one person's many calls never block another's. Each person's calls start in the order asked.
 */
export function createFairQueue(limit: number) {
  const inFlight = new Map<string, { turn: Turn; result: Promise<unknown> }>();
  const queues = new Map<string, Turn[]>();
  let running = 0;
  let waiting = 0;

  /** Lets a call start in this person's turn too, if that comes first. */
  function wait(turn: Turn, person: string): void {
    if (turn.isStarted || turn.persons.has(person)) return;
    turn.persons.add(person);
    const queue = queues.get(person);
    if (queue) queue.push(turn);
    else queues.set(person, [turn]);
  }

  async function perform<T>(started: Promise<void> | undefined, call: () => Promise<T>): Promise<T> {
    if (started) await started;
    try {
      return await call();
    } finally {
      const next = takeNext(queues);
      if (next) {
        next.isStarted = true;
        waiting--;
        next.start();
      } else running--;
    }
  }

  return {
    /**
     * Runs one call in its turn; `busy` if too many wait already. A shared call has the best of its askers' turns.
     * @param key the question and its credentials; equal keys in flight share one call, and so must have one type of outcome
     */
    run<T>(key: string, person: string, call: () => Promise<T>): Promise<T | Busy> {
      const shared = inFlight.get(key);
      if (shared) {
        wait(shared.turn, person);
        return shared.result as Promise<T>;
      }
      if (waiting >= MOST_WAITING) return Promise.resolve({ kind: 'busy' });
      const { promise: started, resolve: start } = Promise.withResolvers<void>();
      const turn: Turn = { isStarted: running < limit, persons: new Set(), start };
      if (turn.isStarted) running++;
      else waiting++;
      wait(turn, person);
      const result = perform(turn.isStarted ? undefined : started, call).finally(() => inFlight.delete(key));
      inFlight.set(key, { turn, result });
      return result;
    },
    counts: () => ({ running, waiting }),
  };
}

/** Takes the next call in turn. A call that another person's turn has started costs nobody a turn. */
function takeNext(queues: Map<string, Turn[]>): Turn | undefined {
  for (const [person, queue] of queues) {
    const turn = queue.find(({ isStarted }) => !isStarted);
    const rest = turn ? queue.slice(queue.indexOf(turn) + 1) : [];
    queues.delete(person);
    if (rest.length > 0) queues.set(person, rest); // Behind everyone else who waits.
    if (turn) return turn;
  }
  return undefined;
}
