import { LRUCache } from 'lru-cache';
import type { AskedDevice, DeviceAddress } from '../../src/domain/device-address.ts';
import { isMacAddress, isOneDevice, readAddresses } from '../../src/domain/device-address.ts';
import { groupOf, isDevice, isOwn, isTransient } from '../../src/domain/outcome.ts';
import { stateOf } from '../../src/domain/session.ts';
import type { Nac } from '../../src/nac.ts';
import { type BaseParts, MAX_ADDRESSES } from '../dialog.ts';
import { verdictOf, whoAndWhere, worstFirst } from '../render/describe.ts';
import type { Answers, DeviceAnswer, Devices, RecentLookup } from '../render/device.ts';
import { type Place, readersOf, threadOf } from '../render/message.ts';
import { code, joinLines } from '../render/words.ts';

/** Looks up each device for a person. Does not ask the NAC about addresses that stand for no device. */
export function startLookups(addresses: readonly DeviceAddress[], person: string, lookUp: Nac['watch']) {
  const answers = new Map<DeviceAddress, DeviceAnswer>();
  const lookUpEach = (asked: DeviceAddress) =>
    lookUpOne(asked, person, lookUp).then((answer) =>
      answers.set(asked, limitTokens(answer, addresses.length)),
    );
  /** The answers in the message's order. A device that was found by both of its addresses stands once. */
  const soFar = (): Devices => ({
    answers: eachOnce(addresses.flatMap((address) => answers.get(address) ?? [])),
    waiting: addresses.filter((address) => !answers.has(address)),
  });
  return { soFar, finished: Promise.all(addresses.map(lookUpEach)).then(() => soFar().answers) };
}

/** Looks up one device for a person, with all of its tokens. */
export async function lookUpOne(
  asked: DeviceAddress,
  person: string,
  lookUp: Nac['watch'],
): Promise<DeviceAnswer> {
  const outcome = isOneDevice(asked) ? await lookUp(asked, person) : ({ kind: 'no device' } as const);
  return { asked, address: isMacAddress(asked) ? asked : ownAddress(asked, outcome), outcome };
}

/** Leaves out a device that was asked for by its MAC address and found by an IP address too. The latter's answer names both. */
function eachOnce(answers: Answers): Answers {
  if (answers.length < 2) return answers;
  const byIp = answers.flatMap(({ asked, address }) => (asked === address ? [] : address));
  return answers.filter(({ asked, outcome }) => outcome.kind !== 'found' || !byIp.includes(asked));
}

function ownAddress(asked: DeviceAddress, outcome: DeviceAnswer['outcome']): DeviceAddress {
  if (outcome.kind !== 'found') return asked;
  const [own, ...others] = readAddresses(outcome.record.station ?? '', 'addressed').addresses;
  return own && isMacAddress(own) && others.length === 0 && isOneDevice(own) ? own : asked;
}

/** An answer as it is stored: without the NAC's own text. */
export const withoutText = (answer: DeviceAnswer): DeviceAnswer =>
  answer.outcome.kind === 'found' ? { ...answer, outcome: { ...answer.outcome, text: '' } } : answer;

/** UTF-16 units of one question's tokens. Four messages in chat (of six), or ten posts, hold them and 40,000 of other text. */
const MAX_CHARACTERS = 60_000;

/** A longer token is left out: posts end between lines, so the one before would stay half empty. Real tokens have under 100. */
const MAX_TOKEN = 1000;

/** Leaves out the last tokens of a device that have no place in an answer about so many devices. */
export function limitTokens(answer: DeviceAnswer, devices: number): DeviceAnswer {
  if (answer.outcome.kind !== 'found') return answer;
  let left = MAX_CHARACTERS / devices;
  const tokens = answer.outcome.tokens.filter((token) => {
    if (left < 0 || token.length > MAX_TOKEN) return false;
    left -= code(token).length + 3; // With its line's end. Chat shows invisible letters as code points, so the room needs less.
    return left >= 0;
  });
  const tokensLeftOut = answer.outcome.tokens.length - tokens.length;
  return tokensLeftOut === 0 ? answer : { ...answer, outcome: { ...answer.outcome, tokens }, tokensLeftOut };
}

/** `recent` is for the command of that name, and for the next questions in the thread. */
export type ReportParts = BaseParts & { recent: RecentLookups };

/** More would take slots from lookups. */
const MAX_EXPLAINED = 5;

/** Explains the worst answers without a running session, and adds the last known state where there is none. Never rejects. */
export async function explain(answers: Answers, person: string, bot: ReportParts): Promise<Answers> {
  const noted = answers.map((answer) =>
    isTransient(answer) ? { ...answer, lastKnown: bot.recent.lastKnown(answer.asked) } : answer,
  );
  const asked = worstFirst(noted.filter(isExplained)).slice(0, MAX_EXPLAINED);
  if (asked.length === 0) return noted;
  // The address that knew no session is asked how many it has, under the same account.
  const [node] = answers.flatMap(({ outcome }) => (outcome.kind === 'no session' && outcome.node) || []);
  try {
    const [explained, isNobodySeen] = await Promise.all([
      Promise.all(asked.map((answer) => explainOne(answer, person, bot))),
      node === undefined ? undefined : bot.nac.hasNoSessions(node, person),
    ]);
    return noted.map((answer) => {
      const whole = explained[asked.indexOf(answer)] ?? answer;
      return isNobodySeen && whole.outcome.kind === 'no session' ? { ...whole, isNobodySeen } : whole;
    });
  } catch (error) {
    bot.onError(error);
    return noted;
  }
}

async function explainOne(answer: DeviceAnswer, person: string, bot: ReportParts): Promise<DeviceAnswer> {
  const { address, outcome } = answer;
  if (!isMacAddress(address)) return answer; // The NAC lists attempts and records by MAC address alone.
  const node = 'node' in outcome ? outcome.node : undefined;
  const [attempts, endpoint] = await Promise.all([
    bot.nac.history?.(address, person, node),
    outcome.kind === 'no session' ? bot.findEndpoint?.(address, person) : undefined,
  ]);
  return { ...answer, ...(attempts && { attempts }), ...(endpoint && { endpoint }) };
}

const EXPLAINED = ['rejected', 'suppressed', 'did not finish', 'no session', 'ended'];

function isExplained({ outcome }: DeviceAnswer): boolean {
  return EXPLAINED.includes(outcome.kind === 'found' ? stateOf(outcome.record) : outcome.kind);
}

export type DeviceCommand = 'lookup' | 'fields' | 'watch' | 'unwatch';
/** The bot's own question. `suggested`: the command that "yes" means. */
export type Pending =
  | { kind: 'sign-in' }
  | { kind: 'which device'; command: DeviceCommand }
  | { kind: 'did you mean'; command: DeviceCommand; suggested: string };

type Chosen = { kind: string; addresses?: readonly DeviceAddress[]; pending?: Pending | undefined };

const MAX_CONVERSATIONS = 1000;
const MAX_KNOWN = 10_000;
/** A yes or no counts for this long. */
const PENDING_MS = 10 * 60_000;

type RecentLookups = ReturnType<typeof createRecentLookups>;
export type KnownDevices = ReturnType<RecentLookups['knownIn']>;

/** The memory of lookups and open questions, in this process alone. @param steady a clock that is never set back */
export function createRecentLookups(steady: () => number) {
  const lookups = new LRUCache<string, readonly RecentLookup[]>({ max: MAX_CONVERSATIONS });
  const lastAsked = new LRUCache<string, readonly AskedDevice[]>({ max: MAX_CONVERSATIONS });
  const expiry = { ttl: PENDING_MS, ttlResolution: 0, perf: { now: steady } };
  const questions = new LRUCache<string, Pending>({ max: MAX_CONVERSATIONS, ...expiry });
  const byAddress = new LRUCache<string, RecentLookup>({ max: MAX_KNOWN });
  const of = (readers: string) => lookups.get(readers) ?? [];
  return {
    /** Returns the last lookups that these readers saw, newest first. */
    of,
    /** Notes a message's devices before their answer, and the bot's own question, which stays open until a command. */
    noteQuestion(place: Place, { kind, addresses = [], pending }: Chosen): void {
      if (kind !== 'run' && !pending) return;
      const devices = addresses.slice(0, MAX_ADDRESSES).map((address) => ({ asked: address, address }));
      if (devices.length > 0) lastAsked.set(threadOf(place), devices);
      questions.set(threadOf(place), pending);
    },
    /** The devices of the thread's last question, else of the last answer in another thread; and the open question. */
    knownIn(place: Place) {
      const recent = lastAsked.get(threadOf(place)) ?? [];
      const others = recent.length > 0 ? [] : of(readersOf(place));
      const elsewhere = others.filter(({ at }) => at === others[0]?.at);
      return { recent, elsewhere, pending: questions.get(threadOf(place)) };
    },
    /** Returns a device's last answer in any conversation, but none that was given under a person's own account. */
    lastKnown: (asked: string) => byAddress.get(asked),
    /** Notes one answer's devices for all who read it. */
    note(place: Place, answers: Answers, at: number): void {
      const answered = answers.filter(isDevice).map((answer) => {
        const { asked, address, outcome } = answer;
        const verdict = verdictOf(answer).words;
        const words = joinLines([verdict, whoAndWhere(answer)], ', ');
        const said: typeof words = JSON.parse(JSON.stringify(words)); // Else it keeps the NAC's whole text.
        const lookup = { asked, address, verdict, said, at };
        if (groupOf(outcome) !== 'not known' && !isOwn(answer)) byAddress.set(asked, lookup);
        return lookup;
      });
      const isKnown = (other: AskedDevice) =>
        answered.some(({ asked, address }) => asked === other.asked || address === other.address);
      const others = of(readersOf(place)).filter((other) => !isKnown(other));
      lookups.set(readersOf(place), [...answered, ...others].slice(0, MAX_ADDRESSES));
      if (answered.length > 0) lastAsked.set(threadOf(place), answered);
    },
  };
}
