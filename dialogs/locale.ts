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

/** A person's own way where it is known, else English in UTC. */
export function formatFor({ locale, timeZone }: Locale, now: () => number): Format {
  const language = languageOf(locale);
  return {
    time: (ms) => formatTime(ms, language, timeZone),
    age(ms) {
      const [unit, length] = unitFor(now() - ms);
      const age = Math.max(0, Math.floor((now() - ms) / length));
      const numeric = age === 0 ? 'auto' : 'always'; // "now", but not "yesterday".
      return spaced(new Intl.RelativeTimeFormat(language, { numeric }).format(-age, unit));
    },
    number: (value) => spaced(new Intl.NumberFormat(language).format(value)),
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

function formatTime(ms: number, language: string, timeZone: string | undefined): string {
  try {
    return spaced(new Intl.DateTimeFormat(language, { ...PARTS, timeZone: timeZone ?? 'UTC' }).format(ms));
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return spaced(new Intl.DateTimeFormat(language, { ...PARTS, timeZone: 'UTC' }).format(ms));
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

const MINUTE = 60_000;
const UNITS = [
  ['day', 24 * 60 * MINUTE],
  ['hour', 60 * MINUTE],
  ['minute', MINUTE],
] as const;

function unitFor(ms: number): readonly [Intl.RelativeTimeFormatUnit, number] {
  return UNITS.find(([, length]) => ms >= length) ?? ['second', 1000];
}

/** Intl separates by several kinds of spaces; in chat one is enough. */
function spaced(text: string): string {
  return text.replace(/[\u00a0\u202f]/g, ' ');
}
