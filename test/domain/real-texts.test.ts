import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { findDeviceAddresses, isMacAddress } from '../../src/domain/device-address.ts';
import { findMacAddresses } from '../../src/domain/mac-address.ts';

type RealText = { name: string; text: string; found: string[]; behindCommand: string[] };

/**
 * Texts as switches, servers, devices and people write them. Below each stands what is found in it: everywhere, or behind
 * a command alone (`none; lookup ...`). The values are our own.
 */
const realTexts = readFileSync(new URL('real-texts.txt', import.meta.url), 'utf8')
  .split(/^## /m)
  .slice(1)
  .map(readRealText);

describe('in the text of', () => {
  it.each(realTexts)('$name', ({ text, found, behindCommand }) => {
    expect(findMacAddresses(text)).toEqual(found);
    expect(findDeviceAddresses(text).addresses.filter(isMacAddress)).toEqual(behindCommand);
  });
});

it('has at least 120 texts', () => {
  expect(realTexts.length).toBeGreaterThanOrEqual(120);
});

function readRealText(record: string): RealText {
  const [, name = '', text = '', answer = ''] = /^([^\n]*)\n(.*)\n-> ([^\n]*)\n$/s.exec(record) ?? [];
  const [strict = '', wide = strict] = answer.split('; lookup ');
  return { name, text, found: addressesOf(strict), behindCommand: addressesOf(wide) };
}

function addressesOf(list: string): string[] {
  if (list === '') throw new Error('a text without "-> ..." below it');
  return list === 'none' ? [] : list.split(', ');
}
