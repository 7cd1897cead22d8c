import { isMacAddress } from '../../src/device-address.ts';
import { type Element, linkButton } from '../format/card.ts';
import type { Reader } from '../format/locale.ts';
import { type DeviceAnswer, isDevice } from './device-answer.ts';

const WORDS = { open: 'Open in the NAC' };

/**
 * The button to the NAC's own page for a device; none without such a page, or if the MAC address is not known. A link's
 * path, query and fragment may hold colons as they are (RFC 3986, section 3.3).
 */
export function nacButton(answer: DeviceAnswer, { nacLink }: Reader): Element[] {
  if (nacLink === undefined || !isDevice(answer) || !isMacAddress(answer.address)) return [];
  return [linkButton(WORDS.open, new URL(nacLink.replaceAll('{mac}', answer.address)).href)];
}
