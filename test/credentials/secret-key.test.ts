import fc from 'fast-check';
import { expect, it } from 'vitest';
import { openSealed, seal } from '../../src/credentials.ts';
import { createKey } from './memory-store.ts';

it('a seal opens by its key, for its owner alone', async () => {
  const [key, other] = [createKey(), createKey()];
  const texts = [fc.string({ unit: 'grapheme' }), fc.string(), fc.string()] as const;
  const property = fc.asyncProperty(...texts, async (text, owner, stranger) => {
    const sealed = await seal(key, text, owner);
    expect(await openSealed(key, sealed, owner)).toBe(text);
    expect(await openSealed(other, sealed, owner)).toBeUndefined();
    if (stranger !== owner) expect(await openSealed(key, sealed, stranger)).toBeUndefined();
  });
  await fc.assert(property);
});

it('a seal stays closed if it was changed or cut', async () => {
  const key = createKey();
  const sealed = await seal(key, 'user and password', 'alex');
  const open = (text: string) => openSealed(key, text, 'alex');
  for (let at = 0; at < sealed.length; at++) {
    const other = sealed[at] === 'A' ? 'Q' : 'A'; // They differ in a bit that counts, also at a part's end.
    expect(await open(`${sealed.slice(0, at)}${other}${sealed.slice(at + 1)}`)).toBeUndefined();
    expect(await open(sealed.slice(0, at))).toBeUndefined();
  }
});

it('a seal differs each time, and shows nothing of the text', async () => {
  const key = createKey();
  const seals = await Promise.all(Array.from({ length: 100 }, () => seal(key, 'canary', 'alex')));
  expect(new Set(seals).size).toBe(100);
  const parts = seals.flatMap((each) => each.split('.').map((part) => Buffer.from(part, 'base64url')));
  expect(Buffer.concat(parts).includes('canary')).toBe(false);
});
