import { describe, expect, it } from 'vitest';
import { formatFor } from '../../dialogs/locale.ts';

const TIME = Date.UTC(2026, 0, 15, 14, 5);

describe('a time', () => {
  it.each([
    ['en-US', 'America/New_York', 'Jan 15, 2026, 09:05 AM EST'],
    ['de-DE', 'Europe/Berlin', '15. Jan. 2026, 15:05 MEZ'],
    [undefined, undefined, '15 Jan 2026, 14:05 UTC'],
    ['no language', 'Mars/Olympus', '15 Jan 2026, 14:05 UTC'],
  ])('writes for %s in %s', (locale, timeZone, text) => {
    expect(formatFor({ locale, timeZone }, () => TIME).time(TIME)).toBe(text);
  });
});
