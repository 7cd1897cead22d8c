import type { IncomingMessage } from 'node:http';
import { joinPairs } from '../alerts/lines.ts';
import { parseShallow } from '../domain/text.ts';
import { charsetIn, decoderFor, unpack } from '../http.ts';
import type { Pacer } from './pacer.ts';
import { decode, mediaType, type ReadBody, refused } from './request-body.ts';

/** The most bytes of a body, packed and unpacked. */
const MAX_BYTES = 1024 * 1024;

/**
 * Reads a request's unread body as JSON, as the fields of a form, or as plain text; and its own text, unpacked. Refuses, in
 * this order: neither JSON, a form nor text, another encoding than gzip, or an unknown charset (415); what {@link ReadBody}
 * refuses of over 1 MB (413, 503, 400); over 1 MB unpacked, or over 5,000 fields (413); empty, badly packed, not in its
 * charset, text with control characters, not JSON, or nested too deeply (400).
 */
export async function readAlertBody(request: IncomingMessage, readBody: ReadBody, pacer: Pacer) {
  const { headers } = request;
  const type = mediaType(headers['content-type']) ?? '';
  const form = readForm(type);
  if (form === undefined) return refused(415, type === 'multipart/form-data' ? MULTIPART : 'media type');
  const encoding = (headers['content-encoding'] ?? '').trim();
  if (!/^(?:|identity|(?:x-)?gzip)$/i.test(encoding)) return refused(415, 'content encoding');
  const decoder = decoderFor(charsetIn(headers['content-type']), { fatal: true });
  if (decoder === undefined) return refused(415, 'charset');
  const read = (packed: Buffer) => {
    const bytes = tryUnpack(packed, encoding);
    if (!Buffer.isBuffer(bytes)) return bytes;
    const text = decode(bytes, decoder);
    return text ? parse(text, form) : refused(400, text === '' ? 'empty' : 'not in its charset');
  };
  return readBody(request, MAX_BYTES, (packed) => pacer(() => read(packed)));
}

/** Uptime Kuma can send such a form, and shows the refusal to its user. */
const MULTIPART = 'a multipart form. In Uptime Kuma, choose Request Body: Preset - application/json';

function readForm(type: string) {
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

function parse(text: string, form: NonNullable<ReturnType<typeof readForm>>) {
  // `curl -d` calls everything a form, and Amazon SNS a text.
  const json = form.startsWith('json') || /^\s*[[{]/.test(text) ? parseShallow(text) : undefined;
  if (json !== undefined) return { kind: 'read' as const, value: json, text };
  if (form === 'json') return refused(400, 'not JSON, or nested too deeply');
  // Counted before: URLSearchParams would take seconds for 500,000 names.
  if (form === 'form' && text.split('&', 5001).length > 5000) return refused(413, 'too many fields');
  const pairs = [...new URLSearchParams(form === 'form' ? text : '')];
  const isText = form !== 'form' || (pairs.length === 1 && pairs[0]?.[1] === '');
  const value = isText ? (pairs[0]?.[0] ?? text) : joinPairs(pairs);
  const typed = typeof value === 'string' ? value : Object.values(value).join('');
  if (CONTROLS.test(typed.replaceAll(ESCAPE, ''))) return refused(400, 'control characters');
  return { kind: 'read' as const, value, text };
}
