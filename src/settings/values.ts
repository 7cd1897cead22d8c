import { domainToASCII } from 'node:url';
import { z } from 'zod';
import { Secret } from '../domain/secret.ts';
import { isLoopback } from '../http/hosts.ts';
import { parseTlsMode } from '../http/trust.ts';

/** Adds a problem to a value. No message quotes the value. */
function fault(context: z.RefinementCtx, message: string): never {
  context.addIssue({ code: 'custom', message });
  return z.NEVER;
}

/** A text that `parse` reads, blanks included. @param message what is wrong if `parse` returns undefined */
export function parsed<T>(parse: (text: string) => T | undefined, message: string) {
  return z.string().transform((text, context) => parse(text) ?? fault(context, message));
}

export function whole(min: number, max: number) {
  const message = `must be a whole number from ${min} to ${max}`;
  return z
    .string()
    .regex(/^\d{1,9}$/, message)
    .transform(Number)
    .refine((value) => value >= min && value <= max, message);
}

export function flag() {
  return z
    .literal('1', 'must be 1 or unset')
    .optional()
    .transform((value) => value === '1');
}

export function unlessZero() {
  return oneOf('0', '1')
    .default('1')
    .transform((value) => value === '1');
}

export function oneOf<const Values extends readonly string[]>(...values: Values) {
  return z.enum(values, `must be ${values.slice(0, -1).join(', ')} or ${values.at(-1)}`);
}

/** A secret of any text, or of the texts that pass. */
export function secret(passes: (text: string) => boolean = () => true, message = '') {
  return z
    .string()
    .refine(passes, message)
    .transform((text) => new Secret(text))
    .optional();
}

/** What is wrong with a user name or password that HTTP Basic cannot carry (RFC 7617, section 2). */
export const BASIC_FAULT = 'must not contain control characters';

export function isBasicPart(text: string): boolean {
  return !/\p{Cc}/u.test(text);
}

/** Keys of 32 bytes in base64: the one that seals, and perhaps an older one that is still read. */
export function keys() {
  const isKey = (text: string) =>
    /^[A-Za-z0-9+/]+={0,2}$/.test(text) && Buffer.from(text, 'base64').length === 32;
  return parsed((text) => {
    const [first = '', ...older] = text.split(',').map((key) => key.trim());
    if (older.length > 1 || ![first, ...older].every(isKey)) return undefined;
    return [new Secret(first), ...older.map((key) => new Secret(key))] as const;
  }, 'must be 32 bytes in base64, or two such keys with a comma: the new one, then the old');
}

export function list() {
  return parsed((text): readonly string[] | undefined => {
    const items = text.split(',').map((item) => item.trim());
    const named = items.filter(Boolean);
    return named.length > 0 ? named : undefined;
  }, 'must name at least one entry, or be unset').optional();
}

/** Parses a pasted http or https address and drops blanks around it. Returns undefined for any other text. */
export function parseHttpUrl(text: string): URL | undefined {
  const url = URL.parse(text.trim());
  return url && /^https?:$/.test(url.protocol) ? url : undefined;
}

const URL_FAULT = 'must be an http or https address without user name, query or fragment';

function parseUrl(text: string): URL | undefined {
  const url = parseHttpUrl(text);
  return url?.username || url?.password || url?.search || url?.hash ? undefined : url;
}

export function url() {
  return parsed(parseUrl, URL_FAULT);
}

/** A source of keys or tokens: over plain http, anyone on the path could replace them. */
export function trustedUrl() {
  return url().refine(
    ({ protocol, hostname }) => protocol === 'https:' || isLoopback(hostname),
    'must be https, unless it is on loopback',
  );
}

export function urls(most: number) {
  return z.string().transform((text, context) => {
    const all = text.split(',').map(parseUrl);
    if (all.length > most) return fault(context, `must be one address, or ${most} separated by a comma`);
    return all.every((each) => each !== undefined) ? all : fault(context, URL_FAULT);
  });
}

export function tls() {
  return z
    .string()
    .default('verify')
    .transform((text, context) => {
      const mode = parseTlsMode(text);
      return typeof mode === 'string' ? fault(context, mode) : mode;
    });
}

/** Whether a token of alerts is long enough: requests guess two characters within a second. */
export function isAlertsToken(text: string): boolean {
  return text.length >= 16;
}

/** A pasted address whose `{mac}` can become a MAC address. */
export function nacLink() {
  return parsed((text) => {
    const link = text.trim();
    // In a user name, host or port, the colons of a MAC address make another address or none.
    const filled = URL.parse(link.replaceAll('{mac}', '00:00:00:00:00:00'));
    const isFit = filled?.protocol === 'https:' && !filled.username && !filled.password;
    return isFit && link.includes('{mac}') ? link : undefined;
  }, 'must be an https address without user name that holds {mac} behind its host, for example https://nac.example.com/endpoint?mac={mac}');
}

/** What is wrong with a public host that cannot be read. */
export const PUBLIC_HOST_FAULT =
  'must be a full DNS host name without port, user name or path, for example bot.example.com';

/** Two or more labels of letters, digits and inner hyphens (RFC 1123, section 2.1); the last label is not a number. */
const DNS_NAME =
  /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?!\d+$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/**
 * Reads a DNS name, or a pasted http or https address, of which only the host is kept. Returns the name in lower case and
 * ASCII; undefined for any other text.
 */
export function parsePublicHost(text: string): string | undefined {
  const name = domainToASCII(hostOf(text));
  return DNS_NAME.test(name) ? name : undefined;
}

/**
 * The address of the bot at a public host: https, on port 443. A loopback host may have a port and is on http, because no
 * proxy ends TLS there.
 */
export function publicUrl() {
  return parsed((text) => {
    const local = URL.parse(`http://${hostOf(text)}`);
    if (local && isLoopback(local.hostname)) return local.username || local.password ? undefined : local;
    const name = parsePublicHost(text);
    return name === undefined ? undefined : new URL(`https://${name}`);
  }, PUBLIC_HOST_FAULT);
}

function hostOf(text: string): string {
  return text
    .trim()
    .replace(/^https?:\/\//i, '')
    .replace(/[/?#].*$/, '');
}
