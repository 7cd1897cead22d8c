import type { Delivery } from '../../src/webhook/delivery.ts';
import type { DeviceAnswer } from './device-answer.ts';

/** Names the number of the lookup's audit lines, if something is wrong that an operator can look into. */
export function sayNumber(
  number: number,
  answers: readonly DeviceAnswer[],
  delivery: Delivery | undefined,
): string[] {
  const isPostTaken = delivery === undefined || delivery.outcome.kind === 'posted';
  return isPostTaken && !answers.some(isFault) ? [] : [`Report number ${number}.`];
}

/** Whether a system failed, or was not asked because it had failed. */
function isFault({ outcome }: DeviceAnswer): boolean {
  switch (outcome.kind) {
    case 'refused':
    case 'forbidden':
    case 'fault':
    case 'unusable':
    case 'timed out':
    case 'untrusted':
    case 'unreachable':
    case 'paused':
    case 'given up':
    case 'resting':
    case 'busy':
      return true;
    case 'found':
    case 'no session':
    case 'disconnected':
    case 'zero':
    case 'unspecified':
    case 'loopback':
    case 'broadcast':
    case 'multicast':
      return false;
  }
}
