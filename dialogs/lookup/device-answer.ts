import { addressKindOf, type DeviceAddress, isMacAddress } from '../../src/domain/device-address.ts';
import { findMacAddresses, kindOf } from '../../src/domain/mac-address.ts';
import { type DeviceOutcome, groupOf, type Lookup, lookupName } from '../../src/domain/outcome.ts';
import type { Attempt } from '../../src/domain/record.ts';
import type { Delivery } from '../../src/webhook/delivery.ts';
import { type Line, line } from '../format/line.ts';
import { bounded } from './bounds.ts';

/** One device of a message: what the NAC said about it, or why the NAC was not asked. */
export type DeviceAnswer = {
  /** What was asked for, and is asked for again. */
  asked: DeviceAddress;
  /** The device's own MAC address if it is known, else what was asked for. */
  address: DeviceAddress;
  outcome: DeviceOutcome;
  /** The device's last attempts within 24 hours, newest first; undefined if they are not known. */
  attempts?: readonly Attempt[];
  /** How many tokens of the session have no place in the answer; undefined: none. */
  tokensLeftOut?: number;
};

/** The lookups of one message's devices. */
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
    /** The answers so far, in the message's order. */
    answered: () => bounded(addresses.flatMap((address) => answers.get(address) ?? [])),
    /** All answers, in the message's order. A device that was found by both of its addresses stands once. */
    all: Promise.all(addresses.map(askOne)).then((all) => bounded(eachOnce(all))),
  };
}

/** The MAC address in the record of a device that was asked for by its IP address. For a VPN there is none. */
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

/** The device's own address, with the IP address that it was asked for by. */
export function nameOf({ asked, address }: { asked: string; address: string }): Line {
  return asked === address ? line`${address}` : line`${address} at ${asked}`;
}

/** Whether the NAC answered to the person's own account. */
export function isOwn({ outcome }: DeviceAnswer): boolean {
  return 'account' in outcome && outcome.account === 'person';
}

/** Whether the bot's account was used because people's own cannot be read. */
export function isStandIn({ outcome }: DeviceAnswer): boolean {
  return 'account' in outcome && outcome.account === 'stand-in';
}

/** Continues after a verdict or an address. */
export function sayAccount(answer: DeviceAnswer): string {
  if (isStandIn(answer)) return " · the bot's account, because own ones cannot be read now";
  return isOwn(answer) ? ' · own account' : '';
}

/** Whether the address stands for one device, so that looking it up again makes sense. */
export function isDevice({ asked }: DeviceAnswer): boolean {
  return addressKindOf(asked) === 'device';
}

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

/** The tokens of a device's session that have a place in the answer; empty if it has no session. */
export function tokensOf({ outcome }: DeviceAnswer): readonly string[] {
  return outcome.kind === 'found' ? outcome.tokens : [];
}

/** How many tokens a device's session has, with those that have no place in the answer. */
export function countTokens(answer: DeviceAnswer): number {
  return tokensOf(answer).length + (answer.tokensLeftOut ?? 0);
}

/** Names the number of the lookup's audit lines, if something is wrong that an operator can look into. */
export function sayNumber(number: number, answers: readonly DeviceAnswer[], delivery?: Delivery): string[] {
  const isPostTaken = delivery === undefined || delivery.outcome.kind === 'posted';
  const isFault = answers.some(
    ({ outcome }) => ['failed', 'not asked'].includes(groupOf(outcome)) && outcome.kind !== 'disconnected',
  );
  return isPostTaken && !isFault ? [] : [`Report number ${number}.`];
}
