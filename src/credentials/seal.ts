import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Secret } from '../domain/secret.ts';

/** 32 bytes in base64 each: the key that seals, then one that only opens. */
export type Keys = readonly [key: Secret, ...older: Secret[]];

/** Seals texts for storage, each for one owner. */
export type Seal = {
  /** Seals with the first key. */
  close(text: string, owner: string): Uint8Array;
  /** Returns the text; undefined if it was sealed with no key of these or for another owner, or was tampered with. */
  open(sealed: Uint8Array, owner: string): Opened | undefined;
};

/** `isOld`: not sealed with the first key. */
type Opened = { text: string; isOld: boolean };

const VERSION = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEADER_BYTES = 1 + NONCE_BYTES + TAG_BYTES;

/**
 * AES-256-GCM with a fresh random nonce each time and the owner bound in as associated data (NIST SP 800-38D).
 * Layout: version (1 byte), nonce (12), tag (16), ciphertext.
 */
export function createSeal([key, ...older]: Keys): Seal {
  return {
    close: (text, owner) => close(key, text, owner),
    open(sealed, owner) {
      const text = open(key, sealed, owner);
      if (text !== undefined) return { text, isOld: false };
      const old = older.map((each) => open(each, sealed, owner)).find((each) => each !== undefined);
      return old === undefined ? undefined : { text: old, isOld: true };
    },
  };
}

function close(key: Secret, text: string, owner: string): Uint8Array {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', bytesOf(key), nonce, { authTagLength: TAG_BYTES }).setAAD(
    Buffer.from(owner),
  );
  const ciphertext = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([Buffer.of(VERSION), nonce, cipher.getAuthTag(), ciphertext]);
}

function open(key: Secret, sealed: Uint8Array, owner: string): string | undefined {
  if (sealed.length < HEADER_BYTES || sealed[0] !== VERSION) return undefined;
  const nonce = sealed.subarray(1, 1 + NONCE_BYTES);
  const decipher = createDecipheriv('aes-256-gcm', bytesOf(key), nonce, { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(owner))
    .setAuthTag(sealed.subarray(1 + NONCE_BYTES, HEADER_BYTES));
  try {
    return Buffer.concat([decipher.update(sealed.subarray(HEADER_BYTES)), decipher.final()]).toString('utf8');
  } catch {
    return undefined; // final() throws only if the tag does not match.
  }
}

const bytesOf = (key: Secret) => Buffer.from(key.reveal(), 'base64');
