import type { Attempt } from '../../src/domain/attempts.ts';
import { addressKindOf, type DeviceAddress } from '../../src/domain/device-address.ts';
import { type DeviceOutcome, groupOf, lookupName } from '../../src/domain/outcome.ts';
import type { SessionRecord } from '../../src/domain/session.ts';
import type { Endpoint } from '../../src/nac/endpoints.ts';
import type { Delivery } from '../../src/webhook/posts.ts';
import { code, type Line, line, type Reader } from './words.ts';

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
/** A device's verdict and place in our words, with untrusted text, and when (milliseconds since 1970). */
export type LastKnown = { at: number; said: Line };

/** What the NAC says of the session; empty without one. */
export const recordOf = ({ outcome }: DeviceAnswer): SessionRecord =>
  outcome.kind === 'found' ? outcome.record : {};

export const tokensOf = ({ outcome }: DeviceAnswer): readonly string[] =>
  outcome.kind === 'found' ? outcome.tokens : [];

/** How many tokens a device's session has, with those that have no place in the answer. */
export const countTokens = (answer: DeviceAnswer) => tokensOf(answer).length + (answer.tokensLeftOut ?? 0);

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
export function accountText(answer: DeviceAnswer): string {
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

/** Names the number of the lookup's audit lines, if something is wrong that an operator can look into. */
export function numberText(number: number, answers: readonly DeviceAnswer[], delivery?: Delivery): string[] {
  const isPostTaken = delivery === undefined || ['posted', 'under way'].includes(delivery.outcome.kind);
  const isFault = answers.some(
    ({ outcome }) => ['failed', 'not asked'].includes(groupOf(outcome)) && outcome.kind !== 'disconnected',
  );
  return isPostTaken && !isFault ? [] : [`Report number ${number}. Tell it to whoever runs the bot.`];
}

/** Says how many tokens were left out, and where they are shown; empty if none were. @param mark how a command is shown */
export function leftOutText(answers: readonly DeviceAnswer[], reader: Reader, mark = code): string[] {
  const cut = answers.filter(({ tokensLeftOut = 0 }) => tokensLeftOut > 0);
  const [first] = cut;
  if (first === undefined) return [];
  const count = cut.reduce((sum, { tokensLeftOut = 0 }) => sum + tokensLeftOut, 0);
  const tokens = count === 1 ? '1 token is' : `${reader.number(count)} tokens are`;
  return [`${tokens} left out here; ${mark(`fields ${first.address}`)} shows what the NAC says.`];
}
