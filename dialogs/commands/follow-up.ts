import type { DeviceAddress } from '../../src/domain/device-address.ts';
import { readDeviceAddress } from '../../src/domain/device-address.ts';
import type { RecentLookup } from '../lookup/told.ts';

const AGAIN = /^\s*(?:and\s+)?(?:again|once more|one more time|retry|repeat)(?:,?\s+please)?\W*$/i;
/** The last pairs of an address: "and :08?". */
const TAIL = /^\s*(?:(?:and|or|also|what about|how about)\s+)?((?::[0-9a-f]{2}){1,5})\W*$/i;

/** Whether a message asks for something of the last answer. */
export function isFollowUp(text: string): boolean {
  return AGAIN.test(text) || TAIL.test(text);
}

/**
 * What a follow-up means: the last answer's devices, or its first device's address with other last pairs.
 * @param recent the last lookups of the conversation, the latest first
 */
export function followUp(text: string, recent: readonly RecentLookup[]): DeviceAddress[] {
  const [last] = recent;
  if (last === undefined) return [];
  if (AGAIN.test(text)) {
    const devices = recent.filter(({ at }) => at === last.at).reverse();
    return devices.flatMap(({ asked }) => readDeviceAddress(asked));
  }
  const [, tail = ''] = TAIL.exec(text) ?? [];
  return tail === '' ? [] : readDeviceAddress(`${last.address.slice(0, -tail.length)}${tail}`);
}
