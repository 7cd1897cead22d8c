import type { IncomingMessage } from 'node:http';
import { parseJson } from '../../domain/json.ts';
import { unpack } from '../../http/body.ts';
import { decode, isTooDeep, mediaType } from '../json-request.ts';
import { type BodyRefusal, type ReadBody, refused } from '../request-body.ts';

/** A body as JSON, as the fields of a form, or as plain text; and its own text, unpacked. */
export type AlertBody = { kind: 'read'; value: unknown; text: string };

/** The most bytes of a body, packed and unpacked. */
const MAX_BYTES = 1024 * 1024;

/**
 * Reads a request's unread body. Refuses, in this order: neither JSON, a form nor text, another encoding than gzip, or an
 * unknown charset (415); what {@link ReadBody} refuses of over 1 MB (413, 503, 400); over 1 MB unpacked, or over 5,000 fields
 * (413); empty, badly packed, not in its charset, text with control characters, not JSON, or nested too deeply (400).
 */
export async function readAlertBody(
  request: IncomingMessage,
  readBody: ReadBody,
): Promise<AlertBody | BodyRefusal> {
  const { headers } = request;
  const form = formOf(headers['content-type']);
  if (form === undefined)
    return refused(415, mediaType(headers['content-type']) === MULTIPART ? ADVICE : 'media type');
  const encoding = (headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  if (!['identity', 'gzip', 'x-gzip'].includes(encoding)) return refused(415, 'content encoding');
  const decoder = decoderFor(headers['content-type']);
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

const MULTIPART = 'multipart/form-data';

/** Uptime Kuma can send such a form, and shows its user what a refusal says. */
const ADVICE = 'a multipart form. In Uptime Kuma, choose Request Body: Preset - application/json';

type Form = 'json' | 'form' | 'text' | 'json or text';

/** What a media type says; undefined if an alert cannot have this type. */
function formOf(contentType: string | undefined): Form | undefined {
  const type = mediaType(contentType) ?? '';
  if (type === '') return 'json or text';
  if (type === 'application/json' || /^[\w.-]+\/[^\s/;]+\+json$/.test(type)) return 'json';
  if (type === 'application/x-www-form-urlencoded') return 'form';
  return type === 'text/plain' ? 'text' : undefined;
}

function decoderFor(contentType = ''): TextDecoder | undefined {
  const charset = /;\s*charset\s*=\s*"?([\w.:-]+)/i.exec(contentType)?.[1] ?? 'utf-8';
  try {
    return new TextDecoder(charset, { fatal: true });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return undefined;
  }
}

function tryUnpack(packed: Buffer, encoding: string): Buffer | BodyRefusal {
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

function parse(text: string, form: Form): AlertBody | BodyRefusal {
  switch (form) {
    case 'form': {
      const pairs = new URLSearchParams(text);
      if (pairs.size > MOST_FIELDS) return refused(413, 'too many fields');
      return plain(fieldsOf(pairs), text);
    }
    case 'text':
      return plain(text, text);
    case 'json':
      return json(text) ?? refused(400, 'not JSON, or nested too deeply');
    case 'json or text':
      return json(text) ?? plain(text, text);
  }
}

function json(text: string): AlertBody | undefined {
  const value = isTooDeep(text) ? undefined : parseJson(text);
  return value === undefined ? undefined : { kind: 'read', value, text };
}

function plain(value: string | Record<string, string>, text: string): AlertBody | BodyRefusal {
  const texts = typeof value === 'string' ? [value] : Object.values(value);
  return texts.some((each) => CONTROLS.test(each.replaceAll(ESCAPE, '')))
    ? refused(400, 'control characters')
    : { kind: 'read', value, text };
}

const MOST_FIELDS = 5000;

/** A form's fields; a name that comes again keeps all its values. */
function fieldsOf(pairs: URLSearchParams): Record<string, string> {
  const fields = new Map<string, string[]>();
  for (const [name, value] of pairs) {
    const values = fields.get(name);
    if (values) values.push(value);
    else fields.set(name, [value]);
  }
  return Object.fromEntries([...fields].map(([name, values]) => [name, values.join('\n')]));
}
