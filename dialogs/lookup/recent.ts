import { LRUCache } from 'lru-cache';
import type { DeviceAddress } from '../../src/domain/device-address.ts';
import { ownCopy } from '../../src/domain/text.ts';
import { MAX_ADDRESSES } from '../dialog.ts';
import { type DeviceAnswer, isDevice } from '../render/device.ts';
import { whoAndWhere } from '../render/facts.ts';
import { type Place, readersOf, threadOf } from '../render/message.ts';
import { verdictOf } from '../render/verdict.ts';
import type { Line } from '../render/words.ts';

/** A device as it was asked for, and its own address as far as it is known. */
export type AskedDevice = { asked: DeviceAddress; address: DeviceAddress };
/** `detail`: who and where, with foreign text. `at`: milliseconds since 1970. */
export type RecentLookup = AskedDevice & { verdict: string; detail: Line; at: number };
/** The bot's own question: "Did you mean ...?" with addresses, "Which device?" without. */
export type Pending = { command: 'lookup' | 'fields' | 'watch'; addresses: readonly DeviceAddress[] };

/** The meaning of a message depends on this. */
export type Known = {
  /** The devices of the thread's last question, in order. */
  recent: readonly AskedDevice[];
  /** Those of the conversation's last answer in another thread. */
  elsewhere: readonly AskedDevice[];
  pending: Pending | undefined;
  /** Whether the person has an open card for a password, which may come as a message. */
  isConnecting: boolean;
};

const MAX_CONVERSATIONS = 1000;
/** A yes or no counts for this long. */
const PENDING_MS = 10 * 60_000;

export type RecentLookups = ReturnType<typeof createRecentLookups>;

/**
 * The last lookups of each conversation and each of its threads, and the bot's open questions, in memory only: a quick
 * lookup writes nothing to the database.
 * @param steady a clock that is never set back
 */
export function createRecentLookups(steady: () => number) {
  const answered = new LRUCache<string, readonly RecentLookup[]>({ max: MAX_CONVERSATIONS });
  const asked = new LRUCache<string, readonly (AskedDevice & { at: number })[]>({ max: MAX_CONVERSATIONS });
  const pending = new LRUCache<string, Pending & { until: number }>({ max: MAX_CONVERSATIONS });
  const of = (readers: string) => answered.get(readers) ?? [];
  /** All devices of one answer, which are newest first. */
  const lastOf = (all: readonly (AskedDevice & { at: number })[]) =>
    all.filter(({ at }) => at === all[0]?.at).reverse();
  return {
    of,
    /** Notes the devices of a question before its answer. */
    ask: (thread: string, addresses: readonly DeviceAddress[], at: number) =>
      asked.set(thread, addresses.map((address) => ({ asked: address, address, at })).reverse()),
    /** Notes the bot's own question, which the next message of the thread may answer; undefined: there is none. */
    expect(place: Place, question: Pending | undefined): void {
      if (question) pending.set(threadOf(place), { ...question, until: steady() + PENDING_MS });
      else pending.delete(threadOf(place));
    },
    knownIn(place: Place): Omit<Known, 'isConnecting'> {
      const thread = threadOf(place);
      const [last = [], answers, question] = [asked.get(thread), of(thread), pending.get(thread)];
      const recent = lastOf((last[0]?.at ?? 0) > (answers[0]?.at ?? 0) ? last : answers);
      const elsewhere = recent.length > 0 ? [] : lastOf(of(readersOf(place)));
      return { recent, elsewhere, pending: question && question.until > steady() ? question : undefined };
    },
    /** Notes one answer's devices for all who read it. */
    note(place: Place, answers: readonly DeviceAnswer[], at: number): void {
      const readers = new Set([readersOf(place), threadOf(place)]);
      for (const answer of answers.filter(isDevice)) {
        const device = { asked: answer.asked, address: answer.address };
        const lookup = {
          ...device,
          verdict: verdictOf(answer).words,
          detail: ownCopy(whoAndWhere(answer)),
          at,
        };
        for (const each of readers) {
          const others = of(each).filter(
            (other) => other.asked !== device.asked && other.address !== device.address,
          );
          answered.set(each, [lookup, ...others].slice(0, MAX_ADDRESSES)); // "again" means all of one answer.
        }
      }
    },
  };
}
