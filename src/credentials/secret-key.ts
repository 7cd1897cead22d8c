import * as crypto from 'node:crypto';
import type { Secret } from '../domain/secret.ts';

/** 32 bytes in base64 each: the key that seals, then one that only opens. */
export type Keys = readonly [key: Secret, ...older: Secret[]];

const VERSION = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEADER_BYTES = 1 + NONCE_BYTES + TAG_BYTES;

/**
 * Seals a text for one owner: AES-256-GCM with a fresh random nonce each time and the owner bound in as associated data (NIST
 * SP 800-38D). Layout, in base64: version (1 byte), nonce (12), tag (16), ciphertext.
 */
export function seal(key: Secret, text: string, owner: string): string {
  const nonce = crypto.randomBytes(NONCE_BYTES);
  const cipher = crypto.createCipheriv('aes-256-gcm', bytesOf(key), nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(Buffer.from(owner));
  const ciphertext = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([Buffer.of(VERSION), nonce, cipher.getAuthTag(), ciphertext]).toString('base64');
}

/** Returns the text; undefined if it was sealed with another key or for another owner, or was tampered with. */
export function openSealed(key: Secret, text: string, owner: string): string | undefined {
  const sealed = Buffer.from(text, 'base64');
  if (sealed.length < HEADER_BYTES || sealed[0] !== VERSION) return undefined;
  const nonce = sealed.subarray(1, 1 + NONCE_BYTES);
  const decipher = crypto
    .createDecipheriv('aes-256-gcm', bytesOf(key), nonce, { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(owner))
    .setAuthTag(sealed.subarray(1 + NONCE_BYTES, HEADER_BYTES));
  try {
    return Buffer.concat([decipher.update(sealed.subarray(HEADER_BYTES)), decipher.final()]).toString('utf8');
  } catch {
    return undefined; // final() throws only if the tag does not match.
  }
}

const bytesOf = (key: Secret) => Buffer.from(key.reveal(), 'base64');
