import fc from 'fast-check';
import { expect, it } from 'vitest';
import { openSealed, seal } from '../../src/credentials.ts';
import { createKey } from './memory-store.ts';

it('a seal opens by its key, for its owner alone', () => {
  const [key, other] = [createKey(), createKey()];
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string(), fc.string(), (text, owner, stranger) => {
      const sealed = seal(key, text, owner);
      expect(openSealed(key, sealed, owner)).toBe(text);
      expect(openSealed(other, sealed, owner)).toBeUndefined();
      if (stranger !== owner) expect(openSealed(key, sealed, stranger)).toBeUndefined();
    }),
  );
});

it('a seal stays closed if one bit was changed or it was cut', () => {
  const key = createKey();
  const sealed = Buffer.from(seal(key, 'user and password', 'alex'), 'base64');
  const open = (bytes: Uint8Array) => openSealed(key, Buffer.from(bytes).toString('base64'), 'alex');
  for (let bit = 0; bit < sealed.length * 8; bit++) {
    const changed = Uint8Array.from(sealed);
    changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    expect(open(changed)).toBeUndefined();
  }
  for (let length = 0; length < sealed.length; length++)
    expect(open(sealed.subarray(0, length))).toBeUndefined();
});

it('a seal differs each time, and shows nothing of the text', () => {
  const key = createKey();
  const seals = Array.from({ length: 100 }, () => Buffer.from(seal(key, 'canary', 'alex'), 'base64'));
  expect(new Set(seals.map(String)).size).toBe(100);
  expect(Buffer.concat(seals).includes('canary')).toBe(false);
});
