import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openSealed, seal } from '../../src/credentials/people.ts';
import { Secret } from '../../src/domain/secret.ts';

const newKey = () => new Secret(randomBytes(32).toString('base64'));

describe('a seal', () => {
  it('is opened by its key, for its owner alone', () => {
    const [key, other] = [newKey(), newKey()];
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string(), fc.string(), (text, owner, stranger) => {
        const sealed = seal(key, text, owner);
        expect(openSealed(key, sealed, owner)).toBe(text);
        expect(openSealed(other, sealed, owner)).toBeUndefined();
        if (stranger !== owner) expect(openSealed(key, sealed, stranger)).toBeUndefined();
      }),
    );
  });

  it('in which one bit was changed, or that was cut, stays closed', () => {
    const key = newKey();
    const sealed = seal(key, 'user and password', 'alex');
    for (let bit = 0; bit < sealed.length * 8; bit++) {
      const changed = Uint8Array.from(sealed);
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(openSealed(key, changed, 'alex')).toBeUndefined();
    }
    for (let length = 0; length < sealed.length; length++)
      expect(openSealed(key, sealed.subarray(0, length), 'alex')).toBeUndefined();
  });

  it('is never made twice alike, and shows nothing of the text', () => {
    const key = newKey();
    const seals = Array.from({ length: 100 }, () => Buffer.from(seal(key, 'canary', 'alex')).toString('hex'));
    expect(new Set(seals).size).toBe(100);
    expect(seals.join()).not.toContain(Buffer.from('canary').toString('hex'));
  });
});
