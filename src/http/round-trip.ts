import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import type { Agent, Dispatcher } from 'undici';

type Header = string | string[] | undefined;
/** A whole answer; its body as it came over the wire. */
export type RoundTrip = { status: number; headers: Readonly<Record<string, Header>>; body: Buffer };

/**
 * Sends one request and returns its whole answer. Uses undici's own handler interface, because `request` spends a third of
 * a call's cost on a stream and a signal for each call.
 * @param timeoutMs for the whole round trip, connecting included
 * @param onBegin called when the answer's head has come
 * @throws a TimeoutError if no whole answer came in time, or undici's network error
 */
export function roundTrip(
  agent: Agent,
  request: Dispatcher.DispatchOptions,
  timeoutMs: number,
  onBegin: () => void,
): Promise<RoundTrip> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let controller: Dispatcher.DispatchController | undefined;
    let late: DOMException | undefined;
    let head: Omit<RoundTrip, 'body'> | undefined;

    const timer = setTimeout(() => {
      late = new DOMException(`no whole answer in ${timeoutMs} ms`, 'TimeoutError');
      controller?.abort(late);
      reject(late);
    }, timeoutMs);

    agent.dispatch(request, {
      onRequestStart(started) {
        controller = started;
        if (late) started.abort(late);
      },
      onResponseStart(_controller, status, headers) {
        if (status < 200) return; // An interim answer (RFC 9110, section 15.2).
        head = { status, headers };
        onBegin();
      },
      onResponseData(_controller, chunk) {
        chunks.push(chunk);
      },
      onResponseEnd() {
        clearTimeout(timer);
        if (head) resolve({ ...head, body: Buffer.concat(chunks) });
        else reject(new TypeError('an answer ended before its head'));
      },
      onResponseError(_controller, error) {
        clearTimeout(timer);
        reject(error);
      },
    });
  });
}

/** Unpacks a body by its `Content-Encoding`. Throws what zlib throws: `ERR_BUFFER_TOO_LARGE` beyond `maxOutputLength` bytes. */
export function unpack(packed: Buffer, encoding: Header, maxOutputLength: number): Buffer {
  if (packed.length === 0) return packed;
  const name = String(encoding ?? '').trim();
  return UNPACKERS.get(name.toLowerCase())?.(packed, { maxOutputLength }) ?? packed;
}

const UNPACKERS = new Map(
  Object.entries({ gzip: gunzipSync, 'x-gzip': gunzipSync, deflate: inflateSync, br: brotliDecompressSync }),
);

/** Decodes a body in its own charset if that is known, else in UTF-8; drops a byte order mark. */
export function decode(bytes: Buffer, contentType: Header): string {
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
