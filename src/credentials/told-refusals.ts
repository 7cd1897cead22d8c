import { randomUUID } from 'node:crypto';
import { concerns, type Holding, judgedOf, type Refusal } from './refusal.ts';

/** Joins the processes that share one account. @param hear is handed all their refusals, own ones too, again and again */
export type Join = (hear: (refusals: readonly Refusal[]) => void) => Teller;

/** Tells the other processes, soon; never waits for the database. */
type Teller = {
  tell(refusal: Refusal): void;
  withdraw(ids: readonly string[]): void;
};

/** How long a refused password rests, and until when (milliseconds since 1970). */
export type Pause = { restMs: number; until: number };

/** What this process and the others tell one another of one account. */
export type ToldRefusals = {
  /** Tells that the present password was refused. */
  tell(pause: Pause): void;
  /** The refusals that are known now. */
  known(): readonly string[];
  withdraw(ids: readonly string[]): void;
};

export type ToldRefusalsOptions = {
  present(): Holding;
  now: () => number;
  /** Undefined: no other process has this account. */
  join: Join | undefined;
  /** Called with the pause that the others' refusals make for the present password; undefined if none concerns it. */
  onHeard(pause: Pause | undefined): void;
};

/** After another process's refusal a password rests up to this much longer, so that not all processes try again at once. */
const LONGER_MS = 5000;

export function createToldRefusals({ present, now, join, onHeard }: ToldRefusalsOptions): ToldRefusals {
  const longerMs = Math.random() * LONGER_MS;
  /** Refusals by id, and how long each one is heeded. What the database's clock says later does not change that. */
  let heard: ReadonlyMap<string, number> = new Map();
  let own: string | undefined;

  function hear(refusals: readonly Refusal[]): void {
    const end = ({ id, until, restMs }: Refusal) =>
      heard.get(id) ?? Math.min(until, now() + restMs) + longerMs;
    heard = new Map(refusals.map((each) => [each.id, end(each)]));
    const holding = present();
    const mine = refusals.filter((each) => each.id !== own && concerns(holding, each));
    onHeard(
      mine.length === 0
        ? undefined
        : { restMs: Math.max(...mine.map(({ restMs }) => restMs)), until: Math.max(...mine.map(end)) },
    );
  }

  const teller = join?.(hear);
  return {
    tell(pause) {
      if (teller === undefined) return;
      own = randomUUID();
      teller.tell({ id: own, ...pause, ...judgedOf(present(), now()) });
    },
    known: () => [...heard.keys(), ...(own === undefined || heard.has(own) ? [] : [own])],
    withdraw(ids) {
      if (ids.length === 0) return;
      teller?.withdraw(ids);
      heard = new Map([...heard].filter(([id]) => !ids.includes(id)));
      if (own !== undefined && ids.includes(own)) own = undefined;
    },
  };
}
