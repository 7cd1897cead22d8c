import type { DeviceOutcome } from './outcome.ts';
import { stateOf } from './session.ts';

/** A device as a watch tells it apart: without a session, kept out or restricted, let in. */
export type Standing = 'away' | 'held' | 'connected';

/** Words of ours, with untrusted ones in them. */
type Words = ReadonlyArray<string | { foreign: string }>;

/** A watch of a device in one thread. Times are milliseconds by the store's clock. */
export type Watch<Asker, Device> = {
  /** The readers of its messages. */
  thread: string;
  /** Who asked; the messages mention them. */
  askers: readonly Asker[];
  /** When it was asked for last, and when the NAC is to be asked next. */
  since: number;
  dueAt: number;
  /** The last one that people know; undefined: the NAC has not answered yet. */
  standing?: Standing | undefined;
  /** The verdict that goes with it, and the NAC's address that gave the last answer. */
  verdict: Words;
  node?: string | undefined;
  /** The first of two equal answers. */
  doubt?: { standing: Standing; at: number } | undefined;
  /** Another address of the NAC that knows no session, and since when. */
  stray?: { node: string; at: number } | undefined;
  isHeldSent?: true | undefined;
  /** A change that is to be sent. `refusals`: when the chat service refused its message. */
  change?: { id: string; device: Device; isLast: boolean; refusals: readonly number[] } | undefined;
};

/** An answer of the NAC. `standing`: undefined if it says nothing about the device. `id`, `device`: for its change. */
export type Answer<Device> = {
  kind: 'answer';
  at: number;
  standing: Standing | undefined;
  verdict: Words;
  node: string | undefined;
  isNoSession: boolean;
  id: string;
  device: Device;
};

/** What a person asks for. `first`: the answer that the person got. `by`: who leaves; undefined: the watch ends for everyone. */
export type WatchRequest<Asker> =
  | { kind: 'join'; thread: string; asker: Asker; first: First }
  | { kind: 'stop'; thread: string; by?: string | undefined };
type First = Pick<AnyWatch, 'standing' | 'verdict' | 'node'>;
type AnyWatch = Watch<unknown, unknown>;

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

/** Returns the watches of one device after an event. */
export function applyEvent<Asker extends { id: string }, Device>(
  watches: ReadonlyArray<Watch<Asker, Device>>,
  event: Answer<Device> | (WatchRequest<Asker> & { at: number }),
): Array<Watch<Asker, Device>> {
  if (event.kind === 'answer') return watches.map((each) => takeAnswer(each, event));
  const { kind, thread, at } = event;
  const others = watches.filter((each) => each.thread !== thread);
  const before = watches.find((each) => each.thread === thread);
  const id = kind === 'join' ? event.asker.id : event.by;
  const rest = before?.askers.filter((each) => id !== undefined && each.id !== id) ?? [];
  if (kind === 'stop') return before && rest.length > 0 ? [...others, { ...before, askers: rest }] : others;
  const askers = rest.length < MAX_ASKERS ? [...rest, event.asker] : rest;
  const { dueAt, ...known } = before ?? { ...event.first, dueAt: Number.POSITIVE_INFINITY };
  return [...others, { ...known, since: at, dueAt: Math.min(dueAt, at + MINUTE), thread, askers }];
}

/** Whether its change or its end is to be sent now. */
export const hasMessage = ({ change, since, dueAt }: AnyWatch, now: number) =>
  dueAt <= now && (change !== undefined || since + WATCHED_MS <= now);

/** Takes an answer. A change to or from connected is the last one; away to held is sent once; away and held need two answers. */
function takeAnswer<W extends AnyWatch>(watch: W, answer: Answer<unknown>): W {
  const { at: now, standing, verdict, node, isNoSession, id, device } = answer;
  if (watch.change) return watch;
  if (standing === undefined) return scheduled(watch, now);
  if (isNoSession && watch.node !== undefined && node !== undefined && node !== watch.node) {
    const { stray } = watch;
    const at = stray?.node === node ? stray.at : now;
    if (now - at < STRAY_MS) return scheduled({ ...watch, stray: { node, at } }, now);
  }
  const { standing: before, isHeldSent } = watch;
  const heard = { ...watch, verdict, node, stray: undefined, doubt: undefined };
  if (standing === before) return scheduled(heard, now);
  if (before !== undefined && standing !== 'connected') {
    const doubt = watch.doubt?.standing === standing ? watch.doubt : { standing, at: now };
    if (now - doubt.at < EQUAL_AFTER_MS) return scheduled({ ...watch, node, stray: undefined, doubt }, now);
  }
  const isLast = standing === 'connected' || before === 'connected';
  const isNews = isLast || (before === 'away' && standing === 'held' && !isHeldSent);
  if (!isNews) return scheduled({ ...heard, standing }, now);
  const change = { id, device, isLast, refusals: [] };
  return { ...heard, standing, isHeldSent: true, change, dueAt: now };
}

/** @param isTaken by the chat service. Undefined: the watch has ended, by its change or by three refusals over an hour. */
export function afterMessage<W extends AnyWatch>(watch: W, isTaken: boolean, now: number): W | undefined {
  const { change } = watch;
  if (change === undefined || (isTaken && change.isLast)) return undefined;
  if (isTaken) return scheduled({ ...watch, change: undefined }, now);
  const refusals = [...change.refusals, now];
  const [first = now] = refusals;
  if (refusals.length >= 3 && now - first >= 60 * MINUTE) return undefined;
  return { ...watch, change: { ...change, refusals }, dueAt: now + 30 * MINUTE };
}

/** Sets when the NAC is to be asked next. */
function scheduled<W extends AnyWatch>(watch: W, now: number): W {
  const { since, doubt } = watch;
  const equalAt = (doubt?.at ?? 0) + EQUAL_AFTER_MS;
  const next = equalAt > now ? equalAt : now + (now - since < YOUNG_MS ? MINUTE : 3 * MINUTE);
  return { ...watch, dueAt: Math.min(next, Math.max(since + WATCHED_MS, now)) };
}
