import { kindOf, type MacAddress, type MacKind } from '../../src/mac-address.ts';
import type { Lookup, LookupOutcome } from '../../src/nac/lookup.ts';

/** One device of a message: what the NAC said of it, or why it was not asked. */
export type DeviceAnswer = {
  address: MacAddress;
  outcome: LookupOutcome | { kind: Exclude<MacKind, 'device'> };
};

/** The devices of one message under way. */
export type Asking = {
  addresses: readonly MacAddress[];
  /** What has been answered so far, in the message's order. */
  answered(): DeviceAnswer[];
  /** All of it, once all is there. */
  all: Promise<DeviceAnswer[]>;
};

/** Looks each device up for a person; addresses that stand for no device are answered without asking. */
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

/** Whether the NAC was down when it was asked for this device, so that asking again can help. */
export function isPassing({ outcome }: DeviceAnswer): boolean {
  return (
    outcome.kind === 'unreachable' ||
    outcome.kind === 'timed out' ||
    outcome.kind === 'paused' ||
    (outcome.kind === 'fault' && outcome.status >= 502 && outcome.status <= 504)
  );
}

/** What a device's session holds of tokens; none where there is no session. */
export function tokensOf({ outcome }: DeviceAnswer): readonly string[] {
  return outcome.kind === 'found' ? outcome.tokens : [];
}
