import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createFormProof } from '../../src/credentials/form-proof.ts';
import { Secret } from '../../src/domain/secret.ts';

const now = () => 1_000_000;
const [newKey, oldKey] = [key(), key()];

describe('a form of a bot with a new and an old key', () => {
  it('is signed with the new key', () => {
    const form = createFormProof([newKey, oldKey], now).issue('alex');
    expect(createFormProof([oldKey], now).redeem('alex', form)).toBe(false);
    expect(createFormProof([newKey], now).redeem('alex', form)).toBe(true);
  });

  it.each([
    ['the new', newKey],
    ['the old', oldKey],
  ])('is accepted with a proof by %s key, once and from its person alone', (_, each) => {
    const form = createFormProof([each], now).issue('alex');
    const both = createFormProof([newKey, oldKey], now);
    expect(both.redeem('patti', form)).toBe(false);
    expect([both.redeem('alex', form), both.redeem('alex', form)]).toEqual([true, false]);
  });

  it('is refused with a proof by any other key', () => {
    const form = createFormProof([key()], now).issue('alex');
    expect(createFormProof([newKey, oldKey], now).redeem('alex', form)).toBe(false);
  });
});

function key(): Secret {
  return new Secret(randomBytes(32).toString('base64'));
}
