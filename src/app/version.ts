import { readFileSync } from 'node:fs';

/** The release, as the package says it. */
export function readVersion(): string {
  const file = new URL('../../package.json', import.meta.url);
  return String(JSON.parse(readFileSync(file, 'utf8')).version);
}
