import { addressKindOf, type DeviceAddress, isMacAddress } from '../../src/domain/device-address.ts';
import { findMacAddresses, kindOf } from '../../src/domain/mac-address.ts';
import type { Lookup } from '../../src/domain/outcome.ts';
import { countTokens, type DeviceAnswer } from '../render/device.ts';
import { code } from '../render/words.ts';

export type DeviceLookups = ReturnType<typeof startLookups>;

/** Looks up each device for a person. Does not ask the NAC about addresses that stand for no device. */
export function startLookups(addresses: readonly DeviceAddress[], person: string, lookUp: Lookup) {
  const answers = new Map<DeviceAddress, DeviceAnswer>();
  async function lookUpOne(asked: DeviceAddress): Promise<DeviceAnswer> {
    const kind = addressKindOf(asked);
    const outcome = kind === 'device' ? await lookUp(asked, person) : { kind };
    const answer = limitTokens({ asked, address: ownAddress(asked, outcome), outcome }, addresses.length);
    answers.set(asked, answer);
    return answer;
  }

  return {
    addresses,
    answered: () => addresses.flatMap((address) => answers.get(address) ?? []),
    /** All answers, in the message's order. A device that was found by both of its addresses stands once. */
    finished: Promise.all(addresses.map(lookUpOne)).then(eachOnce),
  };
}

/** Whether all devices are answered and the room gets tokens. */
export function isPosting({ addresses, answered }: DeviceLookups): boolean {
  const answers = answered();
  return answers.length === addresses.length && answers.some((each) => countTokens(each) > 0);
}

/** The devices that are answered, and those that are not yet. */
export function devicesSoFar({ addresses, answered }: DeviceLookups) {
  const answers = answered();
  return { answers, waiting: addresses.filter((address) => !answers.some(({ asked }) => asked === address)) };
}

/** The MAC address in the record of a device that was asked for by something else. For a VPN there is none. */
function ownAddress(asked: DeviceAddress, outcome: DeviceAnswer['outcome']): DeviceAddress {
  if (isMacAddress(asked) || outcome.kind !== 'found') return asked;
  const [own, ...others] = findMacAddresses(outcome.record.station ?? '', 'wide');
  return own !== undefined && others.length === 0 && kindOf(own) === 'device' ? own : asked;
}

/** Leaves out what was asked for by a MAC address and found by an IP address too. The latter's answer names both. */
function eachOnce(answers: readonly DeviceAnswer[]): readonly DeviceAnswer[] {
  const byIp = new Set<DeviceAddress>();
  for (const { asked, address } of answers) if (asked !== address) byIp.add(address);
  return answers.filter(({ asked, outcome }) => outcome.kind !== 'found' || !byIp.has(asked));
}

/**
 * The room for the tokens of one question in chat, in UTF-16 units. Other text of an answer takes up to 40,000. Four messages
 * in chat, or ten posts to the room, hold both. Two messages are left: one offers more addresses, one shows progress.
 */
const MAX_CHARACTERS = 60_000;

/** A longer token is left out: posts end between lines, so the one before would stay half empty. Real tokens have under 100. */
const MAX_TOKEN = 1000;

/** Leaves out the last tokens of a device that have no place in an answer about so many devices. */
export function limitTokens(answer: DeviceAnswer, devices: number): DeviceAnswer {
  if (answer.outcome.kind !== 'found') return answer;
  const tokens: string[] = [];
  let left = MAX_CHARACTERS / devices;
  for (const token of answer.outcome.tokens) {
    if (token.length > MAX_TOKEN) continue;
    left -= code(token).length + 3; // With its line's end. Chat shows invisible letters as code points, so the room needs less.
    if (left < 0) break;
    tokens.push(token);
  }
  const more = answer.outcome.tokens.length - tokens.length;
  const tokensLeftOut = (answer.tokensLeftOut ?? 0) + more;
  return more === 0 ? answer : { ...answer, outcome: { ...answer.outcome, tokens }, tokensLeftOut };
}
