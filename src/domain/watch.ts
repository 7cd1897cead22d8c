import type { DeviceOutcome } from './outcome.ts';
import { stateOf } from './session.ts';

/** A device as a watch tells it apart: without a session, kept out or restricted, let in. */
export type Standing = 'away' | 'held' | 'connected';

/** Words of ours, with untrusted ones in them. */
type Words = ReadonlyArray<string | { foreign: string }>;

/** A watched device in one thread. Times are milliseconds by the store's clock. */
export type Watch<Asker, Said> = {
  /** Who asked; the messages mention them. */
  askers: readonly Asker[];
  /** When it was asked for last, when it ends, and when the NAC is to be asked next. */
  since: number;
  until: number;
  dueAt: number;
  /** What people were told last, or was found first; undefined: the NAC has not answered yet. */
  standing?: Standing | undefined;
  /** The verdict that goes with it, and the NAC's address that gave the last answer. */
  verdict: Words;
  node?: string | undefined;
  /** The first of two equal answers. */
  doubt?: { standing: Standing; at: number } | undefined;
  /** Another address of the NAC that knows no session, and since when. */
  stray?: { node: string; at: number } | undefined;
  isHeldTold?: true | undefined;
  /** A change that is to be told. */
  change?: Change<Said> | undefined;
};

/** `id`: the same for all watches of the device. `refusals`: when the chat service refused the message. */
export type Change<Said> = { id: string; said: Said; isLast: boolean; refusals: readonly number[] };

/** An answer of the NAC. `standing`: undefined if it says nothing about the device. `id`, `said`: for its change. */
export type Answer<Said> = {
  standing: Standing | undefined;
  verdict: Words;
  node: string | undefined;
  isNoSession: boolean;
  id: string;
  said: Said;
};

const SECOND = 1000;
const MINUTE = 60 * SECOND;
export const WATCHED_MS = 8 * 60 * MINUTE;
const YOUNG_MS = 10 * MINUTE;
const EQUAL_AFTER_MS = 30 * SECOND;
const STRAY_MS = 10 * MINUTE;
const MAX_ASKERS = 20;

/** Undefined: the outcome says nothing about the device. */
export function standingOf(outcome: DeviceOutcome): Standing | undefined {
  if (outcome.kind !== 'found') return outcome.kind === 'no session' ? 'away' : undefined;
  const { restrictions = [] } = outcome.record;
  const { kind } = stateOf(outcome.record);
  if (kind === 'ended') return 'away';
  const isFree = restrictions.length === 0 && (kind === 'connected' || kind === 'unknown');
  return isFree ? 'connected' : 'held';
}

/** Begins a watch, or joins and renews it. More than 20 people are not mentioned. @param isSame tells askers apart */
export function join<Asker, Said>(
  before: Watch<Asker, Said> | undefined,
  asker: Asker,
  isSame: (other: Asker) => boolean,
  first: Pick<Watch<Asker, Said>, 'standing' | 'verdict' | 'node'>,
  now: number,
): Watch<Asker, Said> {
  const times = { since: now, until: now + WATCHED_MS, dueAt: now + MINUTE };
  if (before === undefined) return { ...first, ...times, askers: [asker] };
  const others = before.askers.filter((other) => !isSame(other));
  const askers = others.length < MAX_ASKERS ? [...others, asker] : others;
  return { ...before, ...times, askers, dueAt: Math.min(before.dueAt, times.dueAt) };
}

export const isOver = ({ until, change }: Watch<unknown, unknown>, now: number) =>
  change === undefined && now >= until;

/** Takes an answer. A change to or from connected is the last one; away to held is told once; away and held need two answers. */
export function takeAnswer<Asker, Said>(
  watch: Watch<Asker, Said>,
  answer: Answer<Said>,
  now: number,
): Watch<Asker, Said> {
  const { standing, verdict, node, isNoSession, id, said } = answer;
  if (watch.change) return watch;
  if (standing === undefined) return scheduled(watch, now);
  if (isNoSession && watch.node !== undefined && node !== undefined && node !== watch.node) {
    const { stray } = watch;
    const at = stray?.node === node ? stray.at : now;
    if (now - at < STRAY_MS) return scheduled({ ...watch, stray: { node, at } }, now);
  }
  const { standing: before, isHeldTold } = watch;
  const heard = { ...watch, verdict, node, stray: undefined, doubt: undefined };
  if (standing === before) return scheduled(heard, now);
  if (before !== undefined && standing !== 'connected') {
    const doubt = watch.doubt?.standing === standing ? watch.doubt : { standing, at: now };
    if (now - doubt.at < EQUAL_AFTER_MS) return scheduled({ ...watch, node, stray: undefined, doubt }, now);
  }
  const isLast = standing === 'connected' || before === 'connected';
  const isNews = isLast || (before === 'away' && standing === 'held' && !isHeldTold);
  if (!isNews) return scheduled({ ...heard, standing }, now);
  const change = { id, said, isLast, refusals: [] };
  return { ...heard, standing, isHeldTold: true, change, dueAt: now };
}

/** The watch after its change was told; undefined: it has ended. */
export function afterTelling<Asker, Said>(
  watch: Watch<Asker, Said>,
  now: number,
): Watch<Asker, Said> | undefined {
  return watch.change?.isLast ? undefined : scheduled({ ...watch, change: undefined }, now);
}

/** The watch after the chat service refused its conversation; undefined: three times over an hour. */
export function afterRefusal<Asker, Said>(
  watch: Watch<Asker, Said>,
  now: number,
): Watch<Asker, Said> | undefined {
  const { change } = watch;
  if (change === undefined) return undefined;
  const refusals = [...change.refusals, now];
  const [first = now] = refusals;
  if (refusals.length >= 3 && now - first >= 60 * MINUTE) return undefined;
  return { ...watch, change: { ...change, refusals }, dueAt: now + 30 * MINUTE };
}

/** Sets when the NAC is to be asked next. */
function scheduled<Asker, Said>(watch: Watch<Asker, Said>, now: number): Watch<Asker, Said> {
  const { since, until, doubt } = watch;
  const equalAt = (doubt?.at ?? 0) + EQUAL_AFTER_MS;
  const next = equalAt > now ? equalAt : now + (now - since < YOUNG_MS ? MINUTE : 3 * MINUTE);
  return { ...watch, dueAt: Math.min(next, Math.max(until, now)) };
}
