import { isAway, isRefusal, StoreClosedError, stateOf, wordsOf } from './away.ts';
import { lastingFaultOf } from './lasting-fault.ts';

/** What the bot knows of its database from its own calls. */
export type Contact = {
  /** `ok`, or what is wrong with the database. */
  state(): string;
  /** Notes that the database cannot be opened. */
  lose(error: unknown): void;
  /** Notes that the database was opened, or took a change. */
  gain(): void;
  /** Runs a call and notes what it tells. Throws what the call throws, or StoreClosedError if the database is away. */
  call<Result>(question: () => Promise<Result>): Promise<Result>;
};

export type ContactOptions = {
  /** Called once when the database goes, with the reason; again if the reason is then one that lasts. */
  onLost(reason: string): void;
  /** Called once when the database is back. */
  onBack(awayMs: number): void;
  /** A clock that is never set back. */
  clock: () => number;
};

/** A database that is lost is back when `gain` says so: many that take no changes still answer questions. */
export function createContact({ onLost, onBack, clock }: ContactOptions): Contact {
  let lost: { at: number; state: string; isLasting: boolean } | undefined;

  function lose(error: unknown): void {
    const isLasting = lastingFaultOf(error) !== undefined;
    const isTold = lost !== undefined && (lost.isLasting || !isLasting);
    lost = {
      at: lost?.at ?? clock(),
      state: stateOf(error),
      isLasting: isLasting || lost?.isLasting === true,
    };
    if (!isTold) onLost(wordsOf(error));
  }

  return {
    state: () => lost?.state ?? 'ok',
    lose,
    gain() {
      if (lost === undefined) return;
      const awayMs = clock() - lost.at;
      lost = undefined;
      onBack(awayMs);
    },
    async call(question) {
      try {
        return await question();
      } catch (error) {
        // While the database is away, a driver has errors that nobody has listed.
        if (!isAway(error) && (lost === undefined || isRefusal(error))) throw error;
        lose(error);
        if (error instanceof StoreClosedError) throw error;
        throw new StoreClosedError('the database is away', { cause: error });
      }
    },
  };
}
