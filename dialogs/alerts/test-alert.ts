import { findMacAddresses, type MacAddress } from '../../src/domain/mac-address.ts';
import type { Turn } from '../dialog.ts';
import { code, shorten } from '../format/line.ts';
import type { Accepted, Alert } from './accept-alert.ts';

/** An address for documentation (RFC 7042, section 2.1.1), which no device has. */
const NO_DEVICE = '00:00:5E:00:53:01';

const WORDS = {
  onItsWay: (name: string, mac: MacAddress) =>
    `A test alert with ${code(mac)} is on its way to ${code(name)}.`,
  noDevice: 'No device has this address, so the answer says that there is no session.',
  unknown: (name: string) => `No place has the name ${code(name)}. ${code('alerts list')} lists the names.`,
  full: 'Too many alerts are waiting already, so no test alert was sent. Please try again in a minute.',
  noAddress: (typed: string) => `${code(typed)} is not one MAC address, so no test alert was sent.`,
};

/**
 * Sends a test alert to a named place, on the way of every alert. Returns what became of it, in markdown.
 * @param typed a MAC address to look up; if empty, an address that no device has
 */
export async function sendTestAlert(
  { name, typed }: { name: string; typed: string },
  { key, name: who }: Pick<Turn, 'key' | 'name'>,
  { acceptAlert, now }: { acceptAlert(alert: Alert): Promise<Accepted>; now: () => number },
): Promise<string> {
  const [mac, ...others] = findMacAddresses(typed === '' ? NO_DEVICE : typed, 'wide');
  if (mac === undefined || others.length > 0) return WORDS.noAddress(shorten(typed));
  const accepted = await acceptAlert({
    key: `test alert ${key}`,
    digest: `${name} ${mac}`,
    addresses: [mac],
    leftOut: 0,
    thread: name,
    details: {
      title: 'Test alert',
      source: `alerts test, typed by ${who}`,
      startsAt: now(),
      state: 'firing',
    },
  });
  switch (accepted) {
    case 'accepted':
    case 'other alert': // Only a repeat of the same message has its key.
      return typed === '' ? `${WORDS.onItsWay(name, mac)} ${WORDS.noDevice}` : WORDS.onItsWay(name, mac);
    case 'unknown thread':
      return WORDS.unknown(name);
    case 'full':
      return WORDS.full;
  }
}
