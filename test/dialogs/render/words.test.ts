import { expect, it } from 'vitest';
import { createFormatter, type Locale } from '../../../dialogs/render/words.ts';

const TIME = Date.UTC(2026, 0, 15, 14, 5);
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

it.each([
  ['en-US', 'America/New_York', 'Jan 15, 09:05 AM EST'],
  ['en-AU', 'Australia/Sydney', '16 Jan, 01:05 am AEDT'],
  ['de-DE', 'Europe/Berlin', '15 Jan, 15:05 CET'],
  ['fa-IR', 'Asia/Tehran', '15 Jan, 17:35 GMT+3:30'],
  ['en-US-u-nu-arab', 'UTC', 'Jan 15, 02:05 PM UTC'],
  [undefined, undefined, '15 Jan, 14:05 UTC'],
  [undefined, 'Europe/Berlin', '15 Jan, 15:05 CET'],
  ['no language', 'Mars/Olympus', '15 Jan, 14:05 UTC'],
])('a time is written for %s in %s', (locale, timeZone, text) => {
  expect(formatAt({ locale, timeZone }).time(TIME)).toBe(text);
});

it.each([
  [999, 'now'],
  [SECOND, '1 second ago'],
  [MINUTE, '1 minute ago'],
  [59 * MINUTE, '59 minutes ago'],
  [HOUR, '1 hour ago'],
  [DAY - 1, '23 hours ago'],
  [DAY, '1 day ago'],
  [4000 * DAY, '4,000 days ago'],
  [-DAY, 'now'],
])('an age of %i ms is "%s", for everyone', (age, text) => {
  expect(formatAt({ locale: 'de-DE' }).age(TIME - age)).toBe(text);
});

it.each<[string, Locale, number, RegExp]>([
  ['today', {}, 0, /^\d\d:\d\d UTC$/],
  ['today, with 12 hours', { locale: 'en-US', timeZone: 'Asia/Tokyo' }, 0, /^\d\d:\d\d [AP]M GMT\+9$/],
  ['a week ago', {}, 7 * DAY, /^\d+ \w+ \d{4}, \d\d:\d\d UTC$/],
  ['a week ago, with 12 hours', { locale: 'en-US' }, 7 * DAY, /^\w+ \d+, \d{4}, \d\d:\d\d [AP]M UTC$/],
  ['another day', {}, 2 * DAY, /^\d+ \w+, \d\d:\d\d UTC$/],
  ['another day, with 12 hours', { locale: 'en-US' }, 2 * DAY, /^\w+ \d+, \d\d:\d\d [AP]M UTC$/],
])('the time of day has its date unless that is today: %s', (_, locale, age, text) => {
  expect(formatAt(locale).clock(TIME - age)).toMatch(text);
});

it.each([
  [-DAY, '1 s'],
  [1, '1 s'],
  [39_001, '40 s'],
  [119 * SECOND, '119 s'],
  [2 * MINUTE, '2 minutes'],
  [2 * MINUTE + 1, '3 minutes'],
  [119 * MINUTE, '119 minutes'],
  [2 * HOUR, '2 hours'],
])('the time left of %i ms is "%s"', (left, text) => expect(formatAt({}).timeLeft(TIME + left)).toBe(text));

it.each(['de-DE', 'ar-EG', undefined, 'no language'])('a number is written in English for %s', (locale) => {
  expect(formatAt({ locale }).number(1234.5)).toBe('1,234.5');
});

function formatAt(locale: Locale) {
  return createFormatter(locale, { now: () => TIME });
}
