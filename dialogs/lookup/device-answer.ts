import type { Attempt } from '../../src/domain/attempts.ts';
import { addressKindOf, type DeviceAddress, isMacAddress } from '../../src/domain/device-address.ts';
import { findMacAddresses, kindOf } from '../../src/domain/mac-address.ts';
import { type DeviceOutcome, groupOf, type Lookup, lookupName } from '../../src/domain/outcome.ts';
import type { SessionRecord } from '../../src/domain/record.ts';
import type { Endpoint } from '../../src/nac/endpoints.ts';
import type { Delivery } from '../../src/webhook/posts.ts';
import { code, type Line, line, type Reader } from '../format/words.ts';

/** One device of a message: what the NAC said about it, or why the NAC was not asked. */
export type DeviceAnswer = {
  asked: DeviceAddress;
  /** The device's own MAC address if it is known, else what was asked for. */
  address: DeviceAddress;
  outcome: DeviceOutcome;
  /** The device's last attempts within 24 hours, newest first; undefined if they are not known. */
  attempts?: readonly Attempt[];
  /** The device's own record in the NAC, if it has no session; undefined: not known. */
  endpoint?: Endpoint;
  /** What this process last knew of the device, if the NAC was down now. */
  lastKnown?: LastKnown;
  /** The NAC answered this process within minutes, so its address is right. */
  isNacKnown?: true;
  /** The last questions found no session for anyone, so the NAC itself may see nothing. */
  isNobodySeen?: true;
  /** How many tokens of the session have no place in the answer; undefined: none. */
  tokensLeftOut?: number;
};
/** A device's verdict and place in our words, with foreign text, and when (milliseconds since 1970). */
export type LastKnown = { at: number; said: Line };
export type Asking = ReturnType<typeof ask>;

/** Looks up each device for a person. Does not ask the NAC about addresses that stand for no device. */
export function ask(addresses: readonly DeviceAddress[], person: string, lookUp: Lookup) {
  const answers = new Map<DeviceAddress, DeviceAnswer>();
  async function askOne(asked: DeviceAddress): Promise<DeviceAnswer> {
    const kind = addressKindOf(asked);
    const outcome = kind === 'device' ? await lookUp(asked, person) : { kind };
    const whole: DeviceAnswer = { asked, address: ownAddress(asked, outcome), outcome };
    const [answer = whole] = bounded([whole]); // Hundreds of thousands of tokens are not kept until all have answered.
    answers.set(asked, answer);
    return answer;
  }

  return {
    addresses,
    answered: () => bounded(addresses.flatMap((address) => answers.get(address) ?? [])),
    /** All answers, in the message's order. A device that was found by both of its addresses stands once. */
    all: Promise.all(addresses.map(askOne)).then((all) => bounded(eachOnce(all))),
  };
}

/** The MAC address in the record of a device that was asked for by something else. For a VPN there is none. */
function ownAddress(asked: DeviceAddress, outcome: DeviceAnswer['outcome']): DeviceAddress {
  if (isMacAddress(asked) || outcome.kind !== 'found') return asked;
  const [own, ...others] = findMacAddresses(outcome.record.station ?? '', 'wide');
  return own !== undefined && others.length === 0 && kindOf(own) === 'device' ? own : asked;
}

/** Leaves out what was asked for by a MAC address and found by an IP address too. The latter's answer names both. */
function eachOnce(answers: readonly DeviceAnswer[]): DeviceAnswer[] {
  const found = answers.filter(({ outcome }) => outcome.kind === 'found');
  const byIp = new Set(found.flatMap(({ asked, address }) => (asked === address ? [] : address)));
  return answers.filter((each) => !(found.includes(each) && byIp.has(each.asked)));
}

/** What the NAC says of the session; empty without one. */
export const recordOf = ({ outcome }: DeviceAnswer): SessionRecord =>
  outcome.kind === 'found' ? outcome.record : {};

/** The device's own address, with the IP address or the user that it was asked for by. */
export function nameOf({ asked, address }: { asked: string; address: string }): Line {
  if (asked === address) return line`${address}`;
  return asked.startsWith('user ') ? line`${address} of ${asked}` : line`${address} at ${asked}`;
}

/** Whose account the NAC answered: the person's own, or the bot's because people's own cannot be read; else undefined. */
const accountOf = ({ outcome }: DeviceAnswer) => ('account' in outcome ? outcome.account : undefined);
export const isOwn = (answer: DeviceAnswer) => accountOf(answer) === 'person';
export const isStandIn = (answer: DeviceAnswer) => accountOf(answer) === 'stand-in';

/** Continues after a verdict or an address. */
export function sayAccount(answer: DeviceAnswer): string {
  if (isStandIn(answer)) return " · the bot's account, because own ones cannot be read now";
  return isOwn(answer) ? ' · own account' : '';
}

/** Whether the address stands for one device, so that looking it up again makes sense. */
export const isDevice = ({ asked }: DeviceAnswer) => addressKindOf(asked) === 'device';

/** Whether the NAC was down for this device. If so, asking again can help. */
export function isPassing({ outcome }: DeviceAnswer): boolean {
  if (outcome.kind === 'fault') return outcome.status >= 502 && outcome.status <= 504;
  return ['unreachable', 'timed out', 'paused'].includes(lookupName(outcome));
}

/** The last answers, after which nothing is tried again: that the NAC is left alone for a moment is no longer of use. */
export function giveUp(answers: readonly DeviceAnswer[]): DeviceAnswer[] {
  return answers.map((answer) =>
    answer.outcome.kind === 'paused' ? { ...answer, outcome: { kind: 'given up' } } : answer,
  );
}

export function givenUp(asked: DeviceAddress): DeviceAnswer {
  return { asked, address: asked, outcome: { kind: 'given up' } };
}

export const tokensOf = ({ outcome }: DeviceAnswer): readonly string[] =>
  outcome.kind === 'found' ? outcome.tokens : [];

/** How many tokens a device's session has, with those that have no place in the answer. */
export const countTokens = (answer: DeviceAnswer) => tokensOf(answer).length + (answer.tokensLeftOut ?? 0);

/** Names the number of the lookup's audit lines, if something is wrong that an operator can look into. */
export function sayNumber(number: number, answers: readonly DeviceAnswer[], delivery?: Delivery): string[] {
  const isPostTaken = delivery === undefined || ['posted', 'under way'].includes(delivery.outcome.kind);
  const isFault = answers.some(
    ({ outcome }) => ['failed', 'not asked'].includes(groupOf(outcome)) && outcome.kind !== 'disconnected',
  );
  return isPostTaken && !isFault ? [] : [`Report number ${number}. Tell it to whoever runs the bot.`];
}

/**
 * What the tokens of one question may take in chat, in UTF-16 units. Beside them the NAC can make the bot say 40,000. Four
 * messages in chat, or ten posts to the room, hold both. Two messages are left: one offers more addresses, one shows progress.
 */
const MOST_CHARACTERS = 60_000;

/** A longer token is left out: posts end between lines, so the one before would stay half empty. Real tokens have under 100. */
const LONGEST_TOKEN = 1000;

/** Leaves out tokens that have no place in the answer to one question. The devices with the most lose theirs. */
export function bounded(answers: readonly DeviceAnswer[]): DeviceAnswer[] {
  const wishes = answers.map((answer) => {
    const short = tokensOf(answer).filter(({ length }) => length <= LONGEST_TOKEN);
    return firstWithin(short, MOST_CHARACTERS, costOf);
  });
  const share = shareOf(wishes.map((tokens) => tokens.reduce((sum, token) => sum + costOf(token), 0)));
  return answers.map((answer, index) => {
    const tokens = firstWithin(wishes[index] ?? [], share, costOf);
    const more = tokensOf(answer).length - tokens.length;
    if (more === 0 || answer.outcome.kind !== 'found') return answer;
    const tokensLeftOut = (answer.tokensLeftOut ?? 0) + more;
    return { ...answer, outcome: { ...answer.outcome, tokens }, tokensLeftOut };
  });
}

/** The most that each device's tokens may take. What modest devices leave is shared by the others. */
function shareOf(costs: readonly number[]): number {
  let left = MOST_CHARACTERS;
  let sharers = costs.length;
  for (const cost of costs.toSorted((one, other) => one - other)) {
    if (cost > left / sharers) return left / sharers;
    left -= cost;
    sharers--;
  }
  return MOST_CHARACTERS;
}

export function firstWithin<Item>(items: readonly Item[], most: number, costOf: (item: Item) => number) {
  let left = most;
  const end = items.findIndex((item) => {
    left -= costOf(item);
    return left < 0;
  });
  return end === -1 ? items : items.slice(0, end);
}

/** What a token takes in chat with its line's end. Chat shows invisible letters as code points, so the room never needs more. */
const costOf = (token: string) => code(token).length + 3;

/** Says how many tokens were left out, and where they are shown; empty if none were. @param mark how a command is shown */
export function sayTokensLeftOut(answers: readonly DeviceAnswer[], reader: Reader, mark = code): string[] {
  const cut = answers.filter(({ tokensLeftOut = 0 }) => tokensLeftOut > 0);
  const [first] = cut;
  if (first === undefined) return [];
  const count = cut.reduce((sum, { tokensLeftOut = 0 }) => sum + tokensLeftOut, 0);
  const tokens = count === 1 ? '1 token is' : `${reader.number(count)} tokens are`;
  return [`${tokens} left out here; ${mark(`fields ${first.address}`)} shows what the NAC says.`];
}
