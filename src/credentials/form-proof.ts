import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { Secret } from '../secret.ts';

/** Proof that a form was issued to a person by this bot, or by another replica with the same key, not long ago. */
export type FormProof = {
  issue(person: string): { issuedAt: number; proof: string };
  /** @param data what came back, in any shape */
  holds(person: string, data: Readonly<Record<string, unknown>>): boolean;
};

/** How long a form can be sent in after it was issued. */
export const FORM_LIFETIME_MS = 10 * 60_000;

/** HMAC-SHA-256 over person and time, with a key of its own derived from `key` (RFC 5869). Nothing is kept. */
export function createFormProof(key: Secret, now: () => number): FormProof {
  const ownKey = Buffer.from(hkdfSync('sha256', Buffer.from(key.reveal(), 'base64'), '', 'form proof', 32));
  const sign = (person: string, issuedAt: number) =>
    createHmac('sha256', ownKey)
      .update(JSON.stringify([person, issuedAt]))
      .digest();
  return {
    issue(person) {
      const issuedAt = now();
      return { issuedAt, proof: sign(person, issuedAt).toString('base64url') };
    },
    holds(person, { issuedAt, proof }) {
      if (typeof issuedAt !== 'number' || typeof proof !== 'string') return false;
      const age = now() - issuedAt;
      const given = Buffer.from(proof, 'base64url');
      const expected = sign(person, issuedAt);
      return (
        age >= 0 &&
        age <= FORM_LIFETIME_MS &&
        given.length === expected.length &&
        timingSafeEqual(given, expected)
      );
    },
  };
}
