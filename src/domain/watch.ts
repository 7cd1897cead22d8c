import type { DeviceOutcome } from './outcome.ts';
import { stateOf } from './session.ts';

/** A device as a watch distinguishes it: without a session, kept out or restricted, let in. */
export type Standing = 'away' | 'held' | 'connected';

/** The state of a device by an answer of the NAC. */
export type WatchedState = {
  /** Undefined: the answer says nothing about the device, or there is none yet. */
  standing: Standing | undefined;
  /** Words of ours, with untrusted ones in them. */
  verdict: ReadonlyArray<string | { untrusted: string }>;
  /** The NAC's address that answered. */
  node: string | undefined;
};

/** A watch of a device in one thread, and the state that people know. Times are milliseconds by the store's clock. */
export type Watch<Asker, Device> = WatchedState & {
  /** The readers of its messages. */
  thread: string;
  /** Who asked; the messages mention them. */
  askers: readonly Asker[];
  /** When it was asked for last, and when the NAC is to be asked next. */
  since: number;
  dueAt: number;
  /** An answer that counts if another one until then is equal. */
  doubt?: { standing: Standing; node: string | undefined; until: number } | undefined;
  isHeldSent?: true;
  /** A change that is to be sent. `at`: when the NAC answered so. `refusals`: how often the chat service refused its message. */
  change?: { at: number; device: Device; isLast: boolean; refusals: number } | undefined;
};
type AnyWatch = Watch<unknown, unknown>;

/** An answer of the NAC about a device. */
type WatchAnswer<Device> = WatchedState & { at: number; isNoSession: boolean; device: Device };

/** A person's request. `first`: the state that the person got. `by`: the person who leaves; undefined: the watch ends for everyone. */
export type WatchRequest<Asker> =
  | { kind: 'join'; thread: string; asker: Asker; first: WatchedState }
  | { kind: 'stop'; thread: string; by?: string | undefined };

const MINUTE = 60_000;
export const WATCHED_MS = 8 * 60 * MINUTE;

/** Undefined: the outcome says nothing about the device. */
export function standingOf(outcome: DeviceOutcome): Standing | undefined {
  if (outcome.kind !== 'found') return outcome.kind === 'no session' ? 'away' : undefined;
  const kind = stateOf(outcome.record);
  if (kind === 'ended') return 'away';
  const isFree = kind === 'connected' || kind === 'unknown';
  return isFree && !outcome.record.ancPolicy && !outcome.record.epsStatus ? 'connected' : 'held';
}

/** Returns the watches of one device after a person's request. */
export function applyRequest<Asker extends { id: string }, Device>(
  watches: ReadonlyArray<Watch<Asker, Device>>,
  request: WatchRequest<Asker> & { at: number },
): Array<Watch<Asker, Device>> {
  const { kind, thread, at } = request;
  const others = watches.filter((each) => each.thread !== thread);
  const before = watches.find((each) => each.thread === thread);
  const id = kind === 'join' ? request.asker.id : request.by;
  const rest = before?.askers.filter((each) => id !== undefined && each.id !== id) ?? [];
  if (kind === 'stop') return before && rest.length > 0 ? [...others, { ...before, askers: rest }] : others;
  const askers = [...rest, request.asker];
  return [...others, { dueAt: at + MINUTE, ...(before ?? request.first), thread, askers, since: at }];
}

/** Whether its change or its end is to be sent now. */
export const hasMessage = ({ change, since, dueAt }: AnyWatch, now: number) =>
  dueAt <= now && (change !== undefined || since + WATCHED_MS <= now);

/**
 * Takes an answer. A change to or from connected is the last one; away to held is sent once. Away and held need a second
 * answer after 30 s; "no session" of another address of the NAC needs one after ten minutes.
 */
export function takeAnswer<W extends AnyWatch>(watch: W, answer: WatchAnswer<unknown>): W {
  const { at: now, standing, verdict, node, isNoSession, device } = answer;
  const { standing: before, isHeldSent, doubt: earlier } = watch;
  if (watch.change) return watch;
  if (standing === undefined) return scheduled(watch, now);
  const isStray = isNoSession && node !== undefined && node !== (watch.node ?? node);
  const isSure = standing === before || before === undefined || standing === 'connected';
  const until = now + (isStray ? 10 * MINUTE : isSure ? 0 : MINUTE / 2);
  const doubt = earlier?.standing === standing && earlier.node === node ? earlier : { standing, node, until };
  if (now < doubt.until) return scheduled({ ...watch, node: isStray ? watch.node : node, doubt }, now);
  const known = { ...watch, verdict, node, doubt: undefined };
  if (standing === before) return scheduled(known, now);
  const isLast = standing === 'connected' || before === 'connected';
  const isNews = isLast || (before === 'away' && standing === 'held' && !isHeldSent);
  if (!isNews) return scheduled({ ...known, standing }, now);
  const change = { at: now, device, isLast, refusals: 0 };
  return { ...known, standing, isHeldSent: true, change, dueAt: now };
}

/** @param isTaken by the chat service. Undefined: the watch has ended, by its change or by three refusals over an hour. */
export function afterMessage<W extends AnyWatch>(watch: W, isTaken: boolean, now: number): W | undefined {
  const { change } = watch;
  if (change === undefined || (isTaken && change.isLast) || (!isTaken && change.refusals >= 2))
    return undefined;
  if (isTaken) return scheduled({ ...watch, change: undefined }, now);
  return { ...watch, change: { ...change, refusals: change.refusals + 1 }, dueAt: now + 30 * MINUTE };
}

function scheduled<W extends AnyWatch>(watch: W, now: number): W {
  const { since, doubt } = watch;
  const next = now + (now - since < 10 * MINUTE ? MINUTE : 3 * MINUTE);
  const sureAt = doubt && doubt.until > now ? doubt.until : next;
  return { ...watch, dueAt: Math.min(next, sureAt, Math.max(since + WATCHED_MS, now)) };
}
