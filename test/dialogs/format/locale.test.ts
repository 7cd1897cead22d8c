import { describe, expect, it } from 'vitest';
import { formatFor, type Locale } from '../../../dialogs/format/locale.ts';

const TIME = Date.UTC(2026, 0, 15, 14, 5);
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

describe('a time', () => {
  it.each([
    ['en-US', 'America/New_York', 'Jan 15, 2026, 09:05 AM EST'],
    ['de-DE', 'Europe/Berlin', '15. Jan. 2026, 15:05 MEZ'],
    ['fr-FR', 'Europe/Paris', '15 janv. 2026, 15:05 UTC+1'],
    ['ja-JP', 'Asia/Tokyo', '2026年1月15日 23:05 JST'],
    [undefined, undefined, '15 Jan 2026, 14:05 UTC'],
    ['en-GB', undefined, '15 Jan 2026, 14:05 UTC'],
    [undefined, 'Europe/Berlin', '15 Jan 2026, 15:05 CET'],
    ['no language', 'Mars/Olympus', '15 Jan 2026, 14:05 UTC'],
    ['de-DE', 'Mars/Olympus', '15. Jan. 2026, 14:05 UTC'],
    ['', '', '15 Jan 2026, 14:05 UTC'],
  ])('writes for %s in %s', (locale, timeZone, text) => {
    expect(formatFor({ locale, timeZone }, () => TIME).time(TIME)).toBe(text);
  });
});

describe('an age', () => {
  it.each([
    [0, 'now'],
    [999, 'now'],
    [SECOND, '1 second ago'],
    [59 * SECOND, '59 seconds ago'],
    [MINUTE, '1 minute ago'],
    [59 * MINUTE, '59 minutes ago'],
    [HOUR, '1 hour ago'],
    [DAY - 1, '23 hours ago'],
    [DAY, '1 day ago'],
    [400 * DAY, '400 days ago'],
    [-DAY, 'now'],
  ])('of %i ms is "%s"', (age, text) => {
    expect(formatAt({}).age(TIME - age)).toBe(text);
  });

  it.each([
    ['de-DE', 'vor 2 Tagen'],
    ['fr', 'il y a 2 jours'],
    ['no language', '2 days ago'],
  ])('is written in %s', (locale, text) => {
    expect(formatAt({ locale }).age(TIME - 2 * DAY)).toBe(text);
  });
});

describe('a number', () => {
  it.each([
    ['en-US', '1,234.5'],
    ['de-DE', '1.234,5'],
    ['fr-FR', '1 234,5'],
    [undefined, '1,234.5'],
    ['no language', '1,234.5'],
  ])('is written for %s', (locale, text) => {
    expect(formatAt({ locale }).number(1234.5)).toBe(text);
  });
});

function formatAt(locale: Locale) {
  return formatFor(locale, () => TIME);
}
