import type { IncomingMessage } from 'node:http';
import { inStateOf } from '../domain/alert.ts';
import { completed, findMacAddresses, type MacAddress } from '../domain/mac-address.ts';
import { MAX_DEPTH, parseShallow, readHtml } from '../domain/text.ts';
import { charsetIn, decoderFor, unpack } from '../http.ts';
import { decode, mediaType, type ReadBody, refused } from './request-body.ts';

/** The most bytes of a body, packed and unpacked. */
const MAX_BYTES = 1024 * 1024;

/**
 * Reads a request's unread body as JSON, as the fields of a form, or as plain text; and its own text, unpacked. Refuses, in
 * this order: neither JSON, a form nor text, another encoding than gzip, or an unknown charset (415); what {@link ReadBody}
 * refuses of over 1 MB (413, 503, 400); over 1 MB unpacked, or over 5,000 fields (413); empty, badly packed, not in its
 * charset, text with control characters, not JSON, or nested too deeply (400).
 */
export async function readAlertBody(request: IncomingMessage, readBody: ReadBody) {
  const { headers } = request;
  const type = mediaType(headers['content-type']) ?? '';
  const form = formOf(type);
  if (form === undefined) return refused(415, type === 'multipart/form-data' ? MULTIPART : 'media type');
  const encoding = (headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  if (!['identity', 'gzip', 'x-gzip'].includes(encoding)) return refused(415, 'content encoding');
  const decoder = decoderFor(charsetIn(headers['content-type']), { fatal: true });
  if (decoder === undefined) return refused(415, 'charset');
  const packed = await readBody(request, MAX_BYTES);
  if (!Buffer.isBuffer(packed)) return packed;
  const bytes = tryUnpack(packed, encoding);
  if (!Buffer.isBuffer(bytes)) return bytes;
  if (bytes.length === 0) return refused(400, 'empty');
  const text = decode(bytes, decoder);
  if (text === undefined) return refused(400, 'not in its charset');
  return parse(text, form);
}

/** Uptime Kuma can send such a form, and shows its user what a refusal says. */
const MULTIPART = 'a multipart form. In Uptime Kuma, choose Request Body: Preset - application/json';

function formOf(type: string) {
  if (type === '') return 'json or text';
  if (type === 'application/json' || /^[\w.-]+\/[^\s/;]+\+json$/.test(type)) return 'json';
  if (type === 'application/x-www-form-urlencoded') return 'form';
  return type === 'text/plain' ? 'text' : undefined;
}

function tryUnpack(packed: Buffer, encoding: string) {
  try {
    return unpack(packed, encoding, MAX_BYTES);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ERR_BUFFER_TOO_LARGE') return refused(413, 'too large when unpacked');
    if (code?.startsWith('Z_')) return refused(400, 'not gzip');
    throw error;
  }
}

/** Line ends, tabs and the escape of terminals' colours stand in real logs; no other control character does. */
const CONTROLS = /[^\P{Cc}\t\n\f\r\x80-\x9f]/u;
const ESCAPE = '\u001b';

function parse(text: string, form: NonNullable<ReturnType<typeof formOf>>) {
  // `curl -d` calls everything a form.
  const json =
    form === 'text' || (form === 'form' && !/^\s*[[{]/.test(text)) ? undefined : parseShallow(text);
  if (json !== undefined) return { kind: 'read' as const, value: json, text };
  if (form === 'json') return refused(400, 'not JSON, or nested too deeply');
  // Counted before: URLSearchParams would take seconds for 500,000 names.
  const isLong = form === 'form' && text.split('&', MOST_FIELDS + 1).length > MOST_FIELDS;
  if (isLong) return refused(413, 'too many fields');
  const pairs = new URLSearchParams(form === 'form' ? text : '');
  const [[name = '', only] = []] = pairs.size === 1 ? pairs : [];
  const value = form !== 'form' ? text : only === '' ? name : fieldsOf(pairs);
  const said = typeof value === 'string' ? value : Object.values(value).join('');
  if (CONTROLS.test(said.replaceAll(ESCAPE, ''))) return refused(400, 'control characters');
  return { kind: 'read' as const, value, text };
}

/** A form's fields; a name that comes again keeps all its values. */
function fieldsOf(pairs: URLSearchParams): Record<string, string> {
  const fields = [...Map.groupBy(pairs, ([name]) => name)];
  return Object.fromEntries(fields.map(([name, all]) => [name, all.map(([, value]) => value).join('\n')]));
}

const MOST_FIELDS = 5000;
/** More than 1,000 alerts in one body have. */
const MOST_TEXTS = 50_000;

/** A copy with JSON in strings (a card, CloudWatch's message) unpacked. Refuses deep nesting (400), many strings (413). */
export function unpackTexts(value: unknown) {
  let count = 0;
  let fault: 'too many strings' | 'nested too deeply' | undefined;
  function copy(given: unknown, depth: number): unknown {
    if (fault !== undefined) return undefined;
    const isJson = typeof given === 'string' && /^\s*[[{]/.test(given);
    const inner = (isJson ? parseShallow(given) : undefined) ?? given;
    if (typeof inner === 'string' && ++count > MOST_TEXTS) fault ??= 'too many strings';
    if (typeof inner !== 'object' || inner === null) return inner;
    if (depth >= MAX_DEPTH) fault ??= 'nested too deeply';
    if (Array.isArray(inner)) return inner.map((each) => copy(each, depth + 1));
    return Object.fromEntries(Object.entries(inner).map(([name, each]) => [name, copy(each, depth + 1)]));
  }
  const copied = copy(value, 1);
  if (fault === undefined) return { kind: 'unpacked' as const, value: copied };
  return refused(fault === 'nested too deeply' ? 400 : 413, fault);
}

/** What could be an address in angle brackets, which is no tag. */
const BRACKETED = /<([\da-f][\da-f:. -]{10,21}[\da-f])>/gi;

export function textOf(text: string): string {
  return text.includes('<') || text.includes('&') ? readHtml(text.replace(BRACKETED, ' $1 ')) : text;
}

/**
 * Returns the devices that an alert names, each once: in order, but those of a group's alerts in the group's state first.
 * Twelve digits without a separator are often a container's host name or the start of a digest. They count only as the whole
 * value of a field for a device's address, or right behind a word for one.
 */
export function findDevices(body: unknown): MacAddress[] {
  return findMacAddresses(completed(textsIn(body, false).join('\n')));
}

/**
 * Every string and each name that could be an address. What stands in a list has the list's name.
 * @param isAddress whether the value's name is one for a device's address
 */
function textsIn(value: unknown, isAddress: boolean): string[] {
  if (typeof value === 'string') return [withClearDigits(textOf(withoutBrackets(value)), isAddress)];
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((each) => textsIn(each, isAddress));
  return Object.entries(value).flatMap(([key, each]) => [
    ...(/[:.-]/.test(key) ? [withClearDigits(key, false)] : []), // An object can have a field for each device.
    ...textsIn(Array.isArray(each) ? inStateOf(value, each) : each, isAddressField(key)),
  ]);
}

const ADDRESS = /(?:[\da-f]{2}[:.-]){5}[\da-f]{2}|(?:[\da-f]{4}[.:-]){2}[\da-f]{4}/i;

/** Keeps tags with an address in them, as text: an attribute of XML, or a part of a log line. */
function withoutBrackets(text: string): string {
  return text.replace(/<([^<>]+)>/g, (tag, inner: string) => (ADDRESS.test(inner) ? ` ${inner} ` : tag));
}

/**
 * Names of fields, without separators: `mac`, `clientMac`, `endpoint_mac_address`, `Calling-Station-ID`, Mist's `aps`, the IF-MIB's
 * `ifPhysAddress`, `hwaddr`.
 */
const ADDRESS_FIELD =
  /(?<!h)mac(?:s|addr(?:ess(?:es)?)?)?$|(?:phys(?:ical)?|hw|hardware)addr(?:ess)?$|^(?:calling|called)?(?:client|station|endpoint)s?(?:id|address(?:es)?)?$|^(?:aps?|bssids?)$/i;

const isAddressField = (name: string) => ADDRESS_FIELD.test(name.replaceAll(/[^a-z]/gi, ''));

/** What stands right before an address in a text. Cisco's phones name themselves by theirs, behind `SEP`. */
const WORD_FOR_ONE =
  /(?<![\w./?&-])(?:(?:mac|client|station|endpoint|(?:if)?phys)s?(?:[\s_-]?(?:mac|id|addr(?:ess)?)){0,2}["']?\s*[:=]?[\s"'(<[]*|sep)$/i;

const LONGEST_WORD = 40;
/** Twelve digits that are no part of a longer run, nor a UUID's end. */
const BARE = /(?<![\da-f]|[\da-f]{4}-)[\da-f]{12}(?![\da-f])/gi;
const LINK = /[a-z][a-z\d+.-]{1,20}:\/\/[^\s"'<>]+/gi;

/** Writes digits that are an address with colons, and takes out those that are none. */
function withClearDigits(text: string, isAddress: boolean): string {
  if (isAddress && /^\s*[\da-f]{12}\s*$/i.test(text)) return withColons(text.trim());
  return text
    .replace(LINK, (link) => link.replace(BARE, 'x'))
    .replace(BARE, (digits, at: number, whole: string) => {
      const isNamed = WORD_FOR_ONE.test(whole.slice(Math.max(0, at - LONGEST_WORD), at));
      const isHost = /^[.:/@-]\w/.test(whole.slice(at + digits.length, at + digits.length + 2));
      return isNamed && !isHost ? ` ${withColons(digits)} ` : 'x';
    });
}

function withColons(digits: string): string {
  return digits.replaceAll(/..(?=.)/g, '$&:');
}
