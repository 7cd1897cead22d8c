import { expect, it } from 'vitest';
import { createFormatter } from '../../../dialogs/render/words.ts';

const TIME = Date.UTC(2026, 0, 15, 14, 5);
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

it.each([
  ['America/New_York', '15 Jan, 09:05 GMT-5'],
  ['Europe/Berlin', '15 Jan, 15:05 CET'],
  ['Asia/Tehran', '15 Jan, 17:35 GMT+3:30'],
  [undefined, '15 Jan, 14:05 UTC'],
  ['Mars/Olympus', '15 Jan, 14:05 UTC'],
])('a time is written in the zone %s', (timeZone, text) => {
  expect(formatAt(timeZone).time(TIME)).toBe(text);
});

it.each([
  [999, 'now'],
  [SECOND, '1 second ago'],
  [MINUTE, '1 minute ago'],
  [59 * MINUTE, '59 minutes ago'],
  [HOUR, '1 hour ago'],
  [DAY - 1, '23 hours ago'],
  [DAY, '1 day ago'],
  [4000 * DAY, '4000 days ago'],
  [-DAY, 'now'],
])('an age of %i ms is "%s"', (age, text) => {
  expect(formatAt().age(TIME - age)).toBe(text);
});

it.each<[string, string | undefined, number, RegExp]>([
  ['within half a day', 'Asia/Tokyo', DAY / 2 - 1, /^\d\d:\d\d GMT\+9$/],
  ['half a day away', undefined, DAY / 2, /^\d+ \w+, \d\d:\d\d UTC$/],
])('the time of day has its date only where it is needed: %s', (_, timeZone, age, text) => {
  expect(formatAt(timeZone).clock(TIME - age)).toMatch(text);
});

it.each([
  [-DAY, '1 second'],
  [39_001, '40 seconds'],
  [MINUTE, '60 seconds'],
  [2 * MINUTE + 1, '3 minutes'],
  [90 * MINUTE, '90 minutes'],
])('the time left of %i ms is "%s"', (left, text) => expect(formatAt().timeLeft(TIME + left)).toBe(text));

const formatAt = (timeZone?: string) => createFormatter({ now: () => TIME }, timeZone);
