import { isMacAddress } from '../../src/domain/device-address.ts';
import { hasFailed, stateOf } from '../../src/domain/session.ts';
import * as card from './card.ts';
import type { DeviceAnswer } from './device.ts';
import type { Message } from './message.ts';
import type { Reader } from './words.ts';

const TITLE = 'Tell me when it connects';
const MAX_WATCHED = 5;

/** Offers to watch the first devices without a session, and those that the NAC keeps out or waiting. */
export function watchButton(answers: readonly DeviceAnswer[], { canWatch }: Reader): card.Element[] {
  const addresses = canWatch ? answers.filter(isWaitedFor).map(({ address }) => address) : [];
  if (addresses.length === 0) return [];
  const text = `tell me when ${addresses.slice(0, MAX_WATCHED).join(' ')} connects`;
  return [card.button(TITLE, 'watch', text)];
}

export const stopButton = (address: string) => card.button('Stop', 'unwatch', address);

/** An answer about a device that is still watched. */
export function withStop(message: Message, address: string): Message {
  const actions = (message.card?.actions ?? []) as ReadonlyArray<{ data?: { dialog?: unknown } }>;
  const others = actions.filter(({ data }) => data?.dialog !== 'watch');
  return { ...message, card: { ...message.card, actions: [...others, stopButton(address)] } };
}

function isWaitedFor({ address, outcome }: DeviceAnswer): boolean {
  if (!isMacAddress(address) || outcome.kind !== 'found')
    return isMacAddress(address) && outcome.kind === 'no session';
  const state = stateOf(outcome.record);
  if (state.kind === 'redirected') return state.to !== 'blocked';
  return state.kind === 'ended' || hasFailed(outcome.record);
}
