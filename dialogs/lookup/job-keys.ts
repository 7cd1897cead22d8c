import { hash } from 'node:crypto';

/** The job of a question's devices that were not answered because the NAC is down. */
export const laterKey = (key: string) => `${key} later`;
/** The post that reports a dead letter. */
export const givenUpKey = (key: string) => `${key} given up`;
/** A post about a question. Its later devices have another text. */
export const postKey = (key: string, text: string) => `${key} ${hash('sha256', text)}`;
/** A post about an incident. @param since when it began (milliseconds since 1970) */
export const incidentPostKey = (key: string, since: number, version: number) => `${key} ${since} ${version}`;

const SUFFIXES = /( later)?( given up)?( [0-9a-f]{64}| \d+ \d+)?$/;

/** The six digits by which a person and an operator name the same lookup: one for a question and all that becomes of it. */
export function reportNumber(jobKey: string): number {
  const key = jobKey.replace(SUFFIXES, '');
  return 100_000 + (hash('sha256', key, 'buffer').readUIntBE(0, 6) % 900_000);
}
