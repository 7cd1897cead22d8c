import { createHash } from 'node:crypto';

/**
 * The six digits by which a person and an operator name the same lookup.
 * @param key the question's. Everything that becomes of the question has the same number, in every process
 */
export function reportNumber(key: string): number {
  return 100_000 + (createHash('sha256').update(key).digest().readUIntBE(0, 6) % 900_000);
}
