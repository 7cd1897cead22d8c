import { LRUCache } from 'lru-cache';

/** How a person writes numbers and times: a BCP 47 language tag and an IANA time zone, either of them unknown or wrong. */
export type Locale = { locale?: string | undefined; timeZone?: string | undefined };

/** Numbers and times as one person writes them. Times are milliseconds since 1970. */
export type Format = {
  /** With its date and zone. */
  time(ms: number): string;
  /** How long ago, in the largest whole unit. */
  age(ms: number): string;
  number(value: number): string;
};

/** For whom an answer is written, and when (milliseconds since 1970). */
export type Reader = { format: Format; now: number };

/** {@link formatFor}, which keeps the formats of late ready. */
export type Formats = (locale: Locale) => Format;

/** How many are kept, because Intl takes long to make one. Their names are foreign and can be of any length. */
const KEPT = { max: 100, maxSize: 10_000, maxEntrySize: 100 };

export function createFormats(now: () => number): Formats {
  const kept = new LRUCache<string, Format>({ ...KEPT, sizeCalculation: (_format, key) => key.length });
  return (locale) => {
    const key = `${locale.locale} ${locale.timeZone}`;
    const known = kept.get(key);
    if (known) return known;
    const format = formatFor(locale, now);
    kept.set(key, format);
    return format;
  };
}

/** A person's own way where it is known, else English in UTC. */
export function formatFor({ locale, timeZone }: Locale, now: () => number): Format {
  const language = languageOf(locale);
  const times = timesIn(language, timeZone);
  const numbers = new Intl.NumberFormat(language);
  // "now", but not "yesterday".
  const present = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });
  const past = new Intl.RelativeTimeFormat(language, { numeric: 'always' });
  const timeAt = remembered((minute) => spaced(times.format(minute * MINUTE)));
  const ageIn = ([unit, length]: Unit) => ({
    length,
    textOf: remembered((age) => spaced((age === 0 ? present : past).format(-age, unit))),
  });
  const ages = UNITS.map(ageIn);
  const seconds = ageIn(['second', 1000]);
  return {
    time: (ms) => timeAt(Math.floor(ms / MINUTE)),
    age(ms) {
      const passed = Math.max(0, now() - ms);
      const { length, textOf } = ages.find((unit) => passed >= unit.length) ?? seconds;
      return textOf(Math.floor(passed / length));
    },
    number: (value) => spaced(numbers.format(value)),
  };
}

/** More than a day has minutes: most sessions began within one, and Intl takes long for a text. */
const MOST_REMEMBERED = 1500;

function remembered(textOf: (value: number) => string): (value: number) => string {
  const texts = new Map<number, string>();
  return (value) => {
    const known = texts.get(value);
    if (known !== undefined) return known;
    if (texts.size >= MOST_REMEMBERED) texts.clear();
    const text = textOf(value);
    texts.set(value, text);
    return text;
  };
}

const ENGLISH = 'en-GB';

function languageOf(locale: string | undefined): string {
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(locale ?? ENGLISH)[0] ?? ENGLISH;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return ENGLISH;
  }
}

function timesIn(language: string, timeZone: string | undefined): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat(language, { ...PARTS, timeZone: timeZone ?? 'UTC' });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return new Intl.DateTimeFormat(language, { ...PARTS, timeZone: 'UTC' });
  }
}

const PARTS: Intl.DateTimeFormatOptions = {
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  timeZoneName: 'short',
};

type Unit = readonly [name: Intl.RelativeTimeFormatUnit, lengthMs: number];

const MINUTE = 60_000;
const UNITS: readonly Unit[] = [
  ['day', 24 * 60 * MINUTE],
  ['hour', 60 * MINUTE],
  ['minute', MINUTE],
];

/** Intl separates by several kinds of spaces; in chat one is enough. */
function spaced(text: string): string {
  return text.replace(/[\u00a0\u202f]/g, ' ');
}
