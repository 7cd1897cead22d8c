import { kindOf, type MacAddress, type MacKind } from '../../src/mac-address.ts';
import type { Lookup, LookupOutcome } from '../../src/nac/lookup.ts';

/** One device of a message: what the NAC said about it, or why the NAC was not asked. */
export type DeviceAnswer = {
  address: MacAddress;
  outcome: LookupOutcome | { kind: Exclude<MacKind, 'device'> } | GivenUp;
};

/** The NAC was down until the bot stopped trying. */
type GivenUp = { kind: 'given up' };

/** The lookups of one message's devices. */
export type Asking = {
  addresses: readonly MacAddress[];
  /** The answers so far, in the message's order. */
  answered(): DeviceAnswer[];
  /** All answers, in the message's order. */
  all: Promise<DeviceAnswer[]>;
};

/** Looks up each device for a person. Does not ask the NAC about addresses that stand for no device. */
export function ask(addresses: readonly MacAddress[], person: string, lookUp: Lookup): Asking {
  const answers = new Map<MacAddress, DeviceAnswer>();
  const answered = () => addresses.flatMap((address) => answers.get(address) ?? []);

  async function askOne(address: MacAddress): Promise<DeviceAnswer> {
    const kind = kindOf(address);
    const answer = { address, outcome: kind === 'device' ? await lookUp(address, person) : { kind } };
    answers.set(address, answer);
    return answer;
  }

  return { addresses, answered, all: Promise.all(addresses.map(askOne)) };
}

/** Whether the NAC was down for this device. If so, asking again can help. */
export function isPassing({ outcome }: DeviceAnswer): boolean {
  return (
    outcome.kind === 'unreachable' ||
    outcome.kind === 'timed out' ||
    outcome.kind === 'paused' ||
    (outcome.kind === 'fault' && outcome.status >= 502 && outcome.status <= 504)
  );
}

/** The last answers, after which nothing is tried again: that the NAC is left alone for a moment is no longer of use. */
export function giveUp(answers: readonly DeviceAnswer[]): DeviceAnswer[] {
  return answers.map((answer) =>
    answer.outcome.kind === 'paused' ? { ...answer, outcome: { kind: 'given up' } } : answer,
  );
}

/** The tokens of a device's session; empty if it has no session. */
export function tokensOf({ outcome }: DeviceAnswer): readonly string[] {
  return outcome.kind === 'found' ? outcome.tokens : [];
}
