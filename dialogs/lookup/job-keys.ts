import { hash } from 'node:crypto';

/** The job of a question's devices that were not answered because the NAC is down. */
export const laterKey = (key: string) => `${key} later`;
/** The post that reports a dead letter. */
export const givenUpKey = (key: string) => `${key} given up`;
/** A post about a question or an incident. @param content what distinguishes it from others about the same */
export const postKey = (key: string, content: string) => `${key} ${hash('sha256', content)}`;

const SUFFIXES = /( later)?( given up)?( [0-9a-f]{64})?$/;

/** The six digits by which a person and an operator name the same lookup: one for a question and all that becomes of it. */
export function reportNumber(jobKey: string): number {
  const key = jobKey.replace(SUFFIXES, '');
  return 100_000 + (hash('sha256', key, 'buffer').readUIntBE(0, 6) % 900_000);
}

/** Equal for equal plain data. */
export function fingerprintOf(parts: readonly unknown[], length?: number): string {
  return hash('sha256', JSON.stringify(parts), 'base64url').slice(0, length);
}
