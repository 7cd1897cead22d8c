import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findMacAddresses, guessMacAddresses } from '../../src/domain/mac-address.ts';

const X = '00:1B:54:00:00:07';

describe('guesses at a mistyped address', () => {
  it.each([
    ['00:1B:54:OO:OO:O7', [X]],
    ['oo1b.54oo.ooo7', [X]],
    ['00:lB:54:00:00:07', [X]],
    ['00:IB:54:00:00:07', [X]],
    ['00:iB:54:00:00:07', [X]],
    ['00-|B-54-00-00-07', [X]],
    ['O0lB54000007', [X]],
    ['is OO:1B:54:00:00:07 or 00:lB:54:00:00:08 in?', [X, '00:1B:54:00:00:08']],
    [X, [X]],
    ['00ll22334455', ['00:11:22:33:44:55']],
    ['001122334455', []],
    ['call 0800 1234 5678 or 0800 l234 5679', ['08:00:12:34:56:79']],
    ['AA:BB:CC:DD:EE:GG', []],
    ['00:1B:54:00:00', []],
    ['look in oil, lol: no idea', []],
    ['', []],
  ])('in "%s" are %j', (text, guesses) => {
    expect(guessMacAddresses(text)).toEqual(guesses);
  });

  it('are right for any address whose 0 and 1 became letters', () => {
    const address = fc
      .array(fc.integer({ min: 0, max: 255 }), { minLength: 6, maxLength: 6 })
      .map((octets) => octets.map((octet) => octet.toString(16).padStart(2, '0').toUpperCase()).join(':'));
    const typed = fc.record({
      zero: fc.constantFrom('O', 'o', '0'),
      one: fc.constantFrom('l', 'I', '|', 'i', '1'),
    });
    fc.assert(
      fc.property(address, typed, (right, { zero, one }) => {
        const wrong = right.replaceAll('0', zero).replaceAll('1', one);
        expect(guessMacAddresses(wrong)).toEqual(findMacAddresses(right));
      }),
    );
  });
});
