import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createFormProof, FORM_LIFETIME_MS, openSealed, seal } from '../../src/credentials/secret-key.ts';
import { createKey } from './memory-store.ts';

describe('a seal', () => {
  it('is opened by its key, for its owner alone', () => {
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

  it('in which one bit was changed, or that was cut, stays closed', () => {
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

  it('is never made twice alike, and shows nothing of the text', () => {
    const key = createKey();
    const seals = Array.from({ length: 100 }, () =>
      Buffer.from(seal(key, 'canary', 'alex'), 'base64').toString('hex'),
    );
    expect(new Set(seals).size).toBe(100);
    expect(seals.join()).not.toContain(Buffer.from('canary').toString('hex'));
  });
});

const now = () => 1_000_000;
const [newKey, oldKey] = [createKey(), createKey()];

describe('a form of a bot with a new and an old key', () => {
  it('is signed with the new key', () => {
    const form = createFormProof([newKey, oldKey], now).issue('alex');
    expect([oldKey, newKey].map((key) => createFormProof([key], now).redeem('alex', form))).toEqual([
      false,
      true,
    ]);
  });

  it.each([
    ['a proof by the new key', true, newKey, 'alex', 0],
    ['a proof by the old key', true, oldKey, 'alex', 0],
    ['a proof by any other key', false, createKey(), 'alex', 0],
    ["another person's proof", false, newKey, 'patti', 0],
    ['a proof of the future', false, newKey, 'alex', -1],
    ['a proof at the end of its time', true, newKey, 'alex', FORM_LIFETIME_MS],
    ['a proof after its time', false, newKey, 'alex', FORM_LIFETIME_MS + 1],
  ])('with %s is accepted once: %s', (_, accepted, key, person, ms) => {
    const form = createFormProof([key], now).issue('alex');
    const { redeem } = createFormProof([newKey, oldKey], () => now() + ms);
    expect([redeem(person, form), redeem(person, form)]).toEqual([accepted, false]);
  });
});
