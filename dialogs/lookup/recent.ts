import { LRUCache } from 'lru-cache';
import type { DeviceAddress } from '../../src/domain/device-address.ts';
import { groupOf } from '../../src/domain/outcome.ts';
import { ownCopy } from '../../src/domain/text.ts';
import { MAX_ADDRESSES } from '../dialog.ts';
import { verdictOf } from '../render/describe.ts';
import type { Answers, AskedDevice, RecentLookup } from '../render/device.ts';
import { isDevice, isOwn, whoAndWhere } from '../render/device.ts';
import { type Place, readersOf, threadOf } from '../render/message.ts';
import { joinLines } from '../render/words.ts';

export type DeviceCommand = 'lookup' | 'fields' | 'watch' | 'unwatch';
/** The bot's own question. `suggested`: the command that "yes" means. */
export type Pending =
  | { kind: 'sign-in' }
  | { kind: 'which device'; command: DeviceCommand }
  | { kind: 'did you mean'; command: DeviceCommand; suggested: string };

/** The devices of a thread's last question, and the bot's own one, which counts until a time of the steady clock. */
type Thread = { devices: readonly AskedDevice[]; pending?: Pending | undefined; until?: number };
type Chosen = { kind: string; addresses?: readonly DeviceAddress[]; pending?: Pending | undefined };

const MAX_CONVERSATIONS = 1000;
const MAX_DEVICES = 10_000;
/** A yes or no counts for this long. */
const PENDING_MS = 10 * 60_000;

export type RecentLookups = ReturnType<typeof createRecentLookups>;
export type KnownDevices = ReturnType<RecentLookups['knownIn']>;

/** The memory of lookups and open questions, in this process alone. @param steady a clock that is never set back */
export function createRecentLookups(steady: () => number) {
  const lookups = new LRUCache<string, readonly RecentLookup[]>({ max: MAX_CONVERSATIONS });
  const threads = new LRUCache<string, Thread>({ max: MAX_CONVERSATIONS });
  const byAddress = new LRUCache<string, RecentLookup>({ max: MAX_DEVICES });
  const of = (readers: string) => lookups.get(readers) ?? [];
  return {
    /** Returns the last lookups that these readers saw, newest first. */
    of,
    /** Notes a message's devices before their answer, and the bot's own question, which stays open until a command. */
    noteQuestion(place: Place, { kind, addresses = [], pending }: Chosen): void {
      if (kind !== 'run' && !pending) return;
      const thread = threadOf(place);
      const asked = addresses.slice(0, MAX_ADDRESSES).map((address) => ({ asked: address, address }));
      const devices = asked.length > 0 ? asked : (threads.get(thread)?.devices ?? []);
      threads.set(thread, { devices, pending, until: steady() + PENDING_MS });
    },
    /** The devices of the thread's last question, else of the last answer in another thread; and the open question. */
    knownIn(place: Place) {
      const { devices: recent = [], pending, until = 0 } = threads.get(threadOf(place)) ?? {};
      const others = recent.length > 0 ? [] : of(readersOf(place));
      const elsewhere = others.filter(({ at }) => at === others[0]?.at);
      return { recent, elsewhere, pending: steady() < until ? pending : undefined };
    },
    /** Returns a device's last answer in any conversation, but none that was given under a person's own account. */
    lastKnown: (asked: string) => byAddress.get(asked),
    /** Notes one answer's devices for all who read it. */
    note(place: Place, answers: Answers, at: number): void {
      const answered = answers.filter(isDevice).map((answer) => {
        const { asked, address, outcome } = answer;
        const verdict = verdictOf(answer).words;
        const said = ownCopy(joinLines([verdict, whoAndWhere(answer)], ', '));
        const lookup = { asked, address, verdict, said, at };
        if (groupOf(outcome) !== 'not known' && !isOwn(answer)) byAddress.set(asked, lookup);
        return lookup;
      });
      const isKnown = (other: AskedDevice) =>
        answered.some(({ asked, address }) => asked === other.asked || address === other.address);
      const others = of(readersOf(place)).filter((other) => !isKnown(other));
      lookups.set(readersOf(place), [...answered, ...others].slice(0, MAX_ADDRESSES));
      const thread = threadOf(place);
      if (answered.length > 0) threads.set(thread, { ...threads.get(thread), devices: answered });
    },
  };
}
