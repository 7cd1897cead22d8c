import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSeal } from '../../src/credentials/seal.ts';
import { Secret } from '../../src/domain/secret.ts';

const key = () => new Secret(randomBytes(32).toString('base64'));

describe('createSeal', () => {
  it('opens what it closed, for its owner alone', () => {
    const seal = createSeal([key()]);
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string(), fc.string(), (text, owner, other) => {
        const sealed = seal.close(text, owner);
        expect(seal.open(sealed, owner)).toEqual({ text, isOld: false });
        if (other !== owner) expect(seal.open(sealed, other)).toBeUndefined();
      }),
    );
  });

  it('opens nothing that was sealed with another key', () => {
    expect(createSeal([key()]).open(createSeal([key()]).close('text', 'alex'), 'alex')).toBeUndefined();
  });

  it('opens what its old key closed, and closes with its new key alone', () => {
    const [newKey, oldKey] = [key(), key()];
    const both = createSeal([newKey, oldKey]);
    const sealed = createSeal([oldKey]).close('text', 'alex');
    expect(both.open(sealed, 'alex')).toEqual({ text: 'text', isOld: true });
    expect(both.open(sealed, 'patti')).toBeUndefined();
    expect(createSeal([newKey]).open(both.close('text', 'alex'), 'alex')).toEqual({
      text: 'text',
      isOld: false,
    });
    expect(createSeal([oldKey]).open(both.close('text', 'alex'), 'alex')).toBeUndefined();
  });

  it('opens nothing in which one bit was changed, or that was cut', () => {
    const seal = createSeal([key()]);
    const sealed = seal.close('user and password', 'alex');
    for (let bit = 0; bit < sealed.length * 8; bit++) {
      const changed = Uint8Array.from(sealed);
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(seal.open(changed, 'alex')).toBeUndefined();
    }
    for (let length = 0; length < sealed.length; length++) {
      expect(seal.open(sealed.subarray(0, length), 'alex')).toBeUndefined();
    }
  });

  it('never seals twice alike, and shows nothing of the text', () => {
    const seal = createSeal([key()]);
    const texts = new Set(
      Array.from({ length: 100 }, () => Buffer.from(seal.close('canary', 'alex')).toString('hex')),
    );
    expect(texts.size).toBe(100);
    expect([...texts].join()).not.toContain(Buffer.from('canary').toString('hex'));
  });
});
