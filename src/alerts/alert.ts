import type { AlertDetails, State } from '../domain/incident.ts';
import { findMacAddresses, type MacAddress } from '../domain/mac-address.ts';
import { ABOUT, type Field, type Part, toFields, toText } from './fields.ts';
import { isStateWord, readIdentity, readState } from './incident.ts';
import * as terms from './terms.ts';

/**
 * Reads the details and the devices of an alert in any sender's body, by the form and the place of its fields.
 * Undefined for a body of more than 50,000 texts.
 * @param body plain data of at most 64 levels
 */
export function readAlert(body: unknown): { details: AlertDetails; devices: MacAddress[] } | undefined {
  const inOrder = toFields(body);
  if (inOrder === undefined) return undefined;
  const fields = inOrder
    .filter(({ words }) => !terms.PAST.test(words))
    .toSorted((one, other) => one.part.depth - other.part.depth);
  const shown = fields.filter(({ isShown }) => isShown);
  const own = shown.filter(({ part }) => part.about < ABOUT.thing);
  const things = shown.filter(({ part }) => part.about === ABOUT.thing);
  const { key: incidentKey, part } = readIdentity(fields);
  const sign = readState(fields, part, incidentKey);
  const severity = firstIn(own, terms.SEVERITIES, firstText) ?? firstIn(own, terms.SEVERITIES, firstNumber);
  const title = readTitle(own, things, sign?.word);
  // An alert without a state is firing, since it was sent.
  const state = sign?.state ?? (own.some(marksEnd) ? 'resolved' : 'firing');
  const startsAt = readBeginning(fields, state);
  const link = readLink(fields, part);
  const source = readSource(own);
  return {
    details: { title, source, severity, startsAt, incidentKey, state, link },
    devices: findDevices(inOrder),
  };
}

function firstIn<T>(fields: readonly Field[], names: readonly RegExp[], read: (field: Field) => T) {
  for (const name of names)
    for (const field of fields) {
      const found = name.test(field.words) ? read(field) : undefined;
      if (found !== undefined) return found;
    }
  return undefined;
}

const firstText = ({ texts }: Field) => toHeadline(texts.slice(0, 1));
const firstNumber = ({ texts: [text = ''] }: Field) => /^\d[\d.]*$/.exec(text)?.[0];

const marksEnd = ({ words, texts: [text = ''] }: Field) =>
  (terms.CLEAR_SEVERITY.test(text) && /sev|level/.test(words)) ||
  (terms.CLEAR_TITLE.test(text) && terms.HEADLINE.test(words));

/** Returns the best headline: the alert's words before those of the things in it. Undefined if there is no word. */
function readTitle(own: readonly Field[], things: readonly Field[], state?: string): string | undefined {
  const thing = firstWords([...own, ...things], terms.THING_NAMES, 1);
  for (const fields of [own, things])
    for (const [name, minWords] of terms.TITLES) {
      const title = firstWords(fields, [name], minWords);
      if (title) return thing && minWords === 1 && !title.includes(thing) ? `${thing}: ${title}` : title;
    }
  const any = firstWords(own, [terms.HEADLINE, terms.DESCRIPTION, terms.KIND], 0);
  const said = (firstWords(own, [terms.KIND], 0) ?? state)?.replaceAll('_', ' ');
  return thing && said && said !== thing ? `${thing}: ${said}` : (any ?? thing);
}

function firstWords(fields: readonly Field[], names: readonly RegExp[], minWords: number) {
  return firstIn(fields, names, ({ texts }) => {
    const text = toHeadline(texts) ?? '';
    const isEmpty = terms.EMPTY.test(text) || terms.toWords(text).split(' ').every(isStateWord);
    return isEmpty || (text.match(WORD)?.length ?? 0) < minWords ? undefined : text;
  });
}

/** A word of two letters or more that is no address. Chinese, Japanese and Thai have no blanks. */
const WORD = /(?:^| )(?![\da-f]+(?:[:.-][\da-f]+)+(?: |$))\S*?\p{L}{2}|\p{Lo}{2}/giu;

function readBeginning(fields: readonly Field[], state: State): number | undefined {
  for (const name of [terms.BEGINNING, ...(state === 'firing' ? [terms.SENT] : [])]) {
    const named = fields.filter(({ words, part }) => part.about < ABOUT.finding && name.test(words));
    const times = named.flatMap(({ texts: [text = ''] }) => toTime(text) ?? []);
    if (times.length > 0) return times.reduce((one, other) => Math.min(one, other));
  }
  return undefined;
}

/** Returns the alert's page: a link of its own object, never of a thing in it nor of the page that a monitor looks at. */
function readLink(fields: readonly Field[], own: Part | undefined): string | undefined {
  const partsWith = (name: RegExp) =>
    new Set(fields.flatMap(({ words, part }) => (name.test(words) ? part : [])));
  const monitored = partsWith(terms.MONITORED);
  const logged = partsWith(terms.LOGGED);
  return firstIn(fields, terms.LINKS, ({ words, part, texts: [text = ''] }) => {
    if (part.about !== ABOUT.alert && part !== own) return undefined;
    const link = toLink(text);
    const isItsPage = part === own || (terms.DEEP.test(link ?? '') && !logged.has(part));
    return words === 'url' && (monitored.has(part) || !isItsPage) ? undefined : link;
  });
}

function readSource(own: readonly Field[]): string | undefined {
  const isThere = (name: string) => own.some(({ part }) => part.names.has(name));
  const [, sender] = terms.SENDERS.find(([names = '']) => names.split('+').every(isThere)) ?? [];
  const service = sender && firstIn(own, [/^service$/], firstText);
  return service ? `${sender}, ${service}` : (sender ?? firstIn(own, [terms.SOURCE], firstText));
}

const MAX_TITLE = 200;
/** Blanks, and the names of emoji: `:fire: Gatus`. */
const SPACE = /(?:(?<!\S):[\w+-]+:(?!\S)|\s)+/g;

function toHeadline(texts: readonly string[]): string | undefined {
  const text = texts.join(' ').slice(0, 20 * MAX_TITLE); // A title needs no more of it.
  const line = toText(text).replaceAll(SPACE, ' ').trim();
  const hasLetter = /\p{L}/u.test(line.replaceAll(/\b(?:[\da-f]+|true|false)\b/gi, ''));
  if (!hasLetter || /^(?:[a-z]+:\/\/\S+|\/?\w+\/\S+\/\S+)$/i.test(line)) return undefined;
  return line.length > MAX_TITLE ? `${line.slice(0, MAX_TITLE).trim()}...` : line;
}

/** Reads ISO times, and seconds or milliseconds since 1970 as the years from 2001 to 2286 have them. */
function toTime(text: string): number | undefined {
  if (/^\d{10}(?:\.\d+)?$/.test(text)) return Math.round(Number(text) * 1000);
  if (/^\d{13}$/.test(text)) return Number(text);
  const ms = /^\d{4}-\d\d-\d\dT/.test(text) ? Date.parse(text) : Number.NaN;
  return ms > 0 ? ms : undefined; // Alertmanager's "never" is the year 1.
}

/** An https address without user and password, which could make one host look like another; none of an API. */
function toLink(text: string): string | undefined {
  const url = text.length <= 2000 ? URL.parse(text) : null;
  if (url?.protocol !== 'https:' || url.username !== '' || url.password !== '') return undefined;
  return /^https:\/\/(?:api\.|[^/]+\/api\/)/.test(url.href) ? undefined : url.href;
}

/**
 * Returns the devices that an alert names, each once and in order. Twelve digits without a separator are often a container's
 * host name or the start of a digest: they count only as the whole value of a field for a device's address, or right behind a
 * word for one.
 */
function findDevices(fields: readonly Field[]): MacAddress[] {
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

function withClearDigits(text: string, isAddress: boolean): string {
  if (isAddress && ONLY_BARE.test(text)) return text.replace(BARE, withColons);
  return text.replace(BARE, (digits, at: number, whole: string) => {
    const isNamed = ADDRESS_LABEL.test(whole.slice(Math.max(0, at - MAX_LABEL_LENGTH), at));
    const isHost = /^[.:/@-]\w/.test(whole.slice(at + digits.length, at + digits.length + 2));
    return isNamed && !isHost ? ` ${withColons(digits)} ` : 'x';
  });
}

const withColons = (digits: string) => digits.replaceAll(/..(?=.)/g, '$&:');
