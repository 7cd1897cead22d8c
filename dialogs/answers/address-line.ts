import { addressRuns, type Element, runs } from '../format/card.ts';
import { type DeviceAnswer, sayAccount } from './device-answer.ts';

/** The card's line that names the device; it says so if the person's own account was used. */
export function addressLine(answer: DeviceAnswer): Element[] {
  const own = sayAccount(answer);
  const name = addressRuns(answer.address, answer.asked);
  return own === '' ? name : [...name, ...runs([own], { isSubtle: true })];
}
