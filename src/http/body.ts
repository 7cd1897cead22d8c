import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';

/** Unpacks a body by its `Content-Encoding`. Throws what zlib throws: `ERR_BUFFER_TOO_LARGE` beyond `maxOutputLength` bytes. */
export function unpack(
  packed: Buffer,
  encoding: string | string[] | undefined,
  maxOutputLength: number,
): Buffer {
  if (packed.length === 0) return packed;
  const name = String(encoding ?? '').trim();
  switch (name.toLowerCase()) {
    case 'gzip':
    case 'x-gzip':
      return gunzipSync(packed, { maxOutputLength });
    case 'deflate':
      return inflateSync(packed, { maxOutputLength });
    case 'br':
      return brotliDecompressSync(packed, { maxOutputLength });
    default:
      return packed;
  }
}

/** Decodes a body in its own charset if that is known, else in UTF-8; drops a byte order mark. */
export function decode(bytes: Buffer, contentType: string | string[] | undefined): string {
  const charset = /charset=\s*"?([\w-]+)/i.exec(String(contentType ?? ''))?.[1] ?? 'utf-8';
  if (/^utf-?8$/i.test(charset)) return UTF_8.decode(bytes);
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return UTF_8.decode(bytes);
  }
}

const UTF_8 = new TextDecoder();
