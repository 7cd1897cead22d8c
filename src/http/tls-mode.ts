import { readFileSync } from 'node:fs';

/**
 * How one upstream's certificate is judged.
 * - `verify`: by the machine's trusted authorities (and `NODE_EXTRA_CA_CERTS`), host name included
 * - `ca`: by the authorities in a PEM file alone, host name included
 * - `pin`: by its SHA-256 fingerprint alone (64 upper-case hexadecimal digits each)
 * - `insecure`: not at all
 */
export type TlsMode =
  | { kind: 'verify' }
  | { kind: 'ca'; pem: string }
  | { kind: 'pin'; fingerprints: readonly string[] }
  | { kind: 'insecure' };

/**
 * Reads `verify`, `ca:FILE`, `pin:SHA256[,SHA256]` or `insecure`; colons inside a fingerprint are optional.
 * @returns the mode, or a sentence that says what is wrong with the text
 */
export function parseTlsMode(text: string): TlsMode | string {
  if (text === 'verify' || text === 'insecure') return { kind: text };
  if (text.startsWith('ca:')) return readAuthorities(text.slice('ca:'.length));
  if (text.startsWith('pin:')) return parsePins(text.slice('pin:'.length));
  return 'must be verify, ca:FILE, pin:SHA256 (several with commas) or insecure';
}

function readAuthorities(file: string): TlsMode | string {
  try {
    const pem = readFileSync(file, 'utf8');
    return pem.includes('-----BEGIN CERTIFICATE-----')
      ? { kind: 'ca', pem }
      : `names ${file}, which holds no certificate in PEM form`;
  } catch {
    return `names the file ${file}, which cannot be read`;
  }
}

function parsePins(list: string): TlsMode | string {
  const fingerprints = list.split(',').map((pin) => pin.trim().replaceAll(':', '').toUpperCase());
  return fingerprints.every((pin) => /^[0-9A-F]{64}$/.test(pin))
    ? { kind: 'pin', fingerprints }
    : 'has a pin that is not a SHA-256 fingerprint of 64 hexadecimal digits';
}
