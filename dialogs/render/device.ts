import type { Attempt } from '../../src/domain/attempts.ts';
import { addressKindOf, type DeviceAddress } from '../../src/domain/device-address.ts';
import { type DeviceOutcome, groupOf, lookupName } from '../../src/domain/outcome.ts';
import type { SessionRecord } from '../../src/domain/session.ts';
import type { Endpoint } from '../../src/nac/endpoints.ts';
import type { Delivery } from '../../src/webhook/posts.ts';
import { code, type Line, line, type Reader } from './words.ts';

/** One device of a message, with the lookup's outcome. */
export type DeviceAnswer = {
  asked: DeviceAddress;
  /** The device's own MAC address if it is known, else equal to `asked`. */
  address: DeviceAddress;
  outcome: DeviceOutcome;
  /** The device's last attempts within 24 hours, newest first; undefined if they are not known. */
  attempts?: readonly Attempt[];
  /** The device's own record in the NAC, if it has no session; undefined: not known. */
  endpoint?: Endpoint;
  /** The last answer of this process, if the NAC is down now. */
  lastKnown?: LastKnown;
  /** The NAC answered this process within minutes, so its address is right. */
  isNacKnown?: true;
  /** The last questions found no session for anyone, so the NAC itself may see nothing. */
  isNobodySeen?: true;
  /** The number of tokens that have no place in the answer; undefined: none. */
  tokensLeftOut?: number;
};
/** `said`: verdict and place, with untrusted text. `at`: milliseconds since 1970. */
export type LastKnown = { at: number; said: Line };

/** The session's record; empty without a session. */
export const recordOf = ({ outcome }: DeviceAnswer): SessionRecord =>
  outcome.kind === 'found' ? outcome.record : {};

export const tokensOf = ({ outcome }: DeviceAnswer): readonly string[] =>
  outcome.kind === 'found' ? outcome.tokens : [];

/** The number of a session's tokens, with those that have no place in the answer. */
export const countTokens = (answer: DeviceAnswer) => tokensOf(answer).length + (answer.tokensLeftOut ?? 0);

/** The device's own address, with the IP address or the user that it was asked for by. */
export function nameOf({ asked, address }: { asked: string; address: string }): Line {
  if (asked === address) return line`${address}`;
  return asked.startsWith('user ') ? line`${address} of ${asked}` : line`${address} at ${asked}`;
}

const accountOf = ({ outcome }: DeviceAnswer) => ('account' in outcome ? outcome.account : undefined);
export const isOwn = (answer: DeviceAnswer) => accountOf(answer) === 'person';
export const isStandIn = (answer: DeviceAnswer) => accountOf(answer) === 'stand-in';

/** Continues after a verdict or an address. */
export function accountText(answer: DeviceAnswer): string {
  if (isStandIn(answer)) return " · the bot's account, because own ones cannot be read now";
  return isOwn(answer) ? ' · own account' : '';
}

/** Tells addresses of one device from those of all, several or none. */
export const isDevice = ({ asked }: DeviceAnswer) => addressKindOf(asked) === 'device';

/** Holds if the NAC was down for this device, so that a later lookup can succeed. */
export function isTransient({ outcome }: DeviceAnswer): boolean {
  if (outcome.kind === 'fault') return outcome.status >= 502 && outcome.status <= 504;
  return ['unreachable', 'timed out', 'paused'].includes(lookupName(outcome));
}

/** The last answers of a job: `paused` becomes `given up`, because the bot does not try again. */
export function giveUp(answers: readonly DeviceAnswer[]): DeviceAnswer[] {
  return answers.map((answer) =>
    answer.outcome.kind === 'paused' ? { ...answer, outcome: { kind: 'given up' } } : answer,
  );
}

export function givenUp(asked: DeviceAddress): DeviceAnswer {
  return { asked, address: asked, outcome: { kind: 'given up' } };
}

/** Whether an operator can do something about an outcome: time alone, or the asker, helps with the others. */
function isForOperator({ outcome }: DeviceAnswer): boolean {
  if (outcome.kind === 'refused') return outcome.whose === 'service';
  if (outcome.kind === 'busy' || outcome.kind === 'disconnected') return false;
  return ['failed', 'not asked'].includes(groupOf(outcome));
}

/** The number of the lookup's audit lines, if an operator has something to look into; else empty. */
export function numberText(number: number, answers: readonly DeviceAnswer[], delivery?: Delivery): string[] {
  const isPostTaken = delivery === undefined || ['posted', 'under way'].includes(delivery.outcome.kind);
  return isPostTaken && !answers.some(isForOperator)
    ? []
    : [`Report number ${number}. Tell it to whoever runs the bot.`];
}

/** Counts the tokens that were left out, and names the command that shows them; else empty. @param mark renders a command */
export function leftOutText(answers: readonly DeviceAnswer[], reader: Reader, mark = code): string[] {
  const cut = answers.filter(({ tokensLeftOut = 0 }) => tokensLeftOut > 0);
  const [first] = cut;
  if (first === undefined) return [];
  const count = cut.reduce((sum, { tokensLeftOut = 0 }) => sum + tokensLeftOut, 0);
  const tokens = count === 1 ? '1 token is' : `${reader.number(count)} tokens are`;
  return [`${tokens} left out here; ${mark(`fields ${first.address}`)} shows what the NAC says.`];
}
