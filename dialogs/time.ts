/** How a person writes times: a BCP 47 language tag and an IANA time zone, either of them unknown or wrong. */
export type TimeStyle = { locale?: string | undefined; timeZone?: string | undefined };

/** A time (milliseconds since 1970) with its date and zone, in the person's own way where it is known, else English in UTC. */
export function formatTime(ms: number, { locale, timeZone }: TimeStyle): string {
  const format = (...[language, zone]: [string | undefined, string]) =>
    new Intl.DateTimeFormat(language, { ...PARTS, timeZone: zone }).format(ms).replaceAll('\u202f', ' ');
  try {
    return format(locale ?? 'en-GB', timeZone ?? 'UTC');
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return format('en-GB', 'UTC');
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
