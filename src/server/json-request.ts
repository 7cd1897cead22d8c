import type { IncomingMessage } from 'node:http';
import { parseJson } from '../domain/json.ts';
import { type BodyRefusal, declaredBytes, type ReadBody, refused } from './request-body.ts';

/** The largest body accepted, in bytes. */
const MAX_BODY_BYTES = 256 * 1024;

/** Refuses by a request's head, in this order: another media type or any content encoding (415), over 256 KB as declared (413). */
export function findHeadFault(request: IncomingMessage): BodyRefusal | undefined {
  const { headers } = request;
  if (mediaType(headers['content-type']) !== 'application/json') return refused(415, 'media type');
  if (headers['content-encoding'] !== undefined) return refused(415, 'content encoding');
  if ((declaredBytes(request) ?? 0) > MAX_BODY_BYTES) return refused(413, 'too large');
  return undefined;
}

/**
 * Reads a request's unread body as JSON in UTF-8. Refuses, in this order: what {@link ReadBody} refuses of over 256 KB (413,
 * 503, 400); not UTF-8, not JSON, or nested too deeply (400).
 */
export async function readJsonBody(
  request: IncomingMessage,
  readBody: ReadBody,
): Promise<{ kind: 'json'; value: unknown } | BodyRefusal> {
  const bytes = await readBody(request, MAX_BODY_BYTES);
  if (!Buffer.isBuffer(bytes)) return bytes;
  const text = decode(bytes, UTF_8);
  if (text === undefined) return refused(400, 'not UTF-8');
  const value = isTooDeep(text) ? undefined : parseJson(text);
  return value === undefined ? refused(400, 'not JSON, or nested too deeply') : { kind: 'json', value };
}

const UTF_8 = new TextDecoder('utf-8', { fatal: true });

/** Returns the text of bytes; undefined if they are not in the decoder's charset. @param decoder a fatal one */
export function decode(bytes: Buffer, decoder: TextDecoder): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_ENCODING_INVALID_ENCODED_DATA') throw error;
    return undefined;
  }
}

/** More levels than any activity has. Deeper nesting could overflow the stack of code that walks the value. */
export const MAX_DEPTH = 64;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const BRACKET = 0x5b;
const END_BRACKET = 0x5d;
const BRACE = 0x7b;
const END_BRACE = 0x7d;

/** Whether JSON is nested too deeply: counts brackets outside strings, in one pass over any text. */
export function isTooDeep(json: string): boolean {
  let depth = 0;
  let isInString = false;
  for (let index = 0; index < json.length; index++) {
    const unit = json.charCodeAt(index);
    if (unit === QUOTE) isInString = !isInString;
    else if (isInString) index += unit === BACKSLASH ? 1 : 0;
    else if (unit === BRACKET || unit === BRACE) depth++;
    else if (unit === END_BRACKET || unit === END_BRACE) depth--;
    if (depth > MAX_DEPTH) return true;
  }
  return false;
}

/** The media type of a `Content-Type`, lower case and without parameters. */
export function mediaType(header: string | undefined): string | undefined {
  return header?.split(';', 1)[0]?.trim().toLowerCase();
}
