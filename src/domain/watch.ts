import type { DeviceOutcome } from './outcome.ts';
import { stateOf } from './session.ts';

/** A device as a watch distinguishes it: without a session, kept out or restricted, let in. */
export type Standing = 'away' | 'held' | 'connected';

/** An answer of the NAC about a device. `isNobodySeen`: the NAC has no active session at all. */
type Answer = { outcome: DeviceOutcome; isNobodySeen?: true };

/** A watch of a device in one thread. Times are milliseconds by the store's clock. */
export type Watch<Asker, Device extends Answer> = {
  /** The readers of its messages. */
  thread: string;
  /** Who asked; the messages mention them. */
  askers: readonly Asker[];
  /** The last answer that counts; at the beginning, the one that people got. */
  device: Device;
  /** When it was asked for last, and when the NAC is to be asked next. */
  since: number;
  dueAt: number;
  /** An answer that counts if another one until then is equal. */
  doubt?: { standing: Standing; node: string | undefined; until: number } | undefined;
  isHeldSent?: true;
  /** The device's change, which is to be sent. `at`: when the NAC answered so. `refusals`: how often the chat service refused it. */
  change?: { at: number; isLast: boolean; refusals: number } | undefined;
};
type AnyWatch = Watch<unknown, Answer>;

/** The people for whom a thread's watch goes on, the last who asked at the end; nobody: it ends. `first`: begins or renews it, with the answer that people got. */
export type WatchRequest<Asker, Device> = { thread: string; askers: readonly Asker[]; first?: Device };

const MINUTE = 60_000;
export const WATCHED_MS = 8 * 60 * MINUTE;

/** Undefined: the answer says nothing about the device. */
export function standingOf({ outcome, isNobodySeen }: Answer): Standing | undefined {
  if (outcome.kind !== 'found') return outcome.kind === 'no session' && !isNobodySeen ? 'away' : undefined;
  const kind = stateOf(outcome.record);
  if (kind === 'ended') return 'away';
  const isFree = kind === 'connected' || kind === 'unknown';
  return isFree && !outcome.record.ancPolicy && !outcome.record.epsStatus ? 'connected' : 'held';
}

const nodeOf = ({ outcome }: Answer) => ('node' in outcome ? outcome.node : undefined);

/** Returns the watches of one device after a request. */
export function applyRequest<Asker, Device extends Answer>(
  watches: ReadonlyArray<Watch<Asker, Device>>,
  { thread, askers, first, at }: WatchRequest<Asker, Device> & { at: number },
): Array<Watch<Asker, Device>> {
  const others = watches.filter((each) => each.thread !== thread);
  const before = watches.find((each) => each.thread === thread);
  if (!first) return before && askers.length > 0 ? [...others, { ...before, askers }] : others;
  const present = before ? askers : askers.slice(-1); // It may have ended meanwhile, for those who asked earlier.
  return [...others, { dueAt: at + MINUTE, device: first, ...before, thread, askers: present, since: at }];
}

/** Whether its change or its end is to be sent now. */
export const hasMessage = ({ change, since, dueAt }: AnyWatch, now: number) =>
  dueAt <= now && (change !== undefined || since + WATCHED_MS <= now);

/**
 * Takes an answer. A change to or from connected is the last one; away to held is sent once. Away and held need a second
 * answer after 30 s; "no session" of another address of the NAC needs one after ten minutes.
 */
export function takeAnswer<W extends AnyWatch>(watch: W, device: W['device'], now: number): W {
  const { device: last, isHeldSent, doubt: earlier } = watch;
  const [before, standing] = [standingOf(last), standingOf(device)];
  const node = nodeOf(device);
  if (watch.change) return watch;
  if (standing === undefined) return scheduled(watch, now);
  const isStray = device.outcome.kind === 'no session' && node !== (nodeOf(last) ?? node);
  const isSure = standing === before || before === undefined || standing === 'connected';
  const until = now + (isStray ? 10 * MINUTE : isSure ? 0 : MINUTE / 2);
  const doubt = earlier?.standing === standing && earlier.node === node ? earlier : { standing, node, until };
  if (now < doubt.until) return scheduled({ ...watch, doubt }, now);
  const known = { ...watch, device, doubt: undefined };
  const isLast = standing === 'connected' || before === 'connected';
  const isNews = isLast || (before === 'away' && standing === 'held' && !isHeldSent);
  if (standing === before || !isNews) return scheduled(known, now);
  return { ...known, isHeldSent: true, change: { at: now, isLast, refusals: 0 }, dueAt: now };
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
  return { ...watch, dueAt: Math.min(next, sureAt, since + WATCHED_MS) };
}
