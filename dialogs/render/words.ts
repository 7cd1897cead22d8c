import { LRUCache } from 'lru-cache';
import type { AskedDevice } from '../../src/domain/device-address.ts';
import { type SessionRecord, timeOf } from '../../src/domain/session.ts';
import { unlessThrown, visible } from '../../src/domain/text.ts';

/** A sentence or a part of one. Strings are ours; untrusted text is marked, so that each target can render it as no markup. */
export type Line = ReadonlyArray<string | { untrusted: string }>;

/** Makes a line: a string in a hole is untrusted, a line is inserted. @example line`Did you mean ${guess}?` */
export function line(words: TemplateStringsArray, ...holes: ReadonlyArray<string | number | Line>): Line {
  const whole: Array<Line[number]> = [];
  for (const [index, word] of words.entries()) {
    const hole = holes[index] ?? [];
    if (word !== '') whole.push(word);
    if (typeof hole === 'object') whole.push(...hole);
    else whole.push(typeof hole === 'number' ? `${hole}` : { untrusted: hole });
  }
  return whole;
}

/** A line, words of ours, or nothing. */
export type Words = Line | string | false | undefined;

/** Joins lines, and leaves out empty ones. */
export function joinLines(all: readonly Words[], between = ''): Line {
  const whole: Array<Line[number]> = [];
  for (const each of all) {
    if (!each || each.length === 0) continue;
    if (whole.length > 0 && between !== '') whole.push(between);
    whole.push(...(typeof each === 'string' ? [each] : each));
  }
  return whole;
}

/** An untrusted text, cut to a bearable length; empty if it is not known. */
export const text = (untrusted: string | undefined): Line =>
  untrusted === undefined ? [] : [{ untrusted: shorten(untrusted) }];

/** An untrusted text behind words of ours; empty if it is not known. */
export const named = (words: string, untrusted: string | undefined): Line =>
  untrusted === undefined ? [] : [words, ...text(untrusted)];

/** Begins a line's first words, if they are ours, with a capital letter. */
export function capitalised(text: Line): Line {
  const [first, ...others] = text;
  return typeof first === 'string' ? [first.charAt(0).toUpperCase() + first.slice(1), ...others] : text;
}

/** Makes a line a sentence: a capital letter, and a full stop, unless it is empty or ends with a mark of its own. */
export function sentence(text: Line): Line {
  const end = text.at(-1) ?? '';
  const hasEnd = /^$|[.!?…。][\s"'”)]{0,9}$/.test(typeof end === 'string' ? end : end.untrusted);
  return capitalised(hasEnd ? text : [...text, '.']);
}

const rendered = (mark: (untrusted: string) => string) => (text: Line) => {
  let whole = '';
  for (const part of text) whole += typeof part === 'string' ? part : mark(part.untrusted);
  return whole;
};

/** Renders a line for a message's text: untrusted text becomes a code span. */
export const toMarkdown = rendered(code);
/** Renders a line as plain text, which is untrusted if a part of the line is: names stay, and nothing is invisible. */
export const toPlain = rendered(visible);
/** Renders a line for the room: harmless untrusted text is bare, other is a code span, which not every client knows. */
export const toRoom = rendered((untrusted) =>
  HARMLESS.test(untrusted) ? untrusted : code(untrusted.replace(ROOM_MARKS, fullWidth)),
);

/** Names without a mark, a link or an invisible character. */
const HARMLESS =
  /^(?!.*(?:[:.]\/|\/\/|\.\p{L}{2}|\p{DI}))[\p{L}\p{N}](?:[\p{L}\p{N} :/,()-]|[._](?=[\p{L}\p{N}]))*$/u;
/** Markup, mentions and links without a code span. Host names stay as they are, to be copied. */
const ROOM_MARKS = /[*<>[\]~@]|:(?=\/)|\/(?=\/)|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|(?<=\bwww)\./giu;
const fullWidth = (mark: string) => String.fromCharCode(mark.charCodeAt(0) + 0xfee0);

/** Untrusted text as a code span: no markdown, link or mention works in it. Backticks become a look-alike; nothing is invisible. */
export function code(untrusted: string): string {
  const text = visible(untrusted.replaceAll('`', 'ˋ'));
  return `\`${text.trim() === '' ? ' ' : text}\``;
}

/** Cuts untrusted text to so many UTF-16 units as it is shown (an invisible character as up to nine): a reply stays one message. */
export function shorten(untrusted: string, most = 200): string {
  const shown = visible(untrusted.slice(0, most + 1));
  if (shown.length <= most) return shown;
  return `${shown.slice(0, most).replace(/[\uD800-\uDBFF]$/, '')}...`;
}

/** Joins lines: markdown needs two spaces before a line end (Teams, all clients). */
export const lines = (...each: readonly string[]) => each.join('  \n');

export const paragraphs = (...each: readonly string[]) => each.join('\n\n');

/** The device's own address, with the IP address or the user that it was asked for by. */
export const nameOf = (device: AskedDevice): Line => [...line`${device.address}`, ...askedText(device)];

/** Continues after an address: the IP address or the user that it was asked for by. */
export const askedText = ({ asked, address }: AskedDevice): Line =>
  asked === address ? [] : line` ${[asked.startsWith('user ') ? 'of' : 'at']} ${asked}`;

/** `TwentyFiveGigE1/0/1`: Cisco's switches shorten their interfaces' names to these letters, others' names stay. */
const INTERFACE =
  /^(Te(?=n)|Twe(?=nty)|Tw(?=oGig)|Fi(?=ve)|Fo(?=rty)|Hu(?=ndred)|Gi|Fa(?=st))[a-z]{0,20}(?:GigE|Ethernet)(?=\d)/i;

/** The place in a few words: the network device with its port, if it is wired (`sw-floor2-17 Gi1/0/15`), then Wi-Fi or VPN. */
export function placeText({ networkDevice = '', port = '', wifi, vpn }: SessionRecord): Line {
  const socket = wifi || vpn ? '' : port.replace(INTERFACE, '$1');
  const place = `${shorten(networkDevice)} ${shorten(socket)}`.trim();
  const tunnel = vpn && joinLines(['VPN', text(vpn.group)], ' ');
  return joinLines([place !== '' && line`${place}`, text(wifi?.ssid), tunnel], ', ');
}

/** By MAB, a device's own address is its user name, which is no user. A certificate can bear that name, too. */
export function userText(address: string, { user = '', method, protocol }: SessionRecord): Line {
  const isMab = method?.toLowerCase() === 'mab' || protocol === 'Lookup';
  const isOwnName =
    user.length <= 17 && user.replace(/[:.-]/g, '').toUpperCase() === address.replaceAll(':', '');
  return isMab && isOwnName ? ['MAB, no user'] : text(user || undefined);
}

const METHODS = new Map(Object.entries({ dot1x: '802.1X', mab: 'MAB', webauth: 'web' }));

/** Our word for a method, else the NAC's own. */
export function methodName({ method }: SessionRecord): Line {
  const words = METHODS.get(method?.toLowerCase() ?? '');
  return words === undefined ? text(method) : [words];
}

/** A time of the NAC; one without a zone as it was written, because nobody knows when that was. */
export function timeText(written: string, formatter: Formatter): Line {
  const ms = timeOf(written);
  return ms === undefined
    ? line`${shorten(written)} (as the NAC wrote it, without a time zone)`
    : [timeAndAge(ms, formatter)];
}

export const timeAndAge = (ms: number, formatter: Formatter) =>
  `${formatter.time(ms)} (${formatter.age(ms)})`;

/** Formats times for one person. Times are milliseconds since 1970. */
export type Formatter = ReturnType<typeof createFormatter>;

type FormatterOptions = {
  now(): number;
  /** A clock that is never set back, by which rests and pauses end; default: `now`. */
  steady?(): number;
  /** The NAC's own page for a device, with `{mac}` where its address belongs; undefined: no link to it. */
  nacLink?: string | undefined;
  /** Whether devices can be watched. */
  canWatch?: boolean;
};

/** {@link createFormatter} with a cache, because Intl is slow to make a format. Names of zones are untrusted and can have any length. */
export function createFormatters(known: FormatterOptions) {
  const memoMethod = (timeZone: string) => createFormatter(known, timeZone);
  const cache = new LRUCache<string, Formatter>({ max: 100, memoMethod });
  return ({ timeZone }: { timeZone?: string | undefined }) => cache.memo(timeZone?.slice(0, 100) || 'UTC');
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const UNITS = Object.entries({ day: 24 * HOUR, hour: HOUR, minute: MINUTE, second: 1000 });

/** Times are English, with 24 hours, in the person's zone (IANA); UTC if that is unknown or wrong. */
export function createFormatter(
  { now, steady = now, nacLink, canWatch = false }: FormatterOptions,
  timeZone = 'UTC',
) {
  const { format: time } = unlessThrown(RangeError, () => timesIn(timeZone)) ?? timesIn('UTC');
  return {
    now,
    nacLink,
    canWatch,
    /** Date, time and zone. */
    time,
    /** Time and zone; the date too, if it is half a day away or more. */
    clock(ms: number): string {
      const then = time(ms);
      return Math.abs(ms - now()) < HOUR * 12 ? then.slice(then.lastIndexOf(', ') + 2) : then;
    },
    age: (ms: number) => (now() - ms < 1000 ? 'now' : `${durationText(now() - ms, Math.floor, 1)} ago`),
    /** How long until then by the steady clock, rounded up; one second at least. */
    timeLeft: (ms: number) => durationText(Math.max(1000, ms - steady()), Math.ceil),
  };
}

/** A duration in the largest unit that it fills twice: `90 minutes`, `2 hours`. An age need fill it only once. */
export function durationText(ms: number, round = Math.round, fills = 2): string {
  const [unit, length] = UNITS.find(([, each]) => ms >= fills * each) ?? ['second', 1000];
  const count = round(ms / length);
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

const timesIn = (timeZone = 'UTC') =>
  new Intl.DateTimeFormat('en-GB', {
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZoneName: 'short',
    timeZone,
  });
