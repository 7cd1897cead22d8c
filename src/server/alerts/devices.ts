import { findMacAddresses, type MacAddress } from '../../domain/mac-address.ts';
import { textOf } from './texts.ts';

/**
 * Returns the devices that an alert names, in order, each once. Twelve digits without a separator are often a container's host
 * name or the start of a digest. They count only as the whole value of a field for a device's address, or right behind a word
 * for one.
 * @param body plain data, with JSON in its strings already unpacked
 */
export function findDevices(body: unknown): MacAddress[] {
  return findMacAddresses(textsIn(body, '').join('\n'));
}

/** Every string, in order. What stands in a list has the list's name. */
function textsIn(value: unknown, name: string): string[] {
  if (typeof value === 'string') return [withClearDigits(textOf(value), name)];
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((each) => textsIn(each, name));
  return Object.entries(value).flatMap(([key, each]) => textsIn(each, key));
}

/** Names of fields, without separators: `mac`, `clientMac`, `endpoint_mac_address`, `Calling-Station-ID`, Mist's `aps`. */
const ADDRESS_FIELD =
  /(?<!h)mac(?:s|addr(?:ess(?:es)?)?)?$|^(?:calling|called)?(?:client|station|endpoint)s?(?:id|address(?:es)?)?$|^(?:aps?|bssids?)$/i;

/** What stands right before an address in a text. Cisco's phones name themselves by theirs, behind `SEP`. */
const WORD_FOR_ONE =
  /(?<![\w./?&-])(?:(?:mac|client|station|endpoint)s?(?:[\s_-]?(?:mac|id|addr(?:ess)?)){0,2}["']?\s*[:=]?[\s"'(<[]*|sep)$/i;

const LONGEST_WORD = 40;

/** Twelve digits that are no part of a longer run, nor a UUID's end. */
const BARE = /(?<![\da-f]|[\da-f]{4}-)[\da-f]{12}(?![\da-f])/gi;
const LINK = /[a-z][a-z\d+.-]{1,20}:\/\/[^\s"'<>]+/gi;

/** Writes digits that are an address with colons, and takes out those that are none. */
function withClearDigits(text: string, name: string): string {
  if (ADDRESS_FIELD.test(name.replaceAll(/[^a-z]/gi, '')) && /^\s*[\da-f]{12}\s*$/i.test(text))
    return withColons(text.trim());
  return text
    .replace(LINK, (link) => link.replace(BARE, 'x'))
    .replace(BARE, (digits, at: number, whole: string) => {
      const isNamed = WORD_FOR_ONE.test(whole.slice(Math.max(0, at - LONGEST_WORD), at));
      const isHost = /^[.:/@-]\w/.test(whole.slice(at + digits.length, at + digits.length + 2));
      return isNamed && !isHost ? ` ${withColons(digits)} ` : 'x';
    });
}

function withColons(digits: string): string {
  return digits.replaceAll(/..(?=.)/g, '$&:');
}
