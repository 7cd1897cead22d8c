import type { IncomingMessage } from 'node:http';

/** The HTTP status that a body is refused with and, for the log, the reason. */
export type BodyRefusal = { kind: 'refused'; status: 400 | 413 | 415 | 503; reason: string };

/**
 * Reads an unread body of at most `limit` bytes. Refuses, in this order: too large by the declared length (413), no room
 * (503), too large while reading (413), cut off (400).
 */
export type ReadBody = (request: IncomingMessage, limit: number) => Promise<Buffer | BodyRefusal>;

/**
 * Creates the reader of a server's bodies, which have room for `mostBytes` together while they are read. Each takes the
 * room of its declared length; one in chunks declares none and takes its limit.
 */
export function createBodyReader(mostBytes: number): ReadBody {
  let takenBytes = 0;
  return async (request, limit) => {
    const bytes = declaredBytes(request) ?? limit;
    if (bytes > limit) return refused(413, 'too large');
    if (takenBytes + bytes > mostBytes) return refused(503, 'no room for another body');
    takenBytes += bytes;
    try {
      return await collect(request, Buffer.allocUnsafe(bytes));
    } finally {
      takenBytes -= bytes;
    }
  };
}

/** Fills the room with a body. Kept as they come, chunks of a byte each would take far more room than their bytes. */
async function collect(request: IncomingMessage, room: Buffer): Promise<Buffer | BodyRefusal> {
  let length = 0;
  // A destroyed request takes its connection along, and nobody could be told of the refusal.
  const chunks: AsyncIterable<Buffer> = request.iterator({ destroyOnReturn: false });
  try {
    for await (const chunk of chunks) {
      if (length + chunk.length > room.length) return refused(413, 'too large');
      length += chunk.copy(room, length);
    }
  } catch (error) {
    if (!request.destroyed) throw error;
    return refused(400, 'request.aborted'); // Also if the sender went away with its whole body sent.
  }
  return room.subarray(0, length);
}

/** The length of the body as the request declares it; undefined if it comes in chunks. Node's parser admits numbers alone. */
export function declaredBytes({ headers }: IncomingMessage): number | undefined {
  const length = headers['content-length'];
  return length === undefined ? undefined : Number(length);
}

export function refused(status: BodyRefusal['status'], reason: string): BodyRefusal {
  return { kind: 'refused', status, reason };
}
