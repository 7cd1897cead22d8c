import type { IncomingMessage } from 'node:http';
import getRawBody from 'raw-body';
import { parseJson } from '../text/json.ts';

/** A body as JSON with its text, or a refusal: the HTTP status and, for the log, the reason. */
export type JsonRequest = { kind: 'json'; value: unknown; text: string } | BodyRefusal;
export type BodyRefusal = { kind: 'refused'; status: 400 | 413 | 415; reason: string };

/** The largest body accepted, in bytes. */
const MAX_BODY_BYTES = 256 * 1024;

/**
 * Reads a request's unread body as JSON in UTF-8. Refuses, in this order: another media type or any content encoding
 * (415); too large, by the declared length or while reading (413); not UTF-8, not JSON, or nested too deeply (400).
 */
export async function readJsonRequest(request: IncomingMessage): Promise<JsonRequest> {
  const { headers } = request;
  if (mediaType(headers['content-type']) !== 'application/json') return refused(415, 'media type');
  if (headers['content-encoding'] !== undefined) return refused(415, 'content encoding');
  const bytes = await readBytes(request, MAX_BODY_BYTES);
  if (!Buffer.isBuffer(bytes)) return bytes;
  const text = decode(bytes, UTF_8);
  if (text === undefined) return refused(400, 'not UTF-8');
  const value = isTooDeep(text) ? undefined : parseJson(text);
  if (value === undefined) return refused(400, 'not JSON, or nested too deeply');
  return { kind: 'json', value, text };
}

export function refused(status: BodyRefusal['status'], reason: string): BodyRefusal {
  return { kind: 'refused', status, reason };
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

/** Reads an unread body. Refuses a body of more bytes, by the declared length or while reading (413), or cut off (400). */
export async function readBytes(request: IncomingMessage, limit: number): Promise<Buffer | BodyRefusal> {
  try {
    const length = request.headers['content-length'];
    return await getRawBody(request, { limit, ...(length !== undefined && { length }) });
  } catch (error) {
    const { type } = error as { type?: string };
    if (type === 'entity.too.large') return refused(413, 'too large');
    if (type !== undefined) return refused(400, type);
    throw error;
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
