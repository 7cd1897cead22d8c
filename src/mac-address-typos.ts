import { findMacAddresses, type MacAddress } from './mac-address.ts';

/**
 * The MAC addresses that a text would hold if its letters O and its l, I and | were the digits 0 and 1: what thumbs, and
 * people who read an address from a label, take for one another. Only guesses: to be offered, never looked up unasked.
 */
export function guessMacAddresses(text: string): MacAddress[] {
  return findMacAddresses(text.replace(/[oO]/g, '0').replace(/[lI|i]/g, '1'));
}
