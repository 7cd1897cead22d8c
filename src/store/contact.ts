import { isAway, isRefusal, wordsOf } from './away.ts';
import { StoreClosedError, within } from './closed.ts';
import { lastingFaultOf } from './lasting-fault.ts';

/** What the bot knows of its database from its own calls. */
export type Contact = {
  /** Whether the latest calls found the database away. */
  isLost(): boolean;
  /** Notes that the database cannot be opened. */
  lose(error: unknown): void;
  /** Notes that the database was opened. */
  gain(): void;
  /** Runs a call and notes what it tells. Throws what the call throws, or StoreClosedError if the database is away. */
  call<Result>(question: () => Promise<Result>): Promise<Result>;
  /** Like `call`, with a StoreClosedError for an answer that takes too long. The database may still do what it was asked. */
  callInTime<Result>(question: () => Promise<Result>): Promise<Result>;
};

export type ContactOptions = {
  /** How long a call waits for its answer. */
  waitMs: number;
  /** Called once when the database goes, with the reason; again if the reason is then one that lasts. */
  onLost(reason: string): void;
  /** Called once when the database is back. */
  onBack(awayMs: number): void;
};

export function createContact({ waitMs, onLost, onBack }: ContactOptions): Contact {
  let lostAt: number | undefined;
  let isLastingTold = false;

  function lose(error: unknown): void {
    const isLasting = lastingFaultOf(error) !== undefined;
    if (lostAt !== undefined && (isLastingTold || !isLasting)) return;
    lostAt ??= performance.now();
    isLastingTold = isLasting;
    onLost(wordsOf(error));
  }

  /** An answer to a call that began before the loss says nothing of the present. */
  function noteAnswer(begunAt: number): void {
    if (lostAt === undefined || begunAt < lostAt) return;
    const awayMs = performance.now() - lostAt;
    lostAt = undefined;
    onBack(awayMs);
  }

  async function call<Result>(question: () => Promise<Result>): Promise<Result> {
    const begunAt = performance.now();
    try {
      const answer = await question();
      noteAnswer(begunAt);
      return answer;
    } catch (error) {
      // While the database is away, a driver has errors that nobody has listed.
      if (!isAway(error) && (lostAt === undefined || isRefusal(error))) {
        if (isRefusal(error)) noteAnswer(begunAt);
        throw error;
      }
      lose(error);
      if (error instanceof StoreClosedError) throw error;
      throw new StoreClosedError('the database cannot be reached', { cause: error });
    }
  }

  return {
    isLost: () => lostAt !== undefined,
    lose,
    gain() {
      lostAt = undefined;
    },
    call,
    callInTime: (question) => call(() => within(waitMs, question(), 'the database does not answer')),
  };
}
