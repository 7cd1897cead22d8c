import { findMacAddresses, type MacAddress } from '../domain/mac-address.ts';
import { type Field, toText } from './fields.ts';

/**
 * Returns the devices that an alert names, each once and in order. Twelve digits without a separator are often a container's
 * host name or the start of a digest: they count only as the whole value of a field for a device's address, or right behind a
 * word for one.
 */
export function findDevices(fields: readonly Field[]): MacAddress[] {
  const found = fields.flatMap(({ key, words, texts, part }) => {
    const isAddress = isAddressField(words) || (INNER.test(words) && isAddressField(part.words));
    const clear = texts.map((text) => withClearDigits(toText(text), isAddress));
    if (SERIAL.test(words)) return clear.filter((text) => PAIRS.test(text));
    return /[:.-]/.test(key) ? [withClearDigits(key, false), ...clear] : clear; // A field can be named by its device.
  });
  return findMacAddresses(found.join('\n').replace(LOST_ZERO, '0'));
}

/** Before the last digit of an address. macOS and net-snmp leave a zero out there; people do not. */
const LOST_ZERO = /(?<=(?<![\da-f:])(?:[\da-f]{2}:){5})(?=[\da-f](?![\da-f:]))/gi;

/** Serial numbers can have the form of Cisco's addresses (Peplink: `1824-AAAA-BBBB`). */
const SERIAL = /(?:^| )(?:serial(?: ?(?:number|no))?|sn|uuid|guid)$/;
const PAIRS = /(?:[\da-f]{2}[:-]){5}[\da-f]{2}/i;

/** Fields named for an address. They begin or end with mac: `eth0_mac`, `macDst`, `srcMacAddrs`; `hmac`, `macro` do not. */
const MAC_FIELD =
  /(?:^|[^hckg]|[a-z][ckg]|switch|eth|tooth)mac(?: ?addr(?:ess)?(?:es)?)?s?(?: ?(?:\d+|string))?$|^macs?(?: |$|src|dst|source|dest|addr)/;
/** Other names for one. An id is none, but RADIUS has called stations' addresses so (RFC 2865, sections 5.30 and 5.31). */
const ADDRESS_FIELD =
  /^(?:client|station|endpoint)s?(?: ?addr(?:ess)?(?:es)?)?$|(?:^| )(?:calling|called) ?station ?id$|(?:phys(?:ical)?|hw|hardware|ether(?:net)?) ?addr(?:ess)?(?:es)?$|^(?:aps?|bssids?)$/;
const INNER = /^(?:value|address|addr|src|dst|source|destination)$/;

const isAddressField = (words: string) =>
  ADDRESS_FIELD.test(words) ||
  (MAC_FIELD.test(words) && !/^mac ?os|(?: id| key| type| vendor| count| table| hash| sha\d*)$/.test(words));

/** The label of an address, right before it in a text. Cisco's phones name themselves by theirs, behind `SEP`. */
const ADDRESS_LABEL =
  /(?<![\w./?&#-])(?:(?:mac|client|station|endpoint|(?:if)?phys)s?(?:[\s_-]?(?:mac|addr(?:ess)?)){0,2}["']?(?:\s(?:is|was))?\s*[:=]?[\s"'`*(<[]*|(?:mac|calling-station|called-station)[\s_-]?id["']?\s*[:=]\s*["']?|sep)$/i;

const MAX_LABEL_LENGTH = 40;
/** Twelve digits that are no part of a longer run, nor a UUID's end. */
const BARE = /(?<![\da-f]|[\da-f]{4}-)[\da-f]{12}(?![\da-f])/gi;
const ONLY_BARE = /^[\s`*]*[\da-f]{12}(?:[\s,;|]+[\da-f]{12})*[\s`*]*$/i;

/** Writes digits that are an address with colons, and takes out those that are none. */
function withClearDigits(text: string, isAddress: boolean): string {
  if (isAddress && ONLY_BARE.test(text)) return text.replace(BARE, withColons);
  return text.replace(BARE, (digits, at: number, whole: string) => {
    const isNamed = ADDRESS_LABEL.test(whole.slice(Math.max(0, at - MAX_LABEL_LENGTH), at));
    const isHost = /^[.:/@-]\w/.test(whole.slice(at + digits.length, at + digits.length + 2));
    return isNamed && !isHost ? ` ${withColons(digits)} ` : 'x';
  });
}

const withColons = (digits: string) => digits.replaceAll(/..(?=.)/g, '$&:');
